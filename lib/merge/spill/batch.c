#include "merge/spill/batch.h"

#include <stdlib.h>

#include "base/error.h"
#include "merge/spill/engine.h"

/* Functions, unless they are large, and bytes of a batch. */
enum { BATCH = 512, BATCH_BYTES = 1 << 20 };

struct batch {
	struct merge *whole, *sum;
	struct merge_run *run;		/* where they go, or NULL: */
	struct prof_writer *writer;
	const struct merge_output *options;
	struct merge_notes *notes;
};

struct merge *
merge_batch_sum(struct prof_error *err)
{
	static const struct prof_record head = { .kind = PROF_REC_PROFILE };
	struct merge *m = merge_new(NULL, NULL);

	if (m == NULL)
		err_memory(err);
	else if (merge_add(m, &head, NULL, err) == PROF_OK)
		return m;
	merge_free(m);
	return NULL;
}

enum prof_status
merge_batch_put(struct merge_run *run, const struct merge_entry *e,
    const struct prof_record *r, struct prof_error *err)
{
	struct prof_record note = { .kind = PROF_REC_TRACE };

	note.u.trace.weight = (e->misfit ? MERGE_NOTE_MISFIT : 0u) |
	    (e->saturated ? MERGE_NOTE_SATURATED : 0u);
	if (note.u.trace.weight != 0 &&
	    merge_run_put(run, &note, err) != PROF_OK)
		return PROF_FAIL;
	return merge_run_put(run, r, err);
}

enum prof_status
merge_batch_put_names(struct merge_run *run, const struct symtab *names,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_VTABLE };

	for (size_t i = 0; i < names->size; i++) {
		r.u.vtable.symbol = names->symbols[i];
		if (names->symbols[i].name.size != 0 &&
		    merge_run_put(run, &r, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
merge_batch_spill(struct merge *m, struct merge_run *run,
    struct prof_error *err)
{
	struct merge_entry **sorted = merge_sorted(m);
	enum prof_status status = sorted == NULL ? err_memory(err) : PROF_OK;
	bool misfits = false;

	for (size_t i = 0; i < m->size && status == PROF_OK; i++) {
		struct prof_record r;

		misfits = misfits || sorted[i]->misfit;
		status = merge_record(m, sorted[i], &r, err);
		if (status == PROF_OK)
			status = merge_batch_put(run, sorted[i], &r, err);
	}
	if (status == PROF_OK && misfits)
		status = merge_batch_put_names(run, &m->names, err);
	free(sorted);
	if (status == PROF_OK)
		merge_clear(m);
	return status;
}

static enum prof_status
put_out(struct batch *b, struct prof_error *err)
{
	struct merge_entry **sorted = merge_sorted(b->sum);
	struct merge *less = b->whole->spill->less;
	enum prof_status status;

	if (sorted == NULL)
		return err_memory(err);
	for (size_t i = 0; i < b->sum->size; i++) {
		if (less != NULL)
			merge_subtract_from(sorted[i], less);
		merge_note(b->notes, sorted[i]);
	}
	status = merge_put_functions(b->sum, sorted, b->options, b->writer,
	    err);
	free(sorted);
	merge_clear(b->sum);
	return status;
}

static enum prof_status
flush(struct batch *b, struct prof_error *err)
{
	return b->run != NULL ? merge_batch_spill(b->sum, b->run, err) :
	    put_out(b, err);
}

/* Whether it has the name of the entry, or, if there is none, its guid. */
static bool
is_of(const struct merge_entry *e, const struct prof_symbol *s)
{
	if (e->name.size == 0 || s->name.size == 0)
		return e->name.size == s->name.size && e->guid == s->guid;
	return prof_span_equal(e->name, s->name);
}

/* Marks of what an earlier sum said of the record that was added last. */
static void
mark(struct merge_entry *e, const struct prof_function *f, unsigned notes)
{
	if (notes & MERGE_NOTE_MISFIT)
		e->misfit = true;
	if (notes & MERGE_NOTE_SATURATED && merge_fits(e, f))
		e->saturated = true;
}

/* All hashes of a name are put together: --sparse looks at all of them. */
static enum prof_status
take(void *arg, const struct merge_run *run, struct prof_error *err)
{
	struct batch *b = arg;
	struct merge *m = b->sum;
	const struct prof_function *f = &run->now.u.function;
	struct merge_entry *last;

	if (run->now.kind != PROF_REC_FUNCTION)
		return b->run == NULL ? PROF_OK :
		    merge_run_put(b->run, &run->now, err);
	last = m->size == 0 ? NULL : merge_entry_at(m, m->size - 1);
	if (last != NULL && is_of(last, &f->symbol))
		m->first.next = m->size - 1;	/* which it will mostly be */
	else if ((m->size >= BATCH || merge_memory(m) > BATCH_BYTES) &&
	    flush(b, err) != PROF_OK)
		return PROF_FAIL;
	if (merge_add(m, &run->now, NULL, err) != PROF_OK)
		return PROF_FAIL;
	if (run->notes != 0)
		mark(merge_entry_at(m, m->size - 1), f, run->notes);
	return PROF_OK;
}

static enum prof_status
walk(struct batch *b, struct merge_runs *runs, size_t first,
    struct prof_error *err)
{
	enum prof_status status = PROF_FAIL;

	b->sum = merge_batch_sum(err);
	if (b->sum == NULL)
		return PROF_FAIL;
	b->sum->elsewhere = b->whole->elsewhere;
	if (merge_runs_walk(runs, first, take, b, err) == PROF_OK)
		status = flush(b, err);
	if (b->sum->head.extra_dropped)
		b->whole->head.extra_dropped = true;
	merge_free(b->sum);
	return status;
}

enum prof_status
merge_batch_fold(void *arg, struct merge_runs *runs, size_t first,
    struct merge_run *into, struct prof_error *err)
{
	struct batch b = { .whole = arg, .run = into };

	return walk(&b, runs, first, err);
}

enum prof_status
merge_spill_put_functions(struct merge *m, const struct merge_output *o,
    struct merge_notes *notes, struct prof_writer *w, struct prof_error *err)
{
	struct batch b = { .whole = m, .writer = w, .options = o,
	    .notes = notes };

	return walk(&b, &m->spill->functions, 0, err);
}
