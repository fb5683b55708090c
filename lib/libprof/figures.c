/* Totals over the items of profiles, and the summary that LLVM computes. */
#include <stdlib.h>

#include "libprof/private.h"
#include "ops/figures.h"
#include "ops/heap/figures.h"
#include "ops/heap/view.h"

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
figures_sum_heap(const struct prof_figures *g)
{
	struct heap_totals *t = g->heap;

	if (!t->made) {
		const struct heap heap = heap_view_get(g->view);

		t->sum = heap_figures_of(&heap, false);
		t->made = true;
	}
	return &t->sum;
}

static uint64_t
figures_get_heap(const struct prof_figures *g, enum prof_figure figure)
{
	const struct heap_figures *h = figures_sum_heap(g);

	switch (figure) {
	case PROF_FIG_HEAP_CONTEXTS:
		return h->contexts;
	case PROF_FIG_HEAP_COLD_CONTEXTS:
		return h->class_contexts[HEAP_COLD];
	case PROF_FIG_HEAP_ALLOCATIONS:
		return h->values[HEAP_COUNT];
	case PROF_FIG_HEAP_BYTES:
		return h->values[HEAP_BYTES];
	case PROF_FIG_HEAP_COLD_BYTES:
		return h->class_bytes[HEAP_COLD];
	case PROF_FIG_HEAP_LIFETIME:
		return h->values[HEAP_LIFETIME];
	case PROF_FIG_HEAP_ACCESSES:
		return h->values[HEAP_ACCESSES];
	default:
		return 0;
	}
}

uint64_t
prof_figures_get(const struct prof_figures *g, enum prof_figure figure)
{
	const struct figures *t = &g->totals;
	const struct summary *s = &t->summary;
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
	};

	if (figure >= PROF_FIG_HEAP_CONTEXTS &&
	    figure <= PROF_FIG_HEAP_ACCESSES)
		return figures_get_heap(g, figure);
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
