/* llvm-profdata show: the lines behind the functions. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/profdata/show.h"

void
profdata_hot_add(struct profdata_show_state *s, const struct prof_function *f,
    uint64_t max)
{
	const struct profdata_options *o = &s->p->options;
	struct prof_span name;

	if (o->topn == 0 && !o->hot_functions)
		return;
	name = arena_copy(&s->arena, f->symbol.name);
	if (name.data == NULL || !ARRAY_ADD(s->hot, s->hot_size, s->hot_room,
	    (struct profdata_hot){ name, max }))
		profdata_out_of_memory();
}

/* Sifts up in a heap with the least count first, as libstdc++ does. */
static void
hot_heap_sift_up(struct profdata_hot *heap, size_t hole,
    struct profdata_hot value)
{
	while (hole > 0 && heap[(hole - 1) / 2].max > value.max) {
		heap[hole] = heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap[hole] = value;
}

/* Moves the first item of the heap behind the others, as std::pop_heap. */
static void
hot_heap_pop(struct profdata_hot *heap, size_t size)
{
	struct profdata_hot value = heap[size - 1];
	size_t hole = 0, child = 0, left = size - 1;

	heap[size - 1] = heap[0];
	while (left > 0 && child < (left - 1) / 2) {
		child = 2 * (child + 1);
		if (heap[child].max > heap[child - 1].max)
			child--;
		heap[hole] = heap[child];
		hole = child;
	}
	if (left > 1 && left % 2 == 0 && child == (left - 2) / 2) {
		child = 2 * child + 1;
		heap[hole] = heap[child];
		hole = child;
	}
	if (left > 0)
		hot_heap_sift_up(heap, hole, value);
}

/*
 * Up to LLVM 21, equal counts come in the order of a heap.  Moves the hottest
 * functions to the front, the hottest first, and returns their number.
 */
static size_t
select_hottest_by_heap(struct profdata_show_state *s)
{
	size_t most = (size_t)s->p->options.topn, size = 0;

	for (size_t i = 0; i < s->hot_size; i++) {
		struct profdata_hot h = s->hot[i];

		if (size == most) {
			if (s->hot[0].max >= h.max)
				continue;
			hot_heap_pop(s->hot, size--);
		}
		hot_heap_sift_up(s->hot, size++, h);
	}
	for (size_t n = size; n > 0; n--)
		hot_heap_pop(s->hot, n);
	return size;
}

/* Sorts by count, the largest first; equal counts keep their order. */
static void
merge_sort_hot(struct profdata_hot *a, struct profdata_hot *spare, size_t n)
{
	size_t half = n / 2, i = 0, k = half;

	if (n < 2)
		return;
	merge_sort_hot(a, spare, half);
	merge_sort_hot(a + half, spare, n - half);
	for (size_t to = 0; to < n; to++) {
		if (k == n || (i < half && a[i].max >= a[k].max))
			spare[to] = a[i++];
		else
			spare[to] = a[k++];
	}
	memcpy(a, spare, n * sizeof(*a));
}

static void
sort_hot(struct profdata_show_state *s)
{
	struct profdata_hot *spare = calloc(s->hot_size + 1, sizeof(*spare));

	if (spare == NULL)
		profdata_out_of_memory();
	merge_sort_hot(s->hot, spare, s->hot_size);
	free(spare);
}

void
profdata_show_top(struct profdata_show_state *s)
{
	uint64_t most = s->p->options.topn;
	size_t n = s->hot_size;

	if (profdata_since(s->p, 22))
		sort_hot(s);
	else if (most != 0)
		n = select_hottest_by_heap(s);
	if (most == 0)
		return;
	profdata_print(s->out, "Top %" PRIu64 " functions with the largest "
	    "internal block counts: \n", most);
	for (size_t i = 0; i < n && i < most; i++) {
		profdata_print(s->out, "  ");
		profdata_put(s->out, s->hot[i].name);
		profdata_print(s->out, ", max count = %" PRIu64 "\n",
		    s->hot[i].max);
	}
}

static int
compare_cutoffs(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The cutoffs of the options, or LLVM's own, sorted; the caller frees them. */
static uint32_t *
sorted_cutoffs(const struct profdata_show_state *s, size_t *size)
{
	static const uint32_t old[] = {
		800000, 900000, 950000, 990000, 999000, 999900, 999990
	};
	const struct profdata_numbers *own = &s->p->options.cutoffs;
	bool few = !profdata_since(s->p, 15);
	uint32_t *cutoffs;

	*size = own->size != 0 ? own->size : few ? sizeof(old) /
	    sizeof(old[0]) : SUMMARY_CUTOFFS;
	cutoffs = calloc(*size, sizeof(*cutoffs));
	if (cutoffs == NULL)
		profdata_out_of_memory();
	for (size_t i = 0; i < *size; i++)
		cutoffs[i] = own->size != 0 ? (uint32_t)own->items[i] :
		    few ? old[i] : summary_cutoffs[i];
	qsort(cutoffs, *size, sizeof(*cutoffs), compare_cutoffs);
	return cutoffs;
}

static struct summary_entry *
detailed_entries(const struct profdata_show_state *s, size_t *size)
{
	uint32_t *cutoffs = sorted_cutoffs(s, size);
	struct summary_entry *entries = calloc(*size, sizeof(*entries));

	if (entries == NULL ||
	    !summary_entries(&s->summary, cutoffs, *size, entries))
		profdata_out_of_memory();
	free(cutoffs);
	return entries;
}

/* ProfileSummaryBuilder::getHotCountThreshold. */
void
profdata_show_hot(struct profdata_show_state *s)
{
	enum { HOT = 990000 };
	struct summary_entry *entries;
	uint64_t threshold;
	size_t n, i = 0;

	if (!s->p->options.hot_functions || !profdata_since(s->p, 22))
		return;
	entries = detailed_entries(s, &n);
	while (i < n && entries[i].cutoff < HOT)
		i++;
	if (i == n)
		profdata_fail(NULL, "--hot-func-list needs a cutoff of %d or "
		    "more", HOT);
	threshold = entries[i].min_count;
	free(entries);
	profdata_print(s->out, "# Hot count threshold: %" PRIu64 "\n",
	    threshold);
	for (i = 0; i < s->hot_size && s->hot[i].max >= threshold; i++) {
		profdata_put(s->out, s->hot[i].name);
		profdata_print(s->out, "\n");
	}
}

static void
print_site_statistics(struct profdata_show_state *s, enum prof_value_kind kind,
    const char *title)
{
	const struct profdata_sites *all = &s->sites[kind];

	profdata_print(s->out, "Statistics for %s profile:\n"
	    "  Total number of sites: %" PRIu64 "\n"
	    "  Total number of sites with values: %" PRIu64 "\n"
	    "  Total number of profiled values: %" PRIu64 "\n"
	    "  Value sites histogram:\n\tNumTargets, SiteCount\n", title,
	    all->sites, all->with_values, all->values);
	for (size_t i = 0; i < all->size; i++) {
		if (all->histogram[i] != 0)
			profdata_print(s->out, "\t%zu, %" PRIu64 "\n", i + 1,
			    all->histogram[i]);
	}
}

void
profdata_show_statistics(struct profdata_show_state *s)
{
	const struct profdata_options *o = &s->p->options;

	if (s->shown == 0)
		return;
	if (o->ic_targets)
		print_site_statistics(s, PROF_INDIRECT_CALL_TARGET,
		    "indirect call sites");
	if (o->vtables)
		print_site_statistics(s, PROF_VTABLE_TARGET, "vtable");
	if (o->memop_sizes)
		print_site_statistics(s, PROF_MEM_OP_SIZE,
		    "memory intrinsic calls sizes");
}

static void
profdata_show_totals(struct profdata_show_state *s)
{
	profdata_print(s->out, "Total number of blocks: %" PRIu64 "\n"
	    "Total count: %" PRIu64 "\n", s->summary.blocks,
	    s->summary.total_block_count);
}

static void
print_below_cutoff(struct profdata_show_state *s)
{
	uint64_t cutoff = s->p->options.value_cutoff;

	if (cutoff == 0)
		return;
	profdata_print(s->out, "Number of functions with maximum count (< %"
	    PRIu64 "): %" PRIu64 "\nNumber of functions with maximum count "
	    "(>= %" PRIu64 "): %" PRIu64 "\n", cutoff, s->below, cutoff,
	    s->summary.functions - s->below);
}

void
profdata_show_summary(struct profdata_show_state *s)
{
	bool totals = profdata_since(s->p, 22);

	profdata_print(s->out, "Total functions: %" PRIu64 "\n",
	    s->summary.functions);
	if (!totals)
		print_below_cutoff(s);
	profdata_print(s->out, "Maximum function count: %" PRIu64 "\n"
	    "Maximum internal block count: %" PRIu64 "\n",
	    s->summary.max_function_count,
	    s->summary.max_internal_block_count);
	if (!totals)
		return;
	profdata_show_totals(s);
	print_below_cutoff(s);
}

void
profdata_show_detailed(struct profdata_show_state *s)
{
	bool shares = profdata_since(s->p, 22);
	struct summary_entry *entries;
	size_t n;

	if (!s->p->options.detailed)
		return;
	if (!shares)
		profdata_show_totals(s);
	entries = detailed_entries(s, &n);
	profdata_print(s->out, "Detailed summary:\n");
	for (size_t i = 0; i < n; i++) {
		const struct summary_entry *e = &entries[i];
		double share = s->summary.blocks == 0 ? 0 :
		    (double)e->counts * 100.0 / (double)s->summary.blocks;

		profdata_print(s->out, "%" PRIu64 " blocks ", e->counts);
		if (shares)
			profdata_print(s->out, "(%.2f%%) ", share);
		profdata_print(s->out, "with count >= %" PRIu64
		    " account for %0.6g%s of the total counts.\n",
		    e->min_count, (double)((float)e->cutoff /
		    (float)SUMMARY_SCALE * 100), shares ? "%" : " percentage");
	}
	free(entries);
}
