#include "merge/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/radix_sort.h"
#include "model/record.h"
#include "model/value_sites.h"

static bool
merge_note_symbol(struct merge_names *names, const struct prof_symbol *s)
{
	return s->name.size == 0 || number_set_add(&names->shown,
	    &names->arena, prof_symbol_guid(s));
}

/* Notes the names of a record that is put.  False if out of memory. */
static bool
merge_names_note(struct merge_names *names, const struct prof_record *r)
{
	struct value_walk walk = { 0 };
	const struct prof_value *v;
	bool noted = true;

	if (r->kind == PROF_REC_VTABLE)
		return merge_note_symbol(names, &r->u.vtable.symbol);
	if (r->kind == PROF_REC_FUNCTION) {
		noted = merge_note_symbol(names, &r->u.function.symbol);
		while (noted && (v = value_next_target(&walk,
		    r->u.function.values)) != NULL)
			noted = v->name.size == 0 || number_set_add(
			    &names->shown, &names->arena, v->value);
	}
	if (r->kind != PROF_REC_TRACE)
		return noted;
	for (size_t i = 0; i < r->u.trace.size && noted; i++)
		noted = merge_note_symbol(names, &r->u.trace.functions[i]);
	return noted;
}

enum prof_status
merge_put(const struct merge *m, struct prof_writer *w,
    const struct prof_record *r, struct prof_error *err)
{
	if (m->record_names != NULL && !merge_names_note(m->record_names, r))
		return err_memory(err);
	return prof_put(w, r, err);
}

bool
merge_names_lose(struct merge_names *names, const struct prof_symbol *s)
{
	uint64_t guid = prof_symbol_guid(s);

	return s->name.size == 0 ||
	    symtab_keep(&names->lost, &names->arena, s->name, guid);
}

struct prof_span *
merge_names_unshown(struct merge_names *names, const struct symtab *known,
    size_t *n)
{
	struct prof_span *list = calloc(known->size + 1, sizeof(*list));

	*n = 0;
	number_set_sort(&names->shown);
	for (size_t i = 0; list != NULL && i < known->size; i++) {
		const struct prof_symbol *s = &known->symbols[i];

		if (s->name.size != 0 &&
		    !number_set_has(&names->shown, s->guid))
			list[(*n)++] = s->name;
	}
	if (list != NULL)
		prof_span_sort(list, *n);
	return list;
}

void
merge_names_free(struct merge_names *names)
{
	symtab_free(&names->lost);
	arena_free(&names->arena);
}

static const char *const merge_warnings[MERGE_WARNINGS] = {
	("records of another shape were dropped (numbers of counters, bitmap "
	    "bytes or value sites differ)"),
	("records of pseudo counts (hot or warm) or of counters were dropped: "
	    "the two are not added"),
	"counters are at their limit",
	"nothing was subtracted: the other record has another shape, or "
	    "pseudo counts",
};

void
merge_warn(const struct merge *m, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_report(m->warn, m->warn_arg, (struct prof_error){ 0 }, format, ap);
	va_end(ap);
}

void
merge_note(struct merge_notes *n, const struct merge_entry *e)
{
	const bool applies[MERGE_WARNINGS] = { e->other_shape,
	    e->conflict && !e->other_shape, e->saturated,
	    e->not_subtracted };
	const struct prof_symbol symbol = { e->name, e->guid };
	char name[ERR_NAME_SIZE];

	n->losses.overflows += e->saturated;
	n->losses.mismatches += e->conflict || e->not_subtracted;
	for (size_t i = 0; i < MERGE_WARNINGS; i++) {
		if (!applies[i] || n->count[i]++ >= MERGE_NAMED_FUNCTIONS)
			continue;
		snprintf(n->text[i][n->count[i] - 1], sizeof(n->text[i][0]),
		    "%s, hash 0x%016llx: %s", symbol_words(name, &symbol),
		    (unsigned long long)e->hash, merge_warnings[i]);
	}
}

void
merge_report(struct merge *m, const struct merge_notes *n)
{
	m->losses = n->losses;
	for (size_t i = 0; i < MERGE_WARNINGS; i++) {
		size_t k = 0;

		for (; k < n->count[i] && k < MERGE_NAMED_FUNCTIONS; k++)
			merge_warn(m, "%s", n->text[i][k]);
		if (k < n->count[i])
			merge_warn(m, "more functions: %zu: %s",
			    n->count[i] - k, merge_warnings[i]);
	}
	if (m->head.extra_dropped)
		merge_warn(m, "unknown keys that are not the same in all "
		    "profiles were dropped");
	if (m->unknown_records != 0)
		merge_warn(m, "records of unknown types were left out: %llu",
		    (unsigned long long)m->unknown_records);
}

enum { AHEAD = 8 };			/* entries that are prefetched */

static int
merge_compare_guids(const void *a, const void *b)
{
	const struct merge_entry *x = a, *y = b;

	return x->guid != y->guid ? compare_u64(x->guid, y->guid) :
	    compare_u64(x->hash, y->hash);
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

struct merge_entry **
merge_entries_as_arrived(const struct merge *m)
{
	struct merge_entry **order = calloc(m->size + 1, sizeof(*order));
	/* starts[n + 1] counts the entries with name n, by first entry. */
	size_t *starts = calloc(m->size + 2, sizeof(*starts));
	struct symtab names = { 0 };
	bool fit = order != NULL && starts != NULL;

	for (size_t i = 0; fit && i < m->size; i++) {
		uint64_t guid = merge_entry_at(m, i)->guid;

		fit = symtab_add(&names, (struct prof_span){ NULL, 0 }, guid);
		if (fit)
			starts[symtab_find(&names, guid, NULL) + 1]++;
	}
	for (size_t i = 0; fit && i < m->size; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; fit && i < m->size; i++) {
		struct merge_entry *e = merge_entry_at(m, i);

		order[starts[symtab_find(&names, e->guid, NULL)]++] = e;
	}
	symtab_free(&names);
	free(starts);
	if (fit)
		return order;
	free(order);
	return NULL;
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
	if (!o->sparse || o->sparse_names)
		return false;
	if (merge_entry_is_empty(e))
		return true;
	if (m->settles)
		merge_settle_entry(e);
	return false;
}

enum prof_status
merge_put_entries(struct merge *m, struct merge_entry **sorted,
    const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	for (size_t i = 0, end; i < m->size; i = end) {
		size_t used = i;	/* the first that --sparse keeps */

		merge_prefetch_entries(sorted, i, m->size);
		for (end = i + 1; end < m->size &&
		    sorted[end]->guid == sorted[i]->guid;)
			end++;
		while (o->sparse && used < end && (o->sparse_names ?
		    merge_counts_are_zero(sorted[used]) :
		    merge_entry_is_empty(sorted[used])))
			used++;
		if (used == end) {
			struct prof_symbol omitted = { sorted[i]->name,
			    sorted[i]->guid };

			if (prof_omit(w, &omitted, err) != PROF_OK)
				return PROF_FAIL;
			continue;
		}
		for (size_t k = i; k < end; k++) {
			struct prof_record r;

			if (merge_leaves_out(m, sorted[k], o))
				continue;
			if (merge_entry_record(m, sorted[k], &r, err) !=
			    PROF_OK || merge_put(m, w, &r, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}
