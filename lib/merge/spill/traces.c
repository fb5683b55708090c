/* Traces of a spill, put in the order of their names once these are known. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "merge/core/names.h"
#include "merge/core/order.h"
#include "merge/spill/spill.h"
#include "merge/spill/state.h"

/* Traces that are in memory, to be sorted and put to a run. */
struct trace_chunk {
	struct merge_spill *spill;
	struct merge_runs sorted;
	struct arena arena;
	struct prof_trace *traces;
	size_t size, room;
};

/* A copy of a trace, with the names that were found. */
static enum prof_status
merge_name_trace(struct merge_spill *s, const struct prof_trace *t,
    struct arena *a, struct prof_trace *out, struct prof_error *err)
{
	struct prof_symbol *f = arena_array(a, t->size, sizeof(*f));

	for (size_t i = 0; f != NULL && i < t->size; i++) {
		f[i] = t->functions[i];
		f[i].guid = prof_symbol_guid(&f[i]);
		if (f[i].name.data == NULL)
			f[i].name = symtab_name(&s->wanted, f[i].guid);
		else if ((f[i].name = arena_copy(a, f[i].name)).data == NULL)
			f = NULL;
	}
	*out = (struct prof_trace){ t->weight, f, t->size };
	return f == NULL ? err_memory(err) : PROF_OK;
}

/* Visits all records of a run, in its order. */
static enum prof_status
merge_run_each(struct merge_run *run, merge_visit *visit, void *arg,
    struct prof_error *err)
{
	enum prof_status status;

	if (merge_run_open(run, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = merge_run_next(run, err)) == PROF_OK) {
		if (visit(arg, run, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
merge_end_chunk(struct trace_chunk *c, struct prof_error *err)
{
	struct merge_run *run = merge_run_new(c->sorted.files, false, err);
	struct prof_record r = { .kind = PROF_REC_TRACE };
	enum prof_status status = run == NULL ? PROF_FAIL : PROF_OK;

	if (c->size != 0)
		qsort(c->traces, c->size, sizeof(*c->traces),
		    merge_compare_traces);
	for (size_t i = 0; i < c->size && status == PROF_OK; i++) {
		r.u.trace = c->traces[i];
		status = merge_run_put(run, &r, err);
	}
	c->size = 0;
	arena_free(&c->arena);
	if (status == PROF_OK)
		status = merge_run_end(run, err);
	if (status == PROF_OK)
		return merge_runs_add(&c->sorted, run, err);
	merge_run_free(run);
	return PROF_FAIL;
}

static enum prof_status
merge_gather_trace(void *arg, const struct merge_run *run,
    struct prof_error *err)
{
	struct trace_chunk *c = arg;

	if (!ARRAY_ROOM(c->traces, c->size, c->room))
		return err_memory(err);
	if (merge_name_trace(c->spill, &run->now.u.trace, &c->arena,
	    &c->traces[c->size++], err) != PROF_OK)
		return PROF_FAIL;
	return arena_size(&c->arena) + c->size * sizeof(*c->traces) <=
	    c->spill->limit ? PROF_OK : merge_end_chunk(c, err);
}

static enum prof_status
merge_copy_to_run(void *into, const struct merge_run *run,
    struct prof_error *err)
{
	return merge_run_put(into, &run->now, err);
}

static enum prof_status
merge_fold_traces(void *arg, struct merge_runs *runs, size_t first,
    struct merge_run *into, struct prof_error *err)
{
	(void)arg;
	return merge_runs_walk(runs, first, merge_copy_to_run, into, err);
}

/* Where sorted traces go to. */
struct trace_output {
	const struct merge *merge;
	struct prof_writer *writer;
};

static enum prof_status
merge_copy_out(void *arg, const struct merge_run *run, struct prof_error *err)
{
	const struct trace_output *to = arg;

	return merge_put(to->merge, to->writer, &run->now, err);
}

static enum prof_status
merge_put_sorted_traces(struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct trace_output to = { m, w };
	struct trace_chunk c = { .spill = s, .sorted = { .files = s->files,
	    .fold = merge_fold_traces } };
	enum prof_status status = PROF_FAIL;

	if (merge_run_each(s->traces, merge_gather_trace, &c, err) == PROF_OK &&
	    merge_end_chunk(&c, err) == PROF_OK &&
	    merge_runs_narrow(&c.sorted, err) == PROF_OK)
		status = merge_runs_walk(&c.sorted, 0, merge_copy_out, &to,
		    err);
	merge_runs_free(&c.sorted);
	arena_free(&c.arena);
	free(c.traces);
	return status;
}

/* If only one profile has traces, they stay in its order. */
struct unsorted_traces {
	const struct merge *merge;
	struct prof_writer *writer;
	struct arena arena;
};

static enum prof_status
merge_put_unsorted_trace(void *arg, const struct merge_run *run,
    struct prof_error *err)
{
	struct unsorted_traces *p = arg;
	struct prof_record r = { .kind = PROF_REC_TRACE };

	arena_reset(&p->arena);
	return merge_name_trace(p->merge->spill, &run->now.u.trace, &p->arena,
	    &r.u.trace, err) == PROF_OK ?
	    merge_put(p->merge, p->writer, &r, err) : PROF_FAIL;
}

enum prof_status
merge_spill_put_traces(struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct unsorted_traces p = { .merge = m, .writer = w };
	enum prof_status status;

	if (s->traces == NULL)
		return PROF_OK;
	if (merge_sorts_traces(m, o->traces_as_read))
		return merge_put_sorted_traces(m, w, err);
	status = merge_run_each(s->traces, merge_put_unsorted_trace, &p, err);
	arena_free(&p.arena);
	return status;
}
