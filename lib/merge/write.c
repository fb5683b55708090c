#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/prefetch.h"
#include "base/huge_pages.h"
#include "base/radix_sort.h"
#include "merge/merge.h"
#include "merge/engine.h"
#include "merge/heap/heap.h"
#include "merge/notes.h"
#include "merge/order.h"
#include "merge/spill/spill.h"

enum { AHEAD = 8 };

static int
compare_ties(const void *a, const void *b)
{
	const struct merge_entry *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static int
compare_entries(const struct merge_entry *x, const struct merge_entry *y)
{
	int order = prof_span_compare(x->name, y->name);

	return order != 0 ? order : compare_ties(x, y);
}

static bool
sort_entries(struct merge_entry **entries, size_t n)
{
	struct radix_sort_item *items = huge_alloc(n * sizeof(*items));

	if (items == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		items[i] =
		    (struct radix_sort_item){ entries[i]->name, entries[i], 0 };
	radix_sort(items, n, compare_ties);
	for (size_t i = 0; i < n; i++)
		entries[i] = items[i].thing;
	free(items);
	return true;
}

struct merge_entry **
merge_sorted(const struct merge *m)
{
	struct merge_entry **sorted = calloc(m->size + 1, sizeof(*sorted));
	bool in_order = true;		/* as those of streams mostly are */

	if (sorted == NULL)
		return NULL;
	for (size_t i = 0; i < m->size; i++) {
		sorted[i] = merge_entry_at(m, i);
		in_order = in_order && (i == 0 ||
		    compare_entries(sorted[i - 1], sorted[i]) < 0);
	}
	if (in_order || sort_entries(sorted, m->size))
		return sorted;
	free(sorted);
	return NULL;
}

/* What llvm-profdata's --sparse looks at: counters and bitmaps, no values. */
static bool
is_zero(const struct merge_entry *e)
{
	for (size_t i = 0; i < e->counts_size; i++) {
		if (e->counts[i] != 0)
			return false;
	}
	for (size_t i = 0; i < merge_more(e)->bitmap_size; i++) {
		if (e->more->bitmap[i] != 0)
			return false;
	}
	return true;
}

static enum prof_status
put_binaries(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	size_t n = m->build_ids.size;
	struct prof_span *ids = calloc(n + 1, sizeof(*ids));
	enum prof_status status = PROF_OK;

	if (ids == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		ids[i] = m->build_ids.symbols[i].name;
	prof_span_sort(ids, n);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_BINARY, .u.build_id = ids[i] }, err);
	free(ids);
	return status;
}

struct prof_symbol
merge_symbol(const struct merge *m, uint64_t guid)
{
	struct prof_span name = symtab_name(&m->names, guid);

	if (name.data == NULL && m->elsewhere != NULL)
		name = symtab_name(m->elsewhere, guid);
	return (struct prof_symbol){ name, guid };
}

static int
compare_symbols(const void *a, const void *b)
{
	const struct prof_symbol *x = a, *y = b;
	int order = prof_span_compare(x->name, y->name);

	return order != 0 ? order : (x->guid > y->guid) - (x->guid < y->guid);
}

static enum prof_status
put_vtables(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	size_t n = m->vtables.size;
	struct prof_symbol *s = calloc(n + 1, sizeof(*s));
	enum prof_status status = PROF_OK;

	if (s == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		s[i] = m->vtables.symbols[i].name.data != NULL ?
		    m->vtables.symbols[i] :
		    merge_symbol(m, m->vtables.symbols[i].guid);
	qsort(s, n, sizeof(*s), compare_symbols);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_VTABLE, .u.vtable.symbol = s[i] }, err);
	free(s);
	return status;
}

/* Names that the sum itself does not know. */
static void
name_targets(const struct merge *m, struct prof_function *f)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < f->values[k].size; i++) {
			const struct prof_site *site = &f->values[k].sites[i];
			struct prof_value *v =
			    (struct prof_value *)(uintptr_t)site->values;

			for (size_t n = 0; n < site->size; n++) {
				if (v[n].name.data == NULL &&
				    k != PROF_MEM_OP_SIZE)
					v[n].name = symtab_name(m->elsewhere,
					    v[n].value);
			}
		}
	}
}

enum prof_status
merge_record(struct merge *m, const struct merge_entry *e,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_function *f = &out->u.function;
	const struct merge_more *more = merge_more(e);

	out->kind = PROF_REC_FUNCTION;
	*f = (struct prof_function){ .symbol = { e->name, e->guid },
	    .hash = e->hash, .counts = e->counts,
	    .counts_size = e->counts_size,
	    .bitmap = { more->bitmap, more->bitmap_size },
	    .uniform_counts = more->uniform,
	    .uniform_size = more->uniform_size, .extra = more->extra };
	if (e->values == NULL)
		return PROF_OK;
	arena_reset(&m->scratch);
	if (!merge_values_get(e->values, e->merged, &m->names, &m->scratch,
	    f->values))
		return err_memory(err);
	if (m->elsewhere != NULL && m->elsewhere->size != 0)
		name_targets(m, f);
	return PROF_OK;
}

static enum prof_status
put_function(struct merge *m, const struct merge_entry *e,
    struct prof_writer *w, struct prof_error *err)
{
	struct prof_record r;

	return merge_record(m, e, &r, err) == PROF_OK ?
	    prof_put(w, &r, err) : PROF_FAIL;
}

/* Entries from start that have the same name. */
static size_t
name_run(const struct merge *m, struct merge_entry **sorted, size_t start)
{
	size_t end = start + 1;

	while (end < m->size && sorted[end]->guid == sorted[start]->guid)
		end++;
	return end;
}

/* Entries in this order are all over the memory: they are sent for. */
PREFETCH_INLINE void
fetch_ahead(struct merge_entry **sorted, size_t i, size_t n)
{
	if (i + 2 * AHEAD < n)
		__builtin_prefetch(sorted[i + 2 * AHEAD]);
	if (i + AHEAD >= n)
		return;
	__builtin_prefetch(sorted[i + AHEAD]->counts);
	__builtin_prefetch(sorted[i + AHEAD]->name.data);
	__builtin_prefetch(sorted[i + AHEAD]->values);
}

enum prof_status
merge_put_functions(struct merge *m, struct merge_entry **sorted,
    const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	for (size_t i = 0, end; i < m->size; i = end) {
		bool keep = !o->sparse;

		fetch_ahead(sorted, i, m->size);
		end = name_run(m, sorted, i);
		for (size_t k = i; k < end && !keep; k++)
			keep = !is_zero(sorted[k]);
		for (size_t k = i; k < end && keep; k++) {
			if (o->intersect && sorted[k]->inputs != m->input)
				continue;
			if (put_function(m, sorted[k], w, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

static enum prof_status
put_traces(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	struct arena a = { 0 };
	struct prof_trace *t = arena_array(&a, m->traces_size, sizeof(*t));
	enum prof_status status = t == NULL ? err_memory(err) : PROF_OK;

	for (size_t i = 0; i < m->traces_size && status == PROF_OK; i++) {
		const struct merge_trace *from = &m->traces[i];

		struct prof_symbol *functions = arena_array(&a, from->size,
		    sizeof(*functions));

		if (functions == NULL) {
			status = err_memory(err);
			break;
		}
		for (size_t k = 0; k < from->size; k++)
			functions[k] = merge_symbol(m, from->guids[k]);
		t[i] = (struct prof_trace){ from->weight, functions,
		    from->size };
	}
	if (status == PROF_OK && m->profiles_with_traces > 1)
		qsort(t, m->traces_size, sizeof(*t), merge_compare_traces);
	for (size_t i = 0; i < m->traces_size && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_TRACE, .u.trace = t[i] }, err);
	arena_free(&a);
	return status;
}

static enum prof_status
put_heap(struct merge *m, const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	uint64_t saturated;
	enum prof_status status = merge_heap_write(m->heap, o->heap_as_read,
	    w, &saturated, err);

	if (saturated != 0)
		merge_warn(m, "heap data: in %llu blocks, counts are at their "
		    "limits", (unsigned long long)saturated);
	return status;
}

/* What is in memory, all of it. */
static enum prof_status
put_sum(struct merge *m, struct merge_entry **sorted,
    const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	return merge_put_functions(m, sorted, o, w, err) == PROF_OK &&
	    put_traces(m, w, err) == PROF_OK ? PROF_OK : PROF_FAIL;
}

static enum prof_status
put_spilled(struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct merge_notes notes = { 0 };

	if (merge_spill_put_functions(m, o, &notes, w, err) != PROF_OK ||
	    merge_spill_put_traces(m, w, err) != PROF_OK)
		return PROF_FAIL;
	merge_report(m, &notes);
	return PROF_OK;
}

static enum prof_status
check_output(struct merge *m, const struct merge_output *o,
    struct prof_error *err)
{
	if (!m->head.any)
		return err_set(err, PROF_E_FORMAT, "no profile in the input");
	if (o->intersect && merge_heap_profiles(m->heap) != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "heap data cannot be "
		    "intersected: its contexts are not those of functions");
	if (!merge_has_spilled(m))
		return PROF_OK;
	if (o->intersect)
		return err_set(err, PROF_E_UNSUPPORTED, "functions cannot be "
		    "intersected once some went to files");
	return merge_spill_end(m, err);
}

enum prof_status
merge_write(struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE };
	struct merge_notes notes = { 0 };
	enum prof_status status = PROF_FAIL;
	struct merge_entry **sorted;
	bool spilled = merge_has_spilled(m);

	if (check_output(m, o, err) != PROF_OK)
		return PROF_FAIL;
	if (!o->targets_by_guid && !merge_name_entries(m))
		return err_memory(err);
	sorted = o->as_arrived ? merge_arrived(m) : merge_sorted(m);
	if (sorted == NULL)
		return err_memory(err);
	for (size_t i = 0; i < m->size; i++)
		merge_note(&notes, sorted[i]);
	if (!spilled)
		merge_report(m, &notes);
	r.u.profile = merge_head_sum(&m->head);
	if (prof_put(w, &r, err) == PROF_OK &&
	    put_binaries(m, w, err) == PROF_OK &&
	    put_vtables(m, w, err) == PROF_OK &&
	    (spilled ? put_spilled(m, o, w, err) :
	    put_sum(m, sorted, o, w, err)) == PROF_OK &&
	    put_heap(m, o, w, err) == PROF_OK)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_END }, err);
	free(sorted);
	return status;
}
