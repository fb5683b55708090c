/* Sums of profiles, their totals, and what differs between two of them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/codec.h"
#include "io/scratch.h"
#include "io/temporary.h"
#include "libprof/private.h"
#include "merge/merge.h"
#include "model/record.h"
#include "ops/diff/heap.h"
#include "ops/diff/overlap.h"
#include "ops/figures.h"
#include "ops/heap/view.h"

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

struct prof *
sum_owner(const struct prof_sum *sum)
{
	return sum->p;
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
	struct prof_error *err = &p->problem.error;
	enum prof_status status;

	problem_begin(p);
	if (misuse == NULL && input_owner(in) != p)
		misuse = "the input belongs to another struct prof";
	if (misuse == NULL && input_is_begun(in))
		misuse = "the input has been read already";
	if (misuse != NULL)
		return problem_use(p, misuse);
	while ((status = input_step(in, true, err)) == PROF_OK) {
		const struct prof_record *r = input_record(in);

		sum->profiles += r->kind == PROF_REC_PROFILE;
		if (merge_add(sum->merge, r, &weight, err) != PROF_OK)
			break;
	}
	return sum_added(sum, status == PROF_END ? PROF_OK : PROF_FAIL);
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
	sum->profiles += item->kind == PROF_ITEM_PROFILE;
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

/* The sum over all contexts, made when a figure of the heap is asked for. */
struct heap_totals {
	struct heap_figures sum;
	bool made;			/* and nothing was added since */
};

struct prof_figures {
	struct prof *p;
	struct figures totals;
	struct heap_view *view;
	struct heap_totals *heap;	/* apart: prof_figures_get makes it */
	struct prof_header header;	/* of the profile being added */
	struct item_order order;
};

struct prof_figures *
prof_figures_new(struct prof *p)
{
	struct prof_figures *g = calloc(1, sizeof(*g));

	problem_begin(p);
	if (g != NULL) {
		g->p = p;
		g->view = heap_view_new(false);
		g->heap = calloc(1, sizeof(*g->heap));
	}
	if (g != NULL && g->view != NULL && g->heap != NULL)
		return g;
	prof_figures_free(g);
	problem_memory(p);
	return NULL;
}

int
prof_figures_add(struct prof_figures *g, const struct prof_item *item)
{
	const struct prof_record *r = item_record(item);
	struct prof *p = g->p;

	problem_begin(p);
	if (item_check(&g->order, item, &p->problem.error) != PROF_OK)
		return problem_fail(p);
	/* Figures need level and kind of the header, which are no pointers. */
	if (item->kind == PROF_ITEM_PROFILE)
		g->header = r->u.profile;
	g->heap->made = false;
	if (!figures_add(&g->totals, &g->header, r))
		return problem_memory(p);
	return problem_result(p, heap_view_add(g->view, r,
	    &p->problem.error));
}

static const struct heap_figures *
figures_of_heap(const struct prof_figures *g)
{
	struct heap_totals *t = g->heap;

	if (!t->made) {
		const struct heap heap = heap_view_get(g->view);

		t->sum = heap_figures_of(&heap, false);
		t->made = true;
	}
	return &t->sum;
}

uint64_t
prof_figures_get(const struct prof_figures *g, enum prof_figure figure)
{
	static const struct heap_figures none;
	const struct figures *t = &g->totals;
	const struct summary *s = &t->summary;
	const struct heap_figures *h = figure >= PROF_FIG_HEAP_CONTEXTS ?
	    figures_of_heap(g) : &none;
	const uint64_t figures[] = {
		[PROF_FIG_FUNCTIONS] = t->functions,
		[PROF_FIG_ZERO_FUNCTIONS] = t->zero_functions,
		[PROF_FIG_PSEUDO_FUNCTIONS] = t->pseudo_functions,
		[PROF_FIG_CONTEXT_SENSITIVE] = t->context_sensitive,
		[PROF_FIG_NAMELESS] = t->nameless,
		[PROF_FIG_COUNTERS] = s->blocks,
		[PROF_FIG_ZERO_COUNTERS] = t->zero_counters,
		[PROF_FIG_TOTAL_COUNT] = s->total_block_count,
		[PROF_FIG_MAX_COUNT] = s->max_block_count,
		[PROF_FIG_MAX_FUNCTION_COUNT] = s->max_function_count,
		[PROF_FIG_MAX_INTERNAL_COUNT] = s->max_internal_block_count,
		[PROF_FIG_CALL_SITES] = t->sites[PROF_INDIRECT_CALL_TARGET],
		[PROF_FIG_CALL_TARGETS] = t->values[PROF_INDIRECT_CALL_TARGET],
		[PROF_FIG_MEM_OP_SITES] = t->sites[PROF_MEM_OP_SIZE],
		[PROF_FIG_MEM_OP_SIZES] = t->values[PROF_MEM_OP_SIZE],
		[PROF_FIG_VTABLE_SITES] = t->sites[PROF_VTABLE_TARGET],
		[PROF_FIG_VTABLE_TARGETS] = t->values[PROF_VTABLE_TARGET],
		[PROF_FIG_BITMAP_BYTES] = t->bitmap_bytes,
		[PROF_FIG_RAW_COUNTERS] = t->raw_counters,
		[PROF_FIG_BINARIES] = t->binary_ids,
		[PROF_FIG_VTABLES] = t->vtables,
		[PROF_FIG_TRACES] = t->traces,
		[PROF_FIG_DATA_ACCESSES] = t->data_accesses,
		[PROF_FIG_COLD_SYMBOLS] = t->cold_symbols,
		[PROF_FIG_COLD_LITERALS] = t->cold_literals,
		[PROF_FIG_HEAP_CONTEXTS] = h->contexts,
		[PROF_FIG_HEAP_COLD_CONTEXTS] = h->class_contexts[HEAP_COLD],
		[PROF_FIG_HEAP_ALLOCATIONS] = h->values[HEAP_COUNT],
		[PROF_FIG_HEAP_BYTES] = h->values[HEAP_BYTES],
		[PROF_FIG_HEAP_COLD_BYTES] = h->class_bytes[HEAP_COLD],
		[PROF_FIG_HEAP_LIFETIME] = h->values[HEAP_LIFETIME],
		[PROF_FIG_HEAP_ACCESSES] = h->values[HEAP_ACCESSES],
	};

	return (unsigned)figure < sizeof(figures) / sizeof(figures[0]) ?
	    figures[figure] : 0;
}

int
prof_figures_cutoff(struct prof_figures *g, uint32_t millionths,
    uint64_t *least, uint64_t *counters)
{
	struct prof *p = g->p;
	struct summary_entry entry;

	*least = *counters = 0;
	problem_begin(p);
	if (millionths > SUMMARY_SCALE)
		return problem_use(p, "the share is above 1000000 millionths");
	if (!summary_entries(&g->totals.summary, &millionths, 1, &entry)) {
		return problem_memory(p);
	}
	*least = entry.min_count;
	*counters = entry.counts;
	return 0;
}

void
prof_figures_free(struct prof_figures *g)
{
	if (g == NULL)
		return;
	figures_free(&g->totals);
	heap_view_free(g->view);
	free(g->heap);
	free(g);
}

enum { DIFF_CLASSES = PROF_DIFF_HEAP, DIFF_SUBJECTS };

struct prof_change {
	enum prof_change_state state;
	struct prof_symbol symbol[OVERLAP_SIDES];
	uint64_t hash[OVERLAP_SIDES];
	uint64_t count[OVERLAP_SIDES];
	double share[OVERLAP_SIDES];
};

struct diff_list {
	struct prof_change *items;
	size_t size, room;
};

struct prof_diff {
	struct prof *p;
	struct diff_table functions;
	struct heap_view *views[OVERLAP_SIDES];
	struct heap heaps[OVERLAP_SIDES];
	struct item_order orders[OVERLAP_SIDES];
	enum prof_level level;		/* of the first profile with one */
	enum prof_level added[OVERLAP_SIDES];	/* of profiles being added */
	struct overlap overlap[DIFF_CLASSES];
	struct diff_heap heap;
	struct diff_list changes[DIFF_SUBJECTS];
	bool compared;
};

struct prof_diff *
prof_diff_new(struct prof *p)
{
	struct prof_diff *d = calloc(1, sizeof(*d));
	bool failed = d == NULL;

	problem_begin(p);
	if (d != NULL)
		d->p = p;
	for (int side = 0; side < OVERLAP_SIDES && !failed; side++) {
		d->views[side] = heap_view_new(false);
		failed = d->views[side] == NULL;
	}
	if (failed) {
		prof_diff_free(d);
		problem_memory(p);
		return NULL;
	}
	return d;
}

/* Hashes of front-end and IR profiles have nothing to do with each other. */
static enum prof_status
diff_add_record(struct prof_diff *d, int side, const struct prof_record *r,
    struct prof_error *err)
{
	enum prof_level *level = &d->added[side];

	if (r->kind == PROF_REC_PROFILE)
		*level = r->u.profile.level;
	if (r->kind == PROF_REC_FUNCTION && *level != PROF_LEVEL_UNKNOWN) {
		if (d->level == PROF_LEVEL_UNKNOWN)
			d->level = *level;
		if (d->level != *level)
			return err_set(err, PROF_E_MISMATCH,
			    "%s cannot be compared with %s",
			    words_level_profile[*level],
			    words_level_profile[d->level]);
	}
	if (diff_table_add(&d->functions, side, r, err) != PROF_OK)
		return PROF_FAIL;
	return heap_view_add(d->views[side], r, err);
}

int
prof_diff_add(struct prof_diff *d, int side, const struct prof_item *item)
{
	struct prof *p = d->p;

	problem_begin(p);
	if (d->compared)
		return problem_use(p, "the sides have already been compared");
	if (side < 0 || side >= OVERLAP_SIDES)
		return problem_use(p, "there are side 0 and side 1");
	if (item_check(&d->orders[side], item, &p->problem.error) != PROF_OK)
		return problem_fail(p);
	return problem_result(p, diff_add_record(d, side, item_record(item),
	    &p->problem.error));
}

/* The numbers of states are part of the interface. */
#define CHANGE_STATE(id, word, limit, meaning) [OVERLAP_##id] = PROF_##id,
#define CHANGE_WORD(id, word, limit, meaning) [PROF_##id] = word,

static const enum prof_change_state change_states[OVERLAP_STATES_SIZE] = {
	OVERLAP_STATES(CHANGE_STATE)
};

static enum prof_status
diff_list_add(struct diff_list *list, struct prof_change *c,
    const uint64_t count[OVERLAP_SIDES], const double share[OVERLAP_SIDES],
    struct prof_error *err)
{
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		c->count[s] = count[s];
		c->share[s] = share[s];
	}
	return ARRAY_ADD(list->items, list->size, list->room, *c) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
diff_list_function(struct diff_list *list, const struct overlap_change *from,
    struct prof_error *err)
{
	struct prof_change c = { .state = change_states[from->state] };

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (from->function[s] == NULL)
			continue;
		c.symbol[s] = from->function[s]->symbol;
		c.hash[s] = from->function[s]->hash;
	}
	return diff_list_add(list, &c, from->count, from->share, err);
}

static enum prof_status
diff_list_context(struct diff_list *list, const struct prof_diff *d,
    const struct diff_context *from, struct prof_error *err)
{
	struct prof_change c = {
	    .state = change_states[from->change.state] };

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		const struct heap_context *context = from->context[s];

		if (context != NULL && context->site < context->size)
			c.symbol[s] = d->heaps[s].frames[
			    context->frames[context->site]].source.function;
	}
	return diff_list_add(list, &c, from->change.count, from->change.share,
	    err);
}

static enum prof_status
diff_compare_functions(struct prof_diff *d, int class, struct prof_error *err)
{
	struct diff_changes found = { .most = SIZE_MAX };
	enum prof_status status = PROF_OK;

	if (!overlap_compare(&d->functions,
	    class == PROF_DIFF_CONTEXT_SENSITIVE, &d->overlap[class], &found))
		status = err_memory(err);
	for (size_t i = 0; i < found.size && status == PROF_OK; i++)
		status = diff_list_function(&d->changes[class],
		    &found.items[i], err);
	diff_changes_free(&found);
	return status;
}

int
prof_diff_compare(struct prof_diff *d)
{
	struct prof_error *err = &d->p->problem.error;
	enum prof_status status = PROF_OK;

	problem_begin(d->p);
	if (d->compared || d->orders[OVERLAP_OLD].inside ||
	    d->orders[OVERLAP_NEW].inside)
		return problem_use(d->p, d->compared ? "the sides have already "
		    "been compared" : "the last profile has not ended");
	d->compared = true;
	for (int class = 0; class < DIFF_CLASSES && status == PROF_OK; class++)
		status = diff_compare_functions(d, class, err);
	for (int side = 0; side < OVERLAP_SIDES && status == PROF_OK; side++)
		d->heaps[side] = heap_view_get(d->views[side]);
	if (status == PROF_OK)
		status = diff_heap_compare(&d->heap, &d->heaps[OVERLAP_OLD],
		    &d->heaps[OVERLAP_NEW], err);
	for (size_t i = 0; status == PROF_OK && i < d->heap.changed; i++)
		status = diff_list_context(&d->changes[PROF_DIFF_HEAP], d,
		    &d->heap.changes[i], err);
	return problem_result(d->p, status);
}

/* NULL if there is no such subject. */
static const struct overlap *
diff_result(const struct prof_diff *d, enum prof_diff_subject subject)
{
	if (subject == PROF_DIFF_HEAP)
		return &d->heap.overlap;
	return (unsigned)subject < DIFF_CLASSES ? &d->overlap[subject] : NULL;
}

double
prof_diff_overlap(const struct prof_diff *d, enum prof_diff_subject subject)
{
	const struct overlap *o = diff_result(d, subject);

	return o == NULL ? 0 : overlap_shares_sum(&o->counts.overlap);
}

uint64_t
prof_diff_number(const struct prof_diff *d, enum prof_diff_subject subject,
    enum prof_diff_number number)
{
	const struct overlap *o = diff_result(d, subject);

	if (o == NULL)
		return 0;
	switch (number) {
	case PROF_DIFF_OF_OLD:
		return o->records[OVERLAP_OLD];
	case PROF_DIFF_OF_NEW:
		return o->records[OVERLAP_NEW];
	case PROF_DIFF_COMMON:
		return o->common;
	default:
		return 0;
	}
}

const char *
prof_change_word(enum prof_change_state state)
{
	static const char *const words[OVERLAP_STATES_SIZE] = {
		OVERLAP_STATES(CHANGE_WORD)
	};

	return (unsigned)state < OVERLAP_STATES_SIZE ? words[state] : NULL;
}

uint64_t
prof_diff_in_state(const struct prof_diff *d, enum prof_diff_subject subject,
    enum prof_change_state state)
{
	const struct overlap *o = diff_result(d, subject);

	for (int i = 0; o != NULL && i < OVERLAP_STATES_SIZE; i++) {
		if (change_states[i] == state)
			return o->states[i].changes;
	}
	return 0;
}

const struct prof_change *
prof_diff_change(const struct prof_diff *d, enum prof_diff_subject subject,
    size_t index)
{
	return (unsigned)subject < DIFF_SUBJECTS &&
	    index < d->changes[subject].size ?
	    &d->changes[subject].items[index] : NULL;
}

enum prof_change_state
prof_change_state(const struct prof_change *c)
{
	return c->state;
}

const char *
prof_change_name(const struct prof_change *c, int side, size_t *size)
{
	const struct prof_span none = { NULL, 0 };
	const struct prof_span name = side == 0 || side == 1 ?
	    c->symbol[side].name : none;

	*size = name.data == NULL ? 0 : name.size;
	return (const char *)name.data;
}

uint64_t
prof_change_guid(const struct prof_change *c, int side)
{
	return side == 0 || side == 1 ? c->symbol[side].guid : 0;
}

uint64_t
prof_change_hash(const struct prof_change *c, int side)
{
	return side == 0 || side == 1 ? c->hash[side] : 0;
}

uint64_t
prof_change_count(const struct prof_change *c, int side)
{
	return side == 0 || side == 1 ? c->count[side] : 0;
}

double
prof_change_share(const struct prof_change *c, int side)
{
	return side == 0 || side == 1 ? c->share[side] : 0;
}

void
prof_diff_free(struct prof_diff *d)
{
	if (d == NULL)
		return;
	diff_table_free(&d->functions);
	diff_heap_free(&d->heap);
	for (int side = 0; side < OVERLAP_SIDES; side++)
		heap_view_free(d->views[side]);
	for (int i = 0; i < DIFF_SUBJECTS; i++)
		free(d->changes[i].items);
	free(d);
}
