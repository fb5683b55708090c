/* cmd/cover/streams.c - coverage that was written as a stream */
#include "config.h"

#include "base/error.h"
#include "cmd/cover/run.h"
#include "io/input.h"

/* A prof_pull of the bytes of a span. */
static ssize_t
streams_pull(void *span, void *data, size_t size)
{
	struct prof_span *left = span;
	size_t n = left->size < size ? left->size : size;

	if (n > 0)
		memcpy(data, left->data, n);
	left->data += n;
	left->size -= n;
	return (ssize_t)n;
}

/* Whether all of a stream can be read. */
static enum prof_status
streams_try(const struct cover_options *options, struct prof_span image,
    struct prof_error *err)
{
	struct cover trial;
	enum prof_status status = cover_init(&trial, options) ?
	    cover_read_stream(&trial, NULL, streams_pull, &image, err) :
	    err_memory(err);

	cover_free(&trial);
	return status;
}

enum prof_status
cover_streams_add(struct cover *c, struct cli *cli, struct input *in,
    const struct input_member *m, struct prof_error *err)
{
	struct prof_context *context = prof_context_new(cli_warn, cli);
	enum prof_status status = context == NULL ? err_memory(err) : PROF_OK;
	struct prof_span image;

	cli->inputs.member = m->name;
	if (status == PROF_OK && cli->report.damage.keep_going) {
		if (input_image(in, &image, err) != PROF_OK ||
		    streams_try(&c->options, image, err) != PROF_OK)
			status = PROF_FAIL;
		else
			status = cover_read_stream(c, context, streams_pull,
			    &image, err);
	} else if (status == PROF_OK) {
		status = cover_read_stream(c, context, input_pull, in, err);
		if (status != PROF_OK && input_failure(in)->code != PROF_E_NONE)
			*err = *input_failure(in);
	}
	cli->inputs.member = NULL;
	prof_context_free(context);
	return status;
}
