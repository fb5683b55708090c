/*
 * A merge in bounded memory.
 *
 * When the functions of a sum take more than the limit, they are written to a
 * temporary file as a sorted run, a stream, which loses nothing, and the sum
 * begins anew (as sort(1) does it).  In the end the runs are merged function by
 * function.  The limit does not change the output.
 *
 * 16 runs of one level are merged into one of the next level, so that each
 * record is copied once a level; in the end at most 32 runs are left, which are
 * read side by side.
 *
 * These stay in memory: the head, binary ids, vtables, heap data, traces with
 * the names of their functions, functions without name, and the guids of
 * targets without name.  A name may come with a later run: then it decides
 * where in the order the function stands, so that names are searched for in all
 * runs before these are merged.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "merge/state.h"
#include "model/value_sites.h"

/* Runs of one level that are merged; runs that are read at a time. */
enum { FOLD = 16, WIDTH = 32 };

/* A batch ends at that many functions, or bytes if these are large. */
enum { BATCH = 512, BATCH_BYTES = 1 << 20 };

/* Marks of an entry that its record does not have. */
enum { MARK_CONFLICT = 1, MARK_SATURATED = 2, MARK_SHAPE = 4 };

/*
 * Sorted functions in a temporary file.  The weight of a trace holds the marks
 * of the function behind it, and vtables are names that no function of the run
 * has.
 */
struct merge_run {
	const struct merge_files *files;
	void *file;
	struct prof_writer *writer;	/* NULL: the run has ended */
	struct prof_reader *reader;	/* or NULL */
	unsigned level;			/* how often it was merged */
	size_t number;			/* among the runs that are walked */
	struct prof_record now;		/* being read */
	unsigned marks;			/* its marks */
};

struct merge_spill {
	const struct merge_files *files;
	size_t limit;			/* bytes */
	bool any;			/* something was spilled */
	struct merge_run **runs;	/* in the order of their creation */
	size_t size, room;
	size_t traces;			/* whose functions are wanted */
	struct merge *nameless;		/* sum of functions without name */
	struct merge *less;		/* to be subtracted, or NULL */
	/* Guids without name in one run, whose names may be in another. */
	struct symtab wanted;
	size_t unnamed;			/* of these, that have no name yet */
	struct arena arena;		/* of their names */
};

static void
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

/* A new run, for records to be put to; NULL on failure. */
static struct merge_run *
merge_run_new(const struct merge_files *files, struct prof_error *err)
{
	static const struct prof_target stream = { .format = "stream" };
	static const struct prof_record head = { .kind = PROF_REC_PROFILE };
	struct merge_run *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		err_memory(err);
		return NULL;
	}
	r->files = files;
	r->file = files->create(files->arg, err);
	if (r->file != NULL)
		r->writer = prof_writer_new(NULL, &stream, files->write,
		    r->file, err);
	if (r->writer != NULL && prof_put(r->writer, &head, err) == PROF_OK)
		return r;
	merge_run_free(r);
	return NULL;
}

static enum prof_status
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

/* Reads an ended run from its start, each time it is opened. */
static enum prof_status
merge_run_open(struct merge_run *r, struct prof_error *err)
{
	if (r->files->rewind(r->file, err) != PROF_OK)
		return PROF_FAIL;
	prof_close(r->reader);
	r->reader = prof_open_stream(NULL, r->files->pull, r->file, err);
	return r->reader == NULL ? PROF_FAIL :
	    prof_next(r->reader, &r->now, err);
}

/* Sets run->now and its marks, or returns PROF_END. */
static enum prof_status
merge_run_next(struct merge_run *r, struct prof_error *err)
{
	enum prof_status status = prof_next(r->reader, &r->now, err);

	r->marks = 0;
	if (status == PROF_OK && r->now.kind == PROF_REC_TRACE) {
		r->marks = (unsigned)r->now.u.trace.weight;
		status = prof_next(r->reader, &r->now, err);
	}
	if (status == PROF_OK && r->now.kind == PROF_REC_END)
		status = prof_next(r->reader, &r->now, err);
	if (status != PROF_OK) {
		prof_close(r->reader);
		r->reader = NULL;
	}
	return status;
}

static bool
merge_run_precedes(const struct merge_run *a, const struct merge_run *b)
{
	const struct prof_record *x = &a->now, *y = &b->now;
	int order = (x->kind > y->kind) - (x->kind < y->kind);

	if (order == 0 && x->kind == PROF_REC_FUNCTION)
		order = merge_compare_symbols(&x->u.function.symbol,
		    &y->u.function.symbol);
	if (order == 0 && x->kind == PROF_REC_FUNCTION)
		order = compare_u64(x->u.function.hash, y->u.function.hash);
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

/*
 * Functions of several runs, merged a batch at a time.  Runs are walked in
 * canonical order, and their functions added to a small sum.  Once that has
 * some hundreds of functions, they go to another run or to the writer, and the
 * sum is cleared.  All hashes of a name are in one batch, since
 * merge_output.sparse looks at them together.
 */
struct batch {
	struct merge *whole, *sum;
	struct merge_run **heap;	/* the one to be read next first */
	size_t size;
	struct merge_run *run;		/* where functions go; if NULL, to */
	struct prof_writer *writer;
	const struct merge_output *options;
	struct merge_notes *notes;
};

static bool
merge_want_name(struct merge_spill *s, uint64_t guid)
{
	static const struct prof_span unknown = { NULL, 0 };
	size_t before = s->wanted.size;

	if (guid == 0)
		return true;
	if (!symtab_add(&s->wanted, unknown, guid))
		return false;
	s->unnamed += s->wanted.size - before;
	return true;
}

static unsigned
merge_marks_of(const struct merge_entry *e)
{
	return (e->conflict ? MARK_CONFLICT : 0u) |
	    (e->other_shape ? MARK_SHAPE : 0u) |
	    (e->saturated ? MARK_SATURATED : 0u);
}

/* Restores marks of an earlier sum, whose record was just added. */
static void
merge_mark_entry(struct merge_entry *e, const struct prof_function *f,
    unsigned marks)
{
	if (marks & MARK_CONFLICT)
		e->conflict = true;
	if (marks & MARK_SHAPE)
		e->other_shape = true;
	if (marks & MARK_SATURATED && merge_entry_fits(e, f))
		e->saturated = true;
}

/*
 * Puts a function of a sum to a run, and before it the marks of its entry.  Of
 * the whole sum, targets without name are noted, whose names may be in another
 * run; and the place of a function without name in the order of names is not
 * known yet, so that the function stays in memory.
 */
static enum prof_status
merge_spill_entry(struct merge *m, const struct merge_entry *e,
    struct merge_run *run, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct prof_record r, note = { .kind = PROF_REC_TRACE };
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	if (merge_entry_record(m, e, &r, err) != PROF_OK)
		return PROF_FAIL;
	while (s != NULL &&
	    (v = value_next_target(&walk, r.u.function.values)) != NULL) {
		if (v->name.data == NULL && !merge_want_name(s, v->value))
			return err_memory(err);
	}
	if (s != NULL && e->name.size == 0) {
		if (!merge_want_name(s, e->guid))
			return err_memory(err);
		if (merge_add_function(&s->nameless->main_worker,
		    &r.u.function, &merge_unscaled, err) != PROF_OK)
			return PROF_FAIL;
		merge_mark_entry(merge_table_find(s->nameless, e->guid,
		    e->hash), &r.u.function, merge_marks_of(e));
		return PROF_OK;
	}
	note.u.trace.weight = merge_marks_of(e);
	if (note.u.trace.weight != 0 &&
	    prof_put(run->writer, &note, err) != PROF_OK)
		return PROF_FAIL;
	return prof_put(run->writer, &r, err);
}

/*
 * Puts the functions of a sum to a run and clears it.  If records were dropped,
 * or names came alone, the run gets all names of the sum: those that other runs
 * may want may be in no record of this run.
 */
static enum prof_status
merge_spill_entries(struct merge *m, struct merge_run *run,
    struct prof_error *err)
{
	struct merge_entry **sorted = merge_entries_sorted(m);
	enum prof_status status = sorted == NULL ? err_memory(err) : PROF_OK;
	struct prof_record r = { .kind = PROF_REC_VTABLE };
	bool lost = m->names_came;

	for (size_t i = 0; i < m->size && status == PROF_OK; i++) {
		lost = lost || sorted[i]->conflict;
		status = merge_spill_entry(m, sorted[i], run, err);
	}
	for (size_t i = 0; lost && i < m->names.size && status == PROF_OK;
	    i++) {
		r.u.vtable.symbol = m->names.symbols[i];
		if (r.u.vtable.symbol.name.size != 0)
			status = prof_put(run->writer, &r, err);
	}
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
merge_batch_flush(struct batch *b, struct prof_error *err)
{
	struct merge_entry **sorted;
	struct merge *less = b->whole->spill->less;
	enum prof_status status;

	if (b->run != NULL)
		return merge_spill_entries(b->sum, b->run, err);
	sorted = merge_entries_sorted(b->sum);
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

/* Adds a record, after a full batch was put if the record has another name. */
static enum prof_status
merge_batch_add(struct batch *b, const struct merge_run *run,
    struct prof_error *err)
{
	struct merge *m = b->sum;
	struct merge_names *names = b->whole->record_names;
	const struct prof_function *f = &run->now.u.function;
	const struct merge_entry *last = m->size == 0 ? NULL :
	    merge_entry_at(m, m->size - 1);

	if (run->now.kind != PROF_REC_FUNCTION) {
		/* A name that no function of its run has. */
		if (b->run != NULL)
			return prof_put(b->run->writer, &run->now, err);
		return names == NULL || merge_names_lose(names,
		    &run->now.u.vtable.symbol) ? PROF_OK : err_memory(err);
	}
	if (last != NULL && (last->name.size != 0 && f->symbol.name.size != 0 ?
	    prof_span_equal(last->name, f->symbol.name) :
	    last->name.size == f->symbol.name.size &&
	    last->guid == f->symbol.guid))
		m->main_worker.next = m->size - 1;	/* expected */
	else if ((m->size >= BATCH || merge_sum_memory(m) > BATCH_BYTES) &&
	    merge_batch_flush(b, err) != PROF_OK)
		return PROF_FAIL;
	if (merge_add_function(&m->main_worker, f, &merge_unscaled, err) !=
	    PROF_OK)
		return PROF_FAIL;
	merge_mark_entry(merge_entry_at(m, m->size - 1), f, run->marks);
	return PROF_OK;
}

/* Opens the runs from the first on and reads the first record of each. */
static enum prof_status
merge_batch_open(struct batch *b, const struct merge_spill *s, size_t first,
    struct prof_error *err)
{
	for (size_t i = first; i < s->size; i++) {
		enum prof_status status = merge_run_open(s->runs[i], err);

		s->runs[i]->number = i;
		if (status == PROF_OK)
			status = merge_run_next(s->runs[i], err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		if (status == PROF_OK)
			b->heap[b->size++] = s->runs[i];
	}
	for (size_t i = b->size / 2; i > 0; i--)
		merge_sift_runs(b->heap, b->size, i - 1);
	return PROF_OK;
}

/* Adds all records in canonical order, equal ones in the order of the runs. */
static enum prof_status
merge_batch_add_all(struct batch *b, struct prof_error *err)
{
	while (b->size != 0) {
		enum prof_status status = merge_batch_add(b, b->heap[0], err);

		if (status == PROF_OK)
			status = merge_run_next(b->heap[0], err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		if (status == PROF_END)
			b->heap[0] = b->heap[--b->size];
		if (b->size != 0)
			merge_sift_runs(b->heap, b->size, 0);
	}
	return merge_batch_flush(b, err);
}

/* Merges the runs from the first on, and frees them. */
static enum prof_status
merge_batch_walk(struct batch *b, size_t first, struct prof_error *err)
{
	struct merge_spill *s = b->whole->spill;
	enum prof_status status;

	b->heap = calloc(s->size + 1, sizeof(*b->heap));
	if (b->heap == NULL)
		return err_memory(err);
	b->sum = merge_sum_of_functions(err);
	if (b->sum == NULL) {
		free(b->heap);
		return PROF_FAIL;
	}
	b->sum->spilled_names = b->whole->spilled_names;
	b->sum->record_names = b->whole->record_names;
	b->sum->settles = b->whole->settles;
	status = merge_batch_open(b, s, first, err);
	if (status == PROF_OK)
		status = merge_batch_add_all(b, err);
	if (b->sum->head.extra_dropped)
		b->whole->head.extra_dropped = true;
	merge_sum_free(b->sum);
	free(b->heap);
	while (status == PROF_OK && s->size > first)
		merge_run_free(s->runs[--s->size]);
	return status;
}

enum prof_status
merge_spill_put_functions(struct merge *m, const struct merge_output *o,
    struct merge_notes *notes, struct prof_writer *w, struct prof_error *err)
{
	struct batch b = { .whole = m, .writer = w, .options = o,
	    .notes = notes };

	return merge_batch_walk(&b, 0, err);
}

static enum prof_status
merge_runs_push(struct merge_spill *s, struct merge_run *r,
    struct prof_error *err)
{
	if (ARRAY_ADD(s->runs, s->size, s->room, r))
		return PROF_OK;
	merge_run_free(r);
	return err_memory(err);
}

/* Merges the last n runs into one of the next level. */
static enum prof_status
merge_fold_last(struct merge *m, size_t n, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct merge_run *into = merge_run_new(s->files, err);
	struct batch b = { .whole = m, .run = into };

	if (into == NULL)
		return PROF_FAIL;
	into->level = s->runs[s->size - n]->level + 1;
	if (merge_batch_walk(&b, s->size - n, err) == PROF_OK &&
	    merge_run_end(into, err) == PROF_OK)
		return merge_runs_push(s, into, err);
	merge_run_free(into);
	return PROF_FAIL;
}

/* Adds a run of the functions of a sum, the whole one or the nameless. */
static enum prof_status
merge_spill_functions(struct merge *m, struct merge *sum,
    struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct merge_run *run = merge_run_new(s->files, err);

	if (run == NULL)
		return PROF_FAIL;
	if (merge_spill_entries(sum, run, err) != PROF_OK ||
	    merge_run_end(run, err) != PROF_OK) {
		merge_run_free(run);
		return PROF_FAIL;
	}
	if (merge_runs_push(s, run, err) != PROF_OK)
		return PROF_FAIL;
	while (s->size >= FOLD && s->runs[s->size - FOLD]->level ==
	    s->runs[s->size - 1]->level) {
		if (merge_fold_last(m, FOLD, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Names a wanted guid, unless it has a name. */
static enum prof_status
merge_supply_name(struct merge_spill *s, uint64_t guid, struct prof_span name,
    struct prof_error *err)
{
	struct prof_span *to;
	size_t i;

	if (name.size == 0 || s->unnamed == 0)
		return PROF_OK;
	i = symtab_find(&s->wanted, guid, NULL);
	if (i == SYMTAB_NONE)
		return PROF_OK;
	to = &s->wanted.symbols[i].name;
	if (to->data != NULL)
		return PROF_OK;
	*to = arena_copy(&s->arena, name);
	s->unnamed--;
	return to->data == NULL ? err_memory(err) : PROF_OK;
}

static enum prof_status
merge_supply_names(struct merge_spill *s, const struct prof_symbol *symbols,
    size_t n, struct prof_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (merge_supply_name(s, prof_symbol_guid(&symbols[i]),
		    symbols[i].name, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Supplies the names that a record has. */
static enum prof_status
merge_search_record(struct merge_spill *s, const struct prof_record *r,
    struct prof_error *err)
{
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	if (r->kind == PROF_REC_VTABLE)
		return merge_supply_names(s, &r->u.vtable.symbol, 1, err);
	if (r->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	if (merge_supply_names(s, &r->u.function.symbol, 1, err) != PROF_OK)
		return PROF_FAIL;
	while ((v = value_next_target(&walk, r->u.function.values)) != NULL) {
		if (merge_supply_name(s, v->value, v->name, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
merge_search_run(struct merge_spill *s, struct merge_run *run,
    struct prof_error *err)
{
	enum prof_status status = merge_run_open(run, err);

	while (status == PROF_OK &&
	    (status = merge_run_next(run, err)) == PROF_OK)
		status = merge_search_record(s, &run->now, err);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/*
 * Searches all runs for the names that are wanted, also for those of nameless
 * functions.
 */
static enum prof_status
merge_spill_names(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	const struct symtab *nameless = &s->nameless->names;

	if (merge_supply_names(s, m->vtables.symbols, m->vtables.size, err)
	    != PROF_OK || merge_supply_names(s, nameless->symbols,
	    nameless->size, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < s->size && s->unnamed != 0; i++) {
		if (merge_search_run(s, s->runs[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	merge_table_name_entries(s->nameless, &s->wanted);
	return PROF_OK;
}

enum prof_status
merge_spill_to(struct merge *m, size_t bytes, const struct merge_files *files,
    struct prof_error *err)
{
	struct merge_spill *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return err_memory(err);
	s->files = files;
	s->limit = bytes;
	s->nameless = merge_sum_of_functions(err);
	m->spill = s;
	return s->nameless == NULL ? PROF_FAIL : PROF_OK;
}

void
merge_spill_free(struct merge_spill *s)
{
	for (size_t i = 0; i < s->size; i++)
		merge_run_free(s->runs[i]);
	free(s->runs);
	merge_sum_free(s->nameless);
	symtab_free(&s->wanted);
	arena_free(&s->arena);
	free(s);
}

bool
merge_has_spilled(const struct merge *m)
{
	return m->spill != NULL && m->spill->any;
}

void
merge_spill_subtract(struct merge *m, struct merge *less)
{
	m->spill->less = less;
}

/* Keeps the names of the functions of traces, as far as they are known. */
static enum prof_status
merge_keep_trace_names(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;

	for (; s->traces < m->traces_size; s->traces++) {
		const struct merge_trace *t = &m->traces[s->traces];

		for (size_t i = 0; i < t->size; i++) {
			const struct prof_symbol f = merge_symbol(m,
			    t->guids[i]);

			if (!merge_want_name(s, f.guid))
				return err_memory(err);
			if (merge_supply_names(s, &f, 1, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

static enum prof_status
merge_spill_all(struct merge *m, struct prof_error *err)
{
	m->spill->any = true;
	if (!merge_table_list_names(m))
		return err_memory(err);
	if (merge_keep_trace_names(m, err) != PROF_OK ||
	    ((m->size != 0 || m->names_came) &&
	    merge_spill_functions(m, m, err) != PROF_OK))
		return PROF_FAIL;
	merge_sum_clear(m);
	return PROF_OK;
}

enum prof_status
merge_spill_check(struct merge *m, struct prof_error *err)
{
	return merge_sum_memory(m) <= m->spill->limit ? PROF_OK :
	    merge_spill_all(m, err);
}

/*
 * Nameless functions whose names were found come in the order of names, the
 * others before all names.
 */
enum prof_status
merge_spill_end(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;

	if (merge_spill_all(m, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < m->vtables.size; i++) {
		if (m->vtables.symbols[i].name.data == NULL &&
		    !merge_want_name(s, m->vtables.symbols[i].guid))
			return err_memory(err);
	}
	if (merge_spill_names(m, err) != PROF_OK ||
	    (s->nameless->size != 0 &&
	    merge_spill_functions(m, s->nameless, err) != PROF_OK))
		return PROF_FAIL;
	m->spilled_names = &s->wanted;
	while (s->size > WIDTH) {
		size_t n = s->size - WIDTH + 1;

		if (merge_fold_last(m, n < FOLD ? n : FOLD, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}
