/* The stages on functions, and those on heap profiles but symbolizing. */
#include "config.h"

#include "format/codec.h"
#include "merge/merge.h"
#include "stage.h"

static void
demand(enum prof_status status, const struct stage_work *w,
    const struct prof_error *err)
{
	if (status == PROF_FAIL)
		stage_fail(w->stage->name, err);
}

/* A writer that only counts. */
struct counter {
	struct prof_writer base;
	uint64_t *functions;
};

static enum prof_status
count_record(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	(void)err;
	*((struct counter *)base)->functions += stage_functions(r);
	return PROF_OK;
}

static enum prof_status
finish_count(struct prof_writer *base, struct prof_error *err)
{
	(void)base;
	(void)err;
	return PROF_OK;
}

static const struct writer_ops counter_ops = {
	.put = count_record,
	.finish = finish_count,
};

/* Reads images; writes their records to `to` and merges them, if not NULL. */
static void
read_images(struct stage_work *w, struct prof_writer *to, struct merge *sum)
{
	struct prof_context *context = stage_context(w->stage->blocks);

	for (size_t i = 0; i < w->size; i++) {
		struct stage_pipe pipe;
		struct prof_reader *r = stage_reader(context, &w->runs[i],
		    w->stage->form, &pipe);
		struct prof_error err = { 0 };
		struct prof_record record;
		enum prof_status status;

		while ((status = prof_next(r, &record, &err)) == PROF_OK) {
			w->functions += stage_functions(&record);
			if (to != NULL)
				demand(prof_put(to, &record, &err), w, &err);
			if (sum != NULL)
				demand(merge_add(sum, &record, NULL, &err), w,
				    &err);
		}
		demand(status, w, &err);
		prof_close(r);
	}
	prof_context_free(context);
}

void
stage_decode(struct stage_work *w)
{
	read_images(w, NULL, NULL);
}

void
stage_cat(struct stage_work *w)
{
	struct prof_writer *to = stage_writer(STREAM, NULL);
	struct prof_error err = { 0 };

	read_images(w, to, NULL);
	demand(prof_finish(to, &err), w, &err);
	prof_writer_free(to);
}

static struct merge *
new_sum(void)
{
	struct merge *sum = merge_new(NULL, NULL);

	if (sum == NULL)
		stage_fail("out of memory", NULL);
	return sum;
}

/*
 * Writes the sum to a counter.  It must have the functions of one run, since
 * all runs have the same, or at least the contexts of one heap profile.
 */
static void
write_sum(struct stage_work *w, struct merge *sum)
{
	static const struct merge_output output;
	uint64_t functions = 0;
	struct counter counter = {
		.base = { .ops = &counter_ops },
		.functions = &functions,
	};
	struct prof_error err = { 0 };

	demand(merge_write(sum, &output, &counter.base, &err), w, &err);
	merge_free(sum);
	if (w->stage->input == PROGRAM ? functions != w->program :
	    functions < w->program)
		stage_fail("a sum has other functions than its parts", NULL);
}

void
stage_merge_images(struct stage_work *w)
{
	struct merge *sum = new_sum();

	read_images(w, NULL, sum);
	write_sum(w, sum);
}

void
stage_merge_records(struct stage_work *w)
{
	struct merge *sum = new_sum();
	struct prof_error err = { 0 };

	for (size_t i = 0; i < w->size; i++) {
		for (size_t k = 0; k < w->runs[i].records_size; k++)
			demand(merge_add(sum, &w->runs[i].records[k], NULL,
			    &err), w, &err);
		w->functions += w->runs[i].functions;
	}
	write_sum(w, sum);
}

void
stage_encode(struct stage_work *w)
{
	struct prof_writer *to = stage_writer(w->stage->form, NULL);
	struct prof_error err = { 0 };

	for (size_t k = 0; k < w->runs[0].records_size; k++)
		demand(prof_put(to, &w->runs[0].records[k], &err), w, &err);
	demand(prof_finish(to, &err), w, &err);
	prof_writer_free(to);
	w->functions = w->runs[0].functions;
}

/* Looks up functions of all parts of the program, each with a new reader. */
void
stage_look_up(struct stage_work *w)
{
	const struct stage_run *run = &w->runs[0];
	struct stage_pipe pipe;
	struct prof_error err = { 0 };

	for (size_t i = 0; i < STAGE_NAMES; i++) {
		const struct prof_record *wanted = &run->records[2 +
		    i * run->functions / STAGE_NAMES];
		struct prof_reader *r = stage_reader(NULL, w->runs, INDEXED,
		    &pipe);
		struct prof_record record;
		enum prof_status status;

		prof_select(r, &wanted->u.function.symbol.name, 1);
		while ((status = prof_next(r, &record, &err)) == PROF_OK)
			w->functions += stage_functions(&record);
		demand(status, w, &err);
		prof_close(r);
	}
}
