#include "merge/spill/runs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "merge/core/order.h"

/* Runs of one level that are merged; runs that are read at a time. */
enum { FOLD = 16, WIDTH = 32 };

struct merge_run *
merge_run_new(const struct merge_files *files, bool functions,
    struct prof_error *err)
{
	static const struct prof_target stream = { .format = "stream" };
	static const struct prof_record head = { .kind = PROF_REC_PROFILE };
	struct merge_run *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		err_memory(err);
		return NULL;
	}
	r->files = files;
	r->functions = functions;
	r->file = files->create(files->arg, err);
	if (r->file != NULL)
		r->writer = prof_writer_new(NULL, &stream, files->write,
		    r->file, err);
	if (r->writer != NULL && prof_put(r->writer, &head, err) == PROF_OK)
		return r;
	merge_run_free(r);
	return NULL;
}

enum prof_status
merge_run_put(struct merge_run *r, const struct prof_record *record,
    struct prof_error *err)
{
	return prof_put(r->writer, record, err);
}

enum prof_status
merge_run_end(struct merge_run *r, struct prof_error *err)
{
	static const struct prof_record end = { .kind = PROF_REC_END };

	if (prof_put(r->writer, &end, err) != PROF_OK ||
	    prof_finish(r->writer, err) != PROF_OK)
		return PROF_FAIL;
	prof_writer_free(r->writer);
	r->writer = NULL;
	return PROF_OK;
}

enum prof_status
merge_run_open(struct merge_run *r, struct prof_error *err)
{
	if (r->files->rewind(r->file, err) != PROF_OK)
		return PROF_FAIL;
	prof_close(r->reader);
	r->reader = prof_open_stream(NULL, r->files->pull, r->file, err);
	return r->reader == NULL ? PROF_FAIL :
	    prof_next(r->reader, &r->now, err);
}

static void
merge_run_close(struct merge_run *r)
{
	prof_close(r->reader);
	r->reader = NULL;
}

enum prof_status
merge_run_next(struct merge_run *r, struct prof_error *err)
{
	enum prof_status status = prof_next(r->reader, &r->now, err);

	r->notes = 0;
	if (status == PROF_OK && r->functions &&
	    r->now.kind == PROF_REC_TRACE) {
		r->notes = (unsigned)r->now.u.trace.weight;
		status = prof_next(r->reader, &r->now, err);
	}
	if (status == PROF_OK && r->now.kind == PROF_REC_END)
		status = prof_next(r->reader, &r->now, err);
	if (status != PROF_OK)
		merge_run_close(r);
	return status;
}

void
merge_run_free(struct merge_run *r)
{
	if (r == NULL)
		return;
	prof_writer_free(r->writer);
	prof_close(r->reader);
	if (r->file != NULL)
		r->files->close(r->file);
	free(r);
}

void
merge_runs_free(struct merge_runs *s)
{
	for (size_t i = 0; i < s->size; i++)
		merge_run_free(s->runs[i]);
	free(s->runs);
	*s = (struct merge_runs){ 0 };
}

static enum prof_status
merge_runs_push(struct merge_runs *s, struct merge_run *r,
    struct prof_error *err)
{
	if (ARRAY_ADD(s->runs, s->size, s->room, r))
		return PROF_OK;
	merge_run_free(r);
	return err_memory(err);
}

static enum prof_status
merge_fold_last(struct merge_runs *s, size_t first, struct prof_error *err)
{
	struct merge_run *into = merge_run_new(s->files, s->functions, err);

	if (into == NULL)
		return PROF_FAIL;
	into->level = s->runs[first]->level + 1;
	if (s->fold(s->arg, s, first, into, err) != PROF_OK ||
	    merge_run_end(into, err) != PROF_OK) {
		merge_run_free(into);
		return PROF_FAIL;
	}
	return merge_runs_push(s, into, err);
}

enum prof_status
merge_runs_add(struct merge_runs *s, struct merge_run *r,
    struct prof_error *err)
{
	if (merge_runs_push(s, r, err) != PROF_OK)
		return PROF_FAIL;
	while (s->size >= FOLD && s->runs[s->size - FOLD]->level ==
	    s->runs[s->size - 1]->level) {
		if (merge_fold_last(s, s->size - FOLD, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
merge_runs_narrow(struct merge_runs *s, struct prof_error *err)
{
	while (s->size > WIDTH) {
		size_t n = s->size - WIDTH + 1;

		if (merge_fold_last(s, s->size - (n < FOLD ? n : FOLD), err)
		    != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static bool
merge_run_precedes(const struct merge_run *a, const struct merge_run *b)
{
	int order = merge_compare_records(&a->now, &b->now);

	return order != 0 ? order < 0 : a->number < b->number;
}

/* Restores the heap of runs below i; the run with the first record is at 0. */
static void
merge_sift_runs(struct merge_run **heap, size_t size, size_t i)
{
	struct merge_run *r = heap[i];

	for (size_t child; (child = 2 * i + 1) < size; i = child) {
		if (child + 1 < size &&
		    merge_run_precedes(heap[child + 1], heap[child]))
			child++;
		if (!merge_run_precedes(heap[child], r))
			break;
		heap[i] = heap[child];
	}
	heap[i] = r;
}

static enum prof_status
merge_walk_heap(struct merge_run **heap, size_t size, merge_visit *visit,
    void *arg, struct prof_error *err)
{
	for (size_t i = size / 2; i > 0; i--)
		merge_sift_runs(heap, size, i - 1);
	while (size != 0) {
		enum prof_status status = visit(arg, heap[0], err);

		if (status == PROF_OK)
			status = merge_run_next(heap[0], err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		if (status == PROF_END)
			heap[0] = heap[--size];
		if (size != 0)
			merge_sift_runs(heap, size, 0);
	}
	return PROF_OK;
}

enum prof_status
merge_runs_walk(struct merge_runs *s, size_t first, merge_visit *visit,
    void *arg, struct prof_error *err)
{
	struct merge_run **heap = calloc(s->size + 1, sizeof(*heap));
	enum prof_status status = heap == NULL ? err_memory(err) : PROF_OK;
	size_t size = 0;

	for (size_t i = first; i < s->size && status != PROF_FAIL; i++) {
		struct merge_run *r = s->runs[i];

		r->number = i;
		status = merge_run_open(r, err);
		if (status == PROF_OK)
			status = merge_run_next(r, err);
		if (status == PROF_OK)
			heap[size++] = r;
	}
	if (status != PROF_FAIL)
		status = merge_walk_heap(heap, size, visit, arg, err);
	free(heap);
	if (status != PROF_OK)
		return PROF_FAIL;
	while (s->size > first)
		merge_run_free(s->runs[--s->size]);
	return PROF_OK;
}
