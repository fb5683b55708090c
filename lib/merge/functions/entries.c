#include "merge/functions/entries.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/huge_pages.h"
#include "base/prefetch.h"
#include "base/radix_sort.h"
#include "merge/core/names.h"
#include "merge/functions/class.h"
#include "merge/functions/function.h"
#include "merge/functions/values.h"
#include "model/value_sites.h"

enum { AHEAD = 8 };			/* entries that are prefetched */

static int
merge_compare_guids(const void *a, const void *b)
{
	const struct merge_entry *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static int
merge_compare_entries(const struct merge_entry *x, const struct merge_entry *y)
{
	int order = prof_span_compare(x->name, y->name);

	return order != 0 ? order : merge_compare_guids(x, y);
}

static bool
merge_sort_entries(struct merge_entry **entries, size_t n)
{
	struct radix_sort_item *items = huge_alloc(n * sizeof(*items));

	if (items == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct radix_sort_item){ entries[i]->name,
		    entries[i], 0 };
	radix_sort(items, n, merge_compare_guids);
	for (size_t i = 0; i < n; i++)
		entries[i] = items[i].thing;
	free(items);
	return true;
}

struct merge_entry **
merge_entries_sorted(const struct merge *m)
{
	struct merge_entry **sorted = calloc(m->size + 1, sizeof(*sorted));
	bool in_order = true;		/* as most streams are */

	if (sorted == NULL)
		return NULL;
	for (size_t i = 0; i < m->size; i++) {
		sorted[i] = merge_entry_at(m, i);
		in_order = in_order && (i == 0 ||
		    merge_compare_entries(sorted[i - 1], sorted[i]) < 0);
	}
	if (in_order || merge_sort_entries(sorted, m->size))
		return sorted;
	free(sorted);
	return NULL;
}

/*
 * Numbers the names in the order of their first entry; starts[n + 1] becomes
 * the number of entries with name n.
 */
static bool
merge_count_names(const struct merge *m, struct symtab *names, size_t *starts)
{
	for (size_t i = 0; i < m->size; i++) {
		uint64_t guid = merge_entry_at(m, i)->guid;

		if (!symtab_add(names, (struct prof_span){ NULL, 0 }, guid))
			return false;
		starts[symtab_find(names, guid, NULL) + 1]++;
	}
	return true;
}

struct merge_entry **
merge_entries_as_arrived(const struct merge *m)
{
	struct merge_entry **order = calloc(m->size + 1, sizeof(*order));
	size_t *starts = calloc(m->size + 2, sizeof(*starts));
	struct symtab names = { 0 };

	if (order == NULL || starts == NULL ||
	    !merge_count_names(m, &names, starts)) {
		free(order);
		order = NULL;
	}
	for (size_t i = 0; order != NULL && i < m->size; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; order != NULL && i < m->size; i++) {
		struct merge_entry *e = merge_entry_at(m, i);

		order[starts[symtab_find(&names, e->guid, NULL)]++] = e;
	}
	symtab_free(&names);
	free(starts);
	return order;
}

struct prof_symbol
merge_symbol(const struct merge *m, uint64_t guid)
{
	struct prof_span name = symtab_name(&m->names, guid);

	if (name.data == NULL && m->spilled_names != NULL)
		name = symtab_name(m->spilled_names, guid);
	return (struct prof_symbol){ name, guid };
}

/* Names targets that are named only in another run of a spill. */
static void
merge_name_targets(const struct merge *m, struct prof_function *f)
{
	struct value_walk walk = { 0 };
	const struct prof_value *value;

	while ((value = value_next_target(&walk, f->values)) != NULL) {
		struct prof_value *v = (struct prof_value *)(uintptr_t)value;

		if (v->name.data == NULL)
			v->name = symtab_name(m->spilled_names, v->value);
	}
}

enum prof_status
merge_entry_record(struct merge *m, const struct merge_entry *e,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_function *f = &out->u.function;
	const struct merge_rare *rare = merge_entry_rare(e);

	out->kind = PROF_REC_FUNCTION;
	*f = (struct prof_function){ .symbol = { e->name, e->guid },
	    .hash = e->hash, .counts = e->counts,
	    .counts_size = e->counts_size,
	    .bitmap = { rare->bitmap, rare->bitmap_size },
	    .uniform_counts = rare->uniform,
	    .uniform_size = rare->uniform_size, .extra = rare->extra };
	if (e->values == NULL)
		return PROF_OK;
	arena_reset(&m->scratch);
	if (!merge_values_get(e->values, e->merged, &m->names, &m->scratch,
	    f->values))
		return err_memory(err);
	if (m->spilled_names != NULL && m->spilled_names->size != 0)
		merge_name_targets(m, f);
	return PROF_OK;
}

static enum prof_status
merge_put_entry(struct merge *m, const struct merge_entry *e,
    struct prof_writer *w, struct prof_error *err)
{
	struct prof_record r;

	return merge_entry_record(m, e, &r, err) == PROF_OK ?
	    merge_put(m, w, &r, err) : PROF_FAIL;
}

/* Whether --sparse leaves out all entries of a name. */
static bool
merge_leaves_out_name(struct merge_entry **sorted, size_t start, size_t end,
    const struct merge_output *o)
{
	while (o->sparse && start < end && (o->sparse_names ?
	    merge_counts_are_zero(sorted[start]) :
	    merge_entry_is_empty(sorted[start])))
		start++;
	return start == end;
}

/* The end of the entries from start on that have the same name. */
static size_t
merge_same_name_end(const struct merge *m, struct merge_entry **sorted,
    size_t start)
{
	size_t end = start + 1;

	while (end < m->size && sorted[end]->guid == sorted[start]->guid)
		end++;
	return end;
}

/*
 * In canonical order, entries are scattered over the memory: an entry is
 * prefetched 2 * AHEAD entries before it is put, its counters, name and values
 * AHEAD entries before.
 */
PREFETCH_INLINE void
merge_prefetch_entries(struct merge_entry **sorted, size_t i, size_t n)
{
	if (i + 2 * AHEAD < n)
		__builtin_prefetch(sorted[i + 2 * AHEAD]);
	if (i + AHEAD >= n)
		return;
	__builtin_prefetch(sorted[i + AHEAD]->counts);
	__builtin_prefetch(sorted[i + AHEAD]->name.data);
	__builtin_prefetch(sorted[i + AHEAD]->values);
}

/*
 * Whether the options leave an entry out.  If m->settles, an entry that stays
 * is settled: empty records of its function may have been left out of partial
 * merges, but not of the sum of one input.
 */
static bool
merge_leaves_out(const struct merge *m, struct merge_entry *e,
    const struct merge_output *o)
{
	if (o->sparse && !o->sparse_names) {
		if (merge_entry_is_empty(e))
			return true;
		if (m->settles)
			merge_settle_entry(e);
	}
	return o->intersect && e->inputs != m->input;
}

enum prof_status
merge_put_entries(struct merge *m, struct merge_entry **sorted,
    const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	for (size_t i = 0, end; i < m->size; i = end) {
		merge_prefetch_entries(sorted, i, m->size);
		end = merge_same_name_end(m, sorted, i);
		if (merge_leaves_out_name(sorted, i, end, o)) {
			struct prof_symbol omitted = { sorted[i]->name,
			    sorted[i]->guid };

			if (prof_omit(w, &omitted, err) != PROF_OK)
				return PROF_FAIL;
			continue;
		}
		for (size_t k = i; k < end; k++) {
			if (merge_leaves_out(m, sorted[k], o))
				continue;
			if (merge_put_entry(m, sorted[k], w, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

