/*
 * A merge in bounded memory.
 *
 * When the functions and traces of a sum take more than the limit, they are
 * written to a temporary file as a sorted run, a stream, which loses nothing,
 * and the sum begins anew (as sort(1) does it).  In the end the runs are merged
 * function by function.  The output is the same to the byte.
 *
 * 16 runs of one level are merged into one of the next level, so that each
 * record is copied once a level; in the end at most 32 runs are left, which are
 * read side by side.
 *
 * These stay in memory: the head, binary ids, vtables, heap data, functions
 * without name, and the guids of targets without name.  A name may come with a
 * later run: then it decides where in the order the function stands, so that
 * names are searched for in all runs before these are merged.
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
enum { MARK_CONFLICT = 1, MARK_SATURATED = 2 };

/*
 * Sorted records in a temporary file.  In a run of functions, the weight of a
 * trace holds the marks of the function behind it, and vtables are names that
 * no function of the run has.
 */
struct merge_run {
	const struct merge_files *files;
	void *file;
	struct prof_writer *writer;	/* NULL: the run has ended */
	struct prof_reader *reader;	/* or NULL */
	unsigned level;			/* how often it was merged */
	size_t number;			/* among the runs that are walked */
	bool functions;
	struct prof_record now;		/* being read */
	unsigned marks;			/* its marks */
};

/* Is called with each record, run->now. */
typedef enum prof_status merge_visit(void *arg, const struct merge_run *,
    struct prof_error *);

struct merge_runs {
	const struct merge_files *files;
	bool functions;
	struct merge *merge;
	struct merge_run **runs;	/* in the order of their creation */
	size_t size, room;
};

struct merge_spill {
	const struct merge_files *files;
	size_t limit;			/* bytes */
	bool any;			/* something was spilled */
	struct merge_runs functions;
	struct merge_run *traces;	/* in the order they came, or NULL */
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
	if (status == PROF_OK && r->functions &&
	    r->now.kind == PROF_REC_TRACE) {
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

static void
merge_runs_free(struct merge_runs *s)
{
	for (size_t i = 0; i < s->size; i++)
		merge_run_free(s->runs[i]);
	free(s->runs);
	*s = (struct merge_runs){ 0 };
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

/*
 * Visits all records of the runs from the first on, in canonical order, equal
 * ones in the order of the runs; then frees these runs.
 */
static enum prof_status
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

/*
 * Functions of several runs, merged a batch at a time.  Runs are walked in
 * canonical order, and their functions added to a small sum.  Once that has
 * some hundreds of functions, they go to another run or to the writer, and the
 * sum is cleared.  All hashes of a name are in one batch, since
 * merge_output.sparse looks at them together.
 */
struct batch {
	struct merge *whole, *sum;
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
	    (e->saturated ? MARK_SATURATED : 0u);
}

/* Restores marks of an earlier sum, whose record was just added. */
static void
merge_mark_entry(struct merge_entry *e, const struct prof_function *f,
    unsigned marks)
{
	if (marks & MARK_CONFLICT)
		e->conflict = true;
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
merge_batch_visit(void *arg, const struct merge_run *run,
    struct prof_error *err)
{
	struct batch *b = arg;
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
merge_spill_put_functions(struct merge *m, const struct merge_output *o,
    struct merge_notes *notes, struct prof_writer *w, struct prof_error *err)
{
	struct batch b = { .whole = m, .writer = w, .options = o,
	    .notes = notes };

	return merge_batch_walk(&b, &m->spill->functions, 0, err);
}

static enum prof_status
merge_copy_to_run(void *into, const struct merge_run *run,
    struct prof_error *err)
{
	return prof_put(((struct merge_run *)into)->writer, &run->now, err);
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

/* Merges the runs from the first on into one of the next level. */
static enum prof_status
merge_fold_last(struct merge_runs *s, size_t first, struct prof_error *err)
{
	struct merge_run *into = merge_run_new(s->files, s->functions, err);
	struct batch b = { .whole = s->merge, .run = into };
	enum prof_status status;

	if (into == NULL)
		return PROF_FAIL;
	into->level = s->runs[first]->level + 1;
	status = s->functions ? merge_batch_walk(&b, s, first, err) :
	    merge_runs_walk(s, first, merge_copy_to_run, into, err);
	if (status == PROF_OK && merge_run_end(into, err) == PROF_OK)
		return merge_runs_push(s, into, err);
	merge_run_free(into);
	return PROF_FAIL;
}

/* Ends a run and adds it; frees it on failure, also on an earlier one. */
static enum prof_status
merge_runs_add(struct merge_runs *s, struct merge_run *run,
    enum prof_status status, struct prof_error *err)
{
	if (status != PROF_OK || merge_run_end(run, err) != PROF_OK) {
		merge_run_free(run);
		return PROF_FAIL;
	}
	if (merge_runs_push(s, run, err) != PROF_OK)
		return PROF_FAIL;
	while (s->size >= FOLD && s->runs[s->size - FOLD]->level ==
	    s->runs[s->size - 1]->level) {
		if (merge_fold_last(s, s->size - FOLD, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Merges runs until there are no more than can be read at a time. */
static enum prof_status
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

/*
 * Traces that are in memory, to be put in the order of their names once these
 * are known: sorted runs of as many as the limit admits are merged.
 */
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
		status = prof_put(run->writer, &r, err);
	}
	c->size = 0;
	arena_free(&c->arena);
	return merge_runs_add(&c->sorted, run, status, err);
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

/* Where traces go to in the end. */
struct trace_output {
	const struct merge *merge;
	struct prof_writer *writer;
	struct arena arena;
};

static enum prof_status
merge_put_sorted_trace(void *arg, const struct merge_run *run,
    struct prof_error *err)
{
	const struct trace_output *to = arg;

	return merge_put(to->merge, to->writer, &run->now, err);
}

static enum prof_status
merge_put_unsorted_trace(void *arg, const struct merge_run *run,
    struct prof_error *err)
{
	struct trace_output *to = arg;
	struct prof_record r = { .kind = PROF_REC_TRACE };

	arena_reset(&to->arena);
	return merge_name_trace(to->merge->spill, &run->now.u.trace,
	    &to->arena, &r.u.trace, err) == PROF_OK ?
	    merge_put(to->merge, to->writer, &r, err) : PROF_FAIL;
}

/* If only one profile has traces, they stay in its order. */
enum prof_status
merge_spill_put_traces(struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct trace_output to = { .merge = m, .writer = w };
	struct trace_chunk c = { .spill = s, .sorted.files = s->files };
	enum prof_status status = PROF_OK;

	if (s->traces == NULL)
		return PROF_OK;
	if (!merge_sorts_traces(m, o->traces_as_read))
		status = merge_run_each(s->traces, merge_put_unsorted_trace,
		    &to, err);
	else if (merge_run_each(s->traces, merge_gather_trace, &c, err) !=
	    PROF_OK || merge_end_chunk(&c, err) != PROF_OK ||
	    merge_runs_narrow(&c.sorted, err) != PROF_OK ||
	    merge_runs_walk(&c.sorted, 0, merge_put_sorted_trace, &to, err) !=
	    PROF_OK)
		status = PROF_FAIL;
	merge_runs_free(&c.sorted);
	arena_free(&c.arena);
	arena_free(&to.arena);
	free(c.traces);
	return status;
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
merge_search_record(void *arg, const struct merge_run *run,
    struct prof_error *err)
{
	struct merge_spill *s = arg;
	const struct prof_record *r = &run->now;
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	if (r->kind == PROF_REC_TRACE)
		return merge_supply_names(s, r->u.trace.functions,
		    r->u.trace.size, err);
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
	if (s->traces != NULL && s->unnamed != 0 && merge_run_each(s->traces,
	    merge_search_record, s, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < s->functions.size && s->unnamed != 0; i++) {
		if (merge_run_each(s->functions.runs[i], merge_search_record,
		    s, err) != PROF_OK)
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
	s->functions = (struct merge_runs){ .files = files,
	    .functions = true, .merge = m };
	m->spill = s;
	return s->nameless == NULL ? PROF_FAIL : PROF_OK;
}

void
merge_spill_free(struct merge_spill *s)
{
	if (s == NULL)
		return;
	merge_runs_free(&s->functions);
	merge_run_free(s->traces);
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

/* A run of the functions of a sum, the whole one or the nameless. */
static enum prof_status
merge_spill_functions(struct merge_spill *s, struct merge *sum,
    struct prof_error *err)
{
	struct merge_run *run = merge_run_new(s->files, true, err);

	return run == NULL ? PROF_FAIL : merge_runs_add(&s->functions, run,
	    merge_spill_entries(sum, run, err), err);
}

/*
 * Traces are spilled in the order they came: their canonical order is that of
 * names, which may not be known yet.
 */
static enum prof_status
merge_spill_traces(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;

	if (m->traces_size != 0 && s->traces == NULL)
		s->traces = merge_run_new(s->files, false, err);
	if (m->traces_size != 0 && s->traces == NULL)
		return PROF_FAIL;
	for (size_t i = 0; i < m->traces_size; i++) {
		const struct merge_trace *t = &m->traces[i];
		struct prof_record r = { .kind = PROF_REC_TRACE };
		struct prof_symbol *f;

		arena_reset(&m->scratch);
		f = arena_array(&m->scratch, t->size, sizeof(*f));
		if (f == NULL)
			return err_memory(err);
		for (size_t k = 0; k < t->size; k++) {
			f[k] = merge_symbol(m, t->guids[k]);
			if (f[k].name.data == NULL &&
			    !merge_want_name(s, t->guids[k]))
				return err_memory(err);
		}
		r.u.trace = (struct prof_trace){ t->weight, f, t->size };
		if (prof_put(s->traces->writer, &r, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
merge_spill_all(struct merge *m, struct prof_error *err)
{
	m->spill->any = true;
	if (!merge_table_list_names(m))
		return err_memory(err);
	if (merge_spill_traces(m, err) != PROF_OK ||
	    ((m->size != 0 || m->names_came) &&
	    merge_spill_functions(m->spill, m, err) != PROF_OK))
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

	if (merge_spill_all(m, err) != PROF_OK ||
	    (s->traces != NULL && merge_run_end(s->traces, err) != PROF_OK))
		return PROF_FAIL;
	for (size_t i = 0; i < m->vtables.size; i++) {
		if (m->vtables.symbols[i].name.data == NULL &&
		    !merge_want_name(s, m->vtables.symbols[i].guid))
			return err_memory(err);
	}
	if (merge_spill_names(m, err) != PROF_OK ||
	    (s->nameless->size != 0 &&
	    merge_spill_functions(s, s->nameless, err) != PROF_OK))
		return PROF_FAIL;
	m->spilled_names = &s->wanted;
	return merge_runs_narrow(&s->functions, err);
}
