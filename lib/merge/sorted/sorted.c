#include "merge/sorted/sorted.h"

#include <stdlib.h>

#include "format/lprf/lprf.h"
#include "merge/sorted/walk.h"

/* Inputs that are walked at a time, if as many may be open. */
enum { SORTED_MOST = 256 };

/*
 * A pass merges the sum of the passes before it and as many more inputs as may
 * be open.
 */
struct sorted_pass {
	const struct merge_files *files;
	bool plain;
	struct sorted_input *inputs;
	size_t size;
	struct sorted_scratch scratch;
	struct merge *sum;		/* of all but functions */
	void *file;			/* what is written */
	uint64_t file_size;
	uint64_t written;		/* functions */
};

bool
merge_sorted_reads(const uint8_t start[MERGE_SORTED_START])
{
	return load_u32(start, false) == LPRF_MAGIC &&
	    load_u32(start + 4, false) == LPRF2_VERSION;
}

/* A prof_warn: what is to be warned of takes the other merge. */
static void
sorted_note_warning(void *arg, const struct prof_error *warning)
{
	struct sorted_scratch *s = arg;

	(void)warning;
	s->warned = true;
}

/* A prof_sink. */
static int
sorted_write(void *arg, const void *data, size_t size)
{
	struct sorted_pass *p = arg;

	p->file_size += size;
	return p->files->write(p->file, data, size);
}

/* A merge_put_functions. */
static enum prof_status
sorted_put_functions(void *arg, struct prof_writer *w, struct prof_error *err)
{
	struct sorted_pass *p = arg;

	(void)err;
	return sorted_walk(p->inputs, p->size, &p->scratch, w);
}

static enum prof_status
sorted_write_sum(struct sorted_pass *p, struct prof_context *context)
{
	const struct merge_output options = { .sparse = false };
	const struct prof_target target = { .format = "lprf", .version =
	    LPRF2_VERSION, .plain = p->plain, .in_order = true };
	struct prof_writer *w;
	enum prof_status status;

	p->sum->put_functions = sorted_put_functions;
	p->sum->put_functions_arg = p;
	w = prof_writer_new(context, &target, sorted_write, p, NULL);
	if (w == NULL)
		return PROF_FAIL;
	status = merge_write(p->sum, &options, w, NULL);
	if (status == PROF_OK)
		status = prof_finish(w, NULL);
	p->written = prof_writer_written(w).functions;
	prof_writer_free(w);
	return status == PROF_OK && !p->scratch.warned ? PROF_OK : PROF_FAIL;
}

static enum prof_status
sorted_run_pass(struct sorted_pass *p)
{
	struct sorted_scratch *s = &p->scratch;
	struct prof_context *context = prof_context_new(sorted_note_warning,
	    s);
	enum prof_status status = PROF_FAIL;

	s->lines.record.context = context;
	p->sum = merge_new(sorted_note_warning, s);
	p->file = p->files->create(p->files->arg, NULL);
	if (context != NULL && p->sum != NULL && p->file != NULL)
		status = PROF_OK;
	for (size_t i = 0; i < p->size && status == PROF_OK; i++)
		status = sorted_input_begin(&p->inputs[i], s, p->sum);
	if (status == PROF_OK)
		status = sorted_write_sum(p, context);
	stream_record_free(&s->lines.record);
	prof_context_free(context);
	merge_free(p->sum);
	lprf2_packer_free(s->packer);
	free(s->data.more);
	arena_free(&s->shapes);
	arena_free(&s->block);
	return status;
}

/* Merges the inputs of a pass into a file, which takes the place of *sum. */
static bool
sorted_replace_sum(struct sorted_pass *p, struct merge_sorted_file *sum)
{
	enum prof_status status = sorted_run_pass(p);

	for (size_t i = 0; i < p->size; i++)
		sorted_input_end(&p->inputs[i]);
	if (sum->arg != NULL)
		p->files->close(sum->arg);
	*sum = (struct merge_sorted_file){ .arg = p->file,
	    .read = p->files->read, .size = p->file_size, .weight = { 1, 1 } };
	return status == PROF_OK;
}

/* Opens inputs from *next on, and merges them with the sum so far. */
static bool
sorted_merge_some(const struct merge_sorted_inputs *in, size_t most,
    struct sorted_pass *p, struct merge_sorted_file *sum, size_t *next,
    uint64_t *functions)
{
	size_t first = sum->arg != NULL;
	bool merged = true;

	for (p->size = 0; p->size < most; p->size++)
		p->inputs[p->size] = (struct sorted_input){ .next = NULL };
	p->size = first;
	p->inputs[0].file = *sum;
	while (merged && p->size < most && *next < in->size) {
		merged = in->open(in->arg, *next, &p->inputs[p->size].file);
		p->size += merged;
		*next += merged;
	}
	merged = merged && sorted_replace_sum(p, sum);
	for (size_t i = first; i < p->size; i++) {
		*functions += p->inputs[i].blocks.trailer.functions;
		in->close(&p->inputs[i].file);
	}
	return merged;
}

bool
merge_sorted(const struct merge_sorted_inputs *in,
    const struct merge_files *files, bool plain, struct merge_sorted_sum *out)
{
	size_t most = in->most < SORTED_MOST ? in->most : SORTED_MOST;
	struct sorted_input *inputs = calloc(most + 1, sizeof(*inputs));
	struct merge_sorted_file sum = { .arg = NULL };
	bool merged = inputs != NULL && most > 1;
	size_t next = 0;

	*out = (struct merge_sorted_sum){ .file = NULL };
	while (merged && next < in->size) {
		struct sorted_pass p = { .files = files, .plain = plain,
		    .inputs = inputs };

		merged = sorted_merge_some(in, most, &p, &sum, &next,
		    &out->functions);
		out->written = p.written;
	}
	free(inputs);
	if (merged && files->rewind(sum.arg, NULL) == PROF_OK) {
		out->file = sum.arg;
		return true;
	}
	if (sum.arg != NULL)
		files->close(sum.arg);
	return false;
}
