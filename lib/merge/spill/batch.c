#include "merge/spill/batch.h"

#include <stdlib.h>

#include "base/error.h"
#include "merge/core/names.h"
#include "merge/functions/class.h"
#include "merge/functions/entries.h"
#include "merge/functions/function.h"
#include "merge/functions/sum.h"
#include "merge/spill/spill.h"
#include "merge/spill/state.h"

/* A batch ends at that many functions, or bytes if these are large. */
enum { BATCH = 512, BATCH_BYTES = 1 << 20 };

struct batch {
	struct merge *whole, *sum;
	struct merge_run *run;		/* where functions go; if NULL, to */
	struct prof_writer *writer;
	const struct merge_output *options;
	struct merge_notes *notes;
};

enum prof_status
merge_batch_add(struct merge *m, const struct prof_function *f,
    struct prof_error *err)
{
	static const struct merge_factor once = { 1, 1 };

	return merge_add_function(&m->main_worker, f, &once, err);
}

enum prof_status
merge_batch_put(struct merge_run *run, const struct merge_entry *e,
    const struct prof_record *r, struct prof_error *err)
{
	struct prof_record note = { .kind = PROF_REC_TRACE };

	note.u.trace.weight = (e->conflict ? MERGE_NOTE_CONFLICT : 0u) |
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
	struct merge_entry **sorted = merge_entries_sorted(m);
	enum prof_status status = sorted == NULL ? err_memory(err) : PROF_OK;
	bool conflicts = false;

	for (size_t i = 0; i < m->size && status == PROF_OK; i++) {
		struct prof_record r;

		conflicts = conflicts || sorted[i]->conflict;
		status = merge_entry_record(m, sorted[i], &r, err);
		if (status == PROF_OK)
			status = merge_batch_put(run, sorted[i], &r, err);
	}
	if (status == PROF_OK && conflicts)
		status = merge_batch_put_names(run, &m->names, err);
	free(sorted);
	if (status == PROF_OK)
		merge_sum_clear(m);
	return status;
}

/*
 * Remembers names that the batch may not put: of an entry that is left out, and
 * of all entries if records of some were dropped, or values subtracted.
 */
static bool
merge_batch_lose_names(const struct batch *b)
{
	struct merge_names *names = b->sum->record_names;
	bool lost = b->whole->spill->less != NULL, kept = true;

	for (size_t i = 0; i < b->sum->size && kept; i++) {
		const struct merge_entry *e = merge_entry_at(b->sum, i);
		const struct prof_symbol s = { e->name, e->guid };

		lost = lost || e->conflict;
		if (b->options->sparse && merge_entry_is_empty(e))
			kept = merge_names_lose(names, &s);
	}
	for (size_t i = 0; i < b->sum->names.size && lost && kept; i++)
		kept = merge_names_lose(names, &b->sum->names.symbols[i]);
	return kept;
}

static enum prof_status
merge_batch_write(struct batch *b, struct prof_error *err)
{
	struct merge_entry **sorted = merge_entries_sorted(b->sum);
	struct merge *less = b->whole->spill->less;
	enum prof_status status;

	if (sorted == NULL)
		return err_memory(err);
	for (size_t i = 0; i < b->sum->size; i++) {
		if (less != NULL)
			merge_subtract_entry(sorted[i], less);
		merge_note(b->notes, sorted[i]);
	}
	status = merge_put_entries(b->sum, sorted, b->options, b->writer,
	    err);
	if (status == PROF_OK && b->sum->record_names != NULL &&
	    !merge_batch_lose_names(b))
		status = err_memory(err);
	free(sorted);
	merge_sum_clear(b->sum);
	return status;
}

static enum prof_status
merge_batch_flush(struct batch *b, struct prof_error *err)
{
	return b->run != NULL ? merge_batch_spill(b->sum, b->run, err) :
	    merge_batch_write(b, err);
}

/* Whether the entry has that name, or that guid if both have no name. */
static bool
merge_has_name(const struct merge_entry *e, const struct prof_symbol *s)
{
	if (e->name.size == 0 || s->name.size == 0)
		return e->name.size == s->name.size && e->guid == s->guid;
	return prof_span_equal(e->name, s->name);
}

/* Restores marks of an earlier sum, whose record was just added. */
static void
merge_mark_entry(struct merge_entry *e, const struct prof_function *f,
    unsigned notes)
{
	if (notes & MERGE_NOTE_CONFLICT)
		e->conflict = true;
	if (notes & MERGE_NOTE_SATURATED && merge_entry_fits(e, f))
		e->saturated = true;
}

/* A name that no function of its run has. */
static enum prof_status
merge_batch_pass_name(struct batch *b, const struct merge_run *run,
    struct prof_error *err)
{
	struct merge_names *names = b->whole->record_names;

	if (b->run != NULL)
		return merge_run_put(b->run, &run->now, err);
	return names == NULL || merge_names_lose(names,
	    &run->now.u.vtable.symbol) ? PROF_OK : err_memory(err);
}

/* Adds a record, after a full batch was put if the record has another name. */
static enum prof_status
merge_batch_visit(void *arg, const struct merge_run *run,
    struct prof_error *err)
{
	struct batch *b = arg;
	struct merge *m = b->sum;
	const struct prof_function *f = &run->now.u.function;
	struct merge_entry *last;

	if (run->now.kind != PROF_REC_FUNCTION)
		return merge_batch_pass_name(b, run, err);
	last = m->size == 0 ? NULL : merge_entry_at(m, m->size - 1);
	if (last != NULL && merge_has_name(last, &f->symbol))
		m->main_worker.next = m->size - 1;	/* expected */
	else if ((m->size >= BATCH || merge_sum_memory(m) > BATCH_BYTES) &&
	    merge_batch_flush(b, err) != PROF_OK)
		return PROF_FAIL;
	if (merge_batch_add(m, f, err) != PROF_OK)
		return PROF_FAIL;
	if (run->notes != 0)
		merge_mark_entry(merge_entry_at(m, m->size - 1), f, run->notes);
	return PROF_OK;
}

static enum prof_status
merge_batch_walk(struct batch *b, struct merge_runs *runs, size_t first,
    struct prof_error *err)
{
	enum prof_status status = PROF_FAIL;

	b->sum = merge_sum_of_functions(err);
	if (b->sum == NULL)
		return PROF_FAIL;
	b->sum->spilled_names = b->whole->spilled_names;
	b->sum->record_names = b->whole->record_names;
	b->sum->settles = b->whole->settles;
	if (merge_runs_walk(runs, first, merge_batch_visit, b, err) == PROF_OK)
		status = merge_batch_flush(b, err);
	if (b->sum->head.extra_dropped)
		b->whole->head.extra_dropped = true;
	merge_sum_free(b->sum);
	return status;
}

enum prof_status
merge_batch_fold(void *arg, struct merge_runs *runs, size_t first,
    struct merge_run *into, struct prof_error *err)
{
	struct batch b = { .whole = arg, .run = into };

	return merge_batch_walk(&b, runs, first, err);
}

enum prof_status
merge_spill_put_functions(struct merge *m, const struct merge_output *o,
    struct merge_notes *notes, struct prof_writer *w, struct prof_error *err)
{
	struct batch b = { .whole = m, .writer = w, .options = o,
	    .notes = notes };

	return merge_batch_walk(&b, &m->spill->functions, 0, err);
}
