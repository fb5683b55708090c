/* Sums of profiles. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/codec.h"
#include "io/scratch.h"
#include "io/temporary.h"
#include "libprof/private.h"
#include "merge/merge.h"

struct prof_sum {
	struct prof *p;
	struct merge *merge;
	struct merge_output output;
	struct merge_files files;	/* of a sum in bounded memory */
	struct scratch_files scratch;	/* the same */
	struct item_order order;
	uint64_t profiles;		/* that were added */
	bool failed;			/* an input or item was not added */
	bool written;
};

struct prof_sum *
prof_sum_new(struct prof *p)
{
	struct prof_sum *sum = calloc(1, sizeof(*sum));

	problem_begin(p);
	if (sum != NULL)
		sum->merge = merge_new(problem_warn, p);
	if (sum == NULL || sum->merge == NULL) {
		free(sum);
		problem_memory(p);
		return NULL;
	}
	sum->p = p;
	return sum;
}

void
prof_sum_free(struct prof_sum *sum)
{
	if (sum == NULL)
		return;
	merge_free(sum->merge);
	free(sum);
}

/* From so many bytes on, functions go to temporary files. */
static int
sum_bound(struct prof_sum *sum, uint64_t bytes)
{
	size_t limit = bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;

	if (sum->profiles != 0 || sum->files.create != NULL)
		return problem_use(sum->p, "a profile has already been added, "
		    "or the memory is bounded");
	sum->files = (struct merge_files){ .arg = &sum->scratch,
	    .create = scratch_create, .write = scratch_append,
	    .rewind = scratch_rewind, .pull = scratch_pull,
	    .close = scratch_close };
	return problem_result(sum->p, merge_spill_to(sum->merge,
	    limit < SCRATCH_LEAST_MEMORY ? SCRATCH_LEAST_MEMORY : limit,
	    &sum->files, &sum->p->problem.error));
}

/* Of a failure with a temporary file, the folder is the place. */
static int
sum_result(struct prof_sum *sum, enum prof_status status)
{
	if (status == PROF_FAIL && sum->scratch.failed) {
		sum->p->file = temporary_folder();
		sum->p->member = NULL;
	}
	return problem_result(sum->p, status);
}

int
prof_sum_set(struct prof_sum *sum, enum prof_sum_option option, uint64_t value)
{
	problem_begin(sum->p);
	switch (option) {
	case PROF_SUM_SPARSE:
		sum->output.sparse = value != 0;
		return 0;
	case PROF_SUM_INTERSECT:
		sum->output.intersect = value != 0;
		return 0;
	case PROF_SUM_MEMORY:
		return sum_bound(sum, value);
	default:
		return problem_use(sum->p, "there is no such option");
	}
}

/* The result of adding.  An item that was refused changes nothing. */
static int
sum_added(struct prof_sum *sum, enum prof_status status)
{
	if (status != PROF_OK && sum->p->problem.error.code != PROF_E_USE)
		sum->failed = true;
	return sum_result(sum, status);
}

static enum prof_status
sum_add_records(struct prof_sum *sum, struct prof_input *in,
    const struct merge_factor *weight, struct prof_error *err)
{
	bool blocks = !sum->output.intersect;
	enum prof_status status;

	merge_next_input(sum->merge);
	while ((status = input_step(in, blocks, err)) == PROF_OK) {
		const struct prof_record *r = input_record(in);

		sum->profiles += r->kind == PROF_REC_PROFILE;
		if (merge_add(sum->merge, r, weight, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static const char *
sum_end(const struct prof_sum *sum)
{
	return sum->written ? "the sum was written already" :
	    sum->failed ? "adding to the sum has failed" : NULL;
}

static const char *
sum_misuse(const struct prof_sum *sum, uint64_t times, uint64_t parts)
{
	const char *end = sum_end(sum);

	if (end != NULL)
		return end;
	if (sum->order.inside)
		return "the last profile has not ended";
	if (times == 0 || parts == 0 ||
	    (parts != 1 && (times > UINT32_MAX || parts > UINT32_MAX)))
		return "the weight is 0 or too large";
	return NULL;
}

int
prof_sum_add_input(struct prof_sum *sum, struct prof_input *in,
    uint64_t times, uint64_t parts)
{
	const struct merge_factor weight = { times, parts };
	const char *misuse = sum_misuse(sum, times, parts);
	struct prof *p = sum->p;

	problem_begin(p);
	if (misuse == NULL && input_owner(in) != p)
		misuse = "the input belongs to another struct prof";
	if (misuse == NULL && input_is_begun(in))
		misuse = "the input has been read already";
	if (misuse != NULL)
		return problem_use(p, misuse);
	return sum_added(sum, sum_add_records(sum, in, &weight,
	    &p->problem.error));
}

int
prof_sum_add(struct prof_sum *sum, const struct prof_item *item)
{
	struct prof *p = sum->p;
	const char *misuse = sum_end(sum);

	problem_begin(p);
	if (misuse != NULL)
		return problem_use(p, misuse);
	if (item_check(&sum->order, item, &p->problem.error) != PROF_OK)
		return sum_added(sum, PROF_FAIL);
	if (item->kind == PROF_ITEM_PROFILE) {
		merge_next_input(sum->merge);
		sum->profiles++;
	}
	return sum_added(sum, merge_add(sum->merge, item_record(item),
	    NULL, &p->problem.error));
}

static enum prof_status
sum_put(struct prof_sum *sum, struct prof_writer *w, const char *format,
    struct prof_error *err)
{
	struct merge_output *o = &sum->output;

	sum->written = true;
	o->heap_as_read = sum->profiles == 1;
	o->correlated = strcmp(format, "stream") == 0;
	o->targets_by_guid = strcmp(format, "indexed") == 0;
	return merge_write(sum->merge, o, w, err);
}

int
prof_sum_write(struct prof_sum *sum, struct prof_output *out)
{
	struct prof_error *err = &sum->p->problem.error;
	const char *misuse = sum_misuse(sum, 1, 1);
	enum prof_status status;
	struct prof_writer *w;

	problem_begin(sum->p);
	if (misuse == NULL && output_owner(out) != sum->p)
		misuse = "the output belongs to another struct prof";
	if (misuse == NULL)
		misuse = output_take_profile(out);
	if (misuse != NULL)
		return problem_use(sum->p, misuse);
	output_begin(out);
	if (sum->files.create != NULL)
		output_use_scratch(out);
	output_take_sum(out, sum->files.create == NULL);
	w = output_writer(out, err);
	status = w == NULL ? PROF_FAIL :
	    sum_put(sum, w, output_format(out), err);
	if (status == PROF_OK)
		status = output_end_profile(out, err);
	if (output_scratch_failed(out))
		sum->scratch.failed = true;
	return sum_result(sum, status);
}

/* A writer that hands records to a visitor. */
struct visit_writer {
	struct prof_writer base;
	struct prof *p;
	prof_visitor *visitor;
	void *arg;
	struct item_record shown;
};

static enum prof_status
visit_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct visit_writer *w = (struct visit_writer *)base;

	(void)err;
	w->shown.record = *r;
	return problem_visit(w->p, &w->shown, w->visitor, w->arg);
}

static enum prof_status
visit_finish(struct prof_writer *base, struct prof_error *err)
{
	(void)base;
	(void)err;
	return PROF_OK;
}

static void
visit_free(struct prof_writer *base)
{
	(void)base;
}

int
prof_sum_visit(struct prof_sum *sum, prof_visitor *visitor, void *arg)
{
	static const struct writer_ops ops = { .size =
	    sizeof(struct visit_writer), .put = visit_put,
	    .finish = visit_finish, .free = visit_free };
	struct prof_error *err = &sum->p->problem.error;
	const char *misuse = sum_misuse(sum, 1, 1);
	enum prof_status status;
	struct visit_writer *w;

	problem_begin(sum->p);
	if (misuse != NULL)
		return problem_use(sum->p, misuse);
	w = codec_writer_new(&ops, sum->p->context, NULL, NULL, err);
	if (w == NULL)
		return problem_fail(sum->p);
	w->p = sum->p;
	w->visitor = visitor;
	w->arg = arg;
	status = sum_put(sum, &w->base, "stream", err);
	prof_writer_free(&w->base);
	return sum_result(sum, status);
}

uint64_t
prof_sum_mismatches(const struct prof_sum *sum)
{
	return merge_losses(sum->merge).mismatches;
}

uint64_t
prof_sum_overflows(const struct prof_sum *sum)
{
	return merge_losses(sum->merge).overflows;
}
