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

enum prof_status
cover_streams_add(struct cover *c, struct cli *cli, struct input *in,
    const struct input_member *m, struct prof_error *err)
{
	struct prof_context *context = prof_context_new(cli_warn, cli);
	struct prof_span image, left;
	struct cover trial;

	if (context == NULL)
		return err_memory(err);
	cli->inputs.member = m->name;
	/* Nothing of a bad input is counted, which a trial shows. */
	if (!cover_init(&trial, &c->options)) {
		err_memory(err);
	} else if (!cli->report.damage.keep_going) {
		if (cover_read_stream(c, context, input_pull, in, err) !=
		    PROF_OK && input_failure(in)->code != PROF_E_NONE)
			*err = *input_failure(in);
	} else if (input_image(in, &image, err) == PROF_OK) {
		left = image;
		if (cover_read_stream(&trial, NULL, streams_pull, &left, err) ==
		    PROF_OK)
			cover_read_stream(c, context, streams_pull, &image,
			    err);
	}
	cli->inputs.member = NULL;
	cover_free(&trial);
	prof_context_free(context);
	return err->code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
}
