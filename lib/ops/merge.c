#include "ops/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "ops/merge_engine.h"
#include "ops/merge_values.h"

struct merge *
merge_new(prof_warn *warn, void *warn_arg)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (m != NULL) {
		m->warn = warn;
		m->warn_arg = warn_arg;
	}
	return m;
}

void
merge_free(struct merge *m)
{
	if (m == NULL)
		return;
	arena_free(&m->arena);
	arena_free(&m->scratch);
	symtab_free(&m->names);
	symtab_free(&m->build_ids);
	symtab_free(&m->vtables);
	free(m->entries);
	free(m->slots);
	free(m->traces);
	free(m);
}

/* Makes room for one more thing of `size` bytes in an array that doubles. */
static bool
room_for_one(void *array, size_t used, size_t *room, size_t size)
{
	void **p = array;
	size_t more = *room == 0 ? 64 : *room * 2;
	void *grown;

	if (used < *room)
		return true;
	if (more > SIZE_MAX / size || (grown = realloc(*p, more * size)) ==
	    NULL)
		return false;
	*p = grown;
	*room = more;
	return true;
}

static size_t
slot_of(const struct merge *m, uint64_t guid, uint64_t hash)
{
	size_t mask = m->slot_count - 1;
	uint64_t mixed = guid ^ hash * 0x9E3779B97F4A7C15;
	size_t i = (size_t)(mixed * 0x9E3779B97F4A7C15 >> 32) & mask;

	for (; m->slots[i] != 0; i = (i + 1) & mask) {
		const struct merge_entry *e = &m->entries[m->slots[i] - 1];

		if (e->guid == guid && e->hash == hash)
			break;
	}
	return i;
}

/* At most half of the slots are in use. */
static bool
grow_slots(struct merge *m)
{
	size_t count = m->slot_count == 0 ? 128 : m->slot_count * 2;

	if (m->size < m->slot_count / 2)
		return true;
	free(m->slots);
	m->slots = calloc(count, sizeof(*m->slots));
	if (m->slots == NULL)
		return false;
	m->slot_count = count;
	for (size_t i = 0; i < m->size; i++)
		m->slots[slot_of(m, m->entries[i].guid, m->entries[i].hash)] =
		    (uint32_t)i + 1;
	return true;
}

/* Functions mostly come in the order of the profile before. */
static struct merge_entry *
expected(struct merge *m, const struct prof_function *f)
{
	struct merge_entry *e;

	if (m->next >= m->size)
		return NULL;
	e = &m->entries[m->next];
	if (e->hash != f->hash)
		return NULL;
	if (f->symbol.guid != 0 ? e->guid != f->symbol.guid :
	    e->name.data == NULL || !prof_span_equal(e->name, f->symbol.name))
		return NULL;
	return e;
}

static enum prof_status
name_clash(struct prof_span a, struct prof_span b, struct prof_error *err)
{
	char x[ERR_NAME_SIZE], y[ERR_NAME_SIZE];

	return err_set(err, PROF_E_MISMATCH, "%s and %s have the same MD5 "
	    "prefix and cannot be told apart", err_name(x, a),
	    err_name(y, b));
}

/* The entry of the function, new (without counts) if it was not there. */
static enum prof_status
find_entry(struct merge *m, const struct prof_function *f,
    struct merge_entry **out, struct prof_error *err)
{
	struct merge_entry *e = expected(m, f);
	uint64_t guid;
	size_t slot;

	if (e == NULL) {
		guid = prof_symbol_guid(&f->symbol);
		if (!grow_slots(m) || !room_for_one(&m->entries, m->size,
		    &m->room, sizeof(*m->entries)))
			return err_memory(err);
		slot = slot_of(m, guid, f->hash);
		if (m->slots[slot] == 0) {
			if (m->size == UINT32_MAX)
				return err_set(err, PROF_E_LIMIT,
				    "more than 2^32 functions");
			m->entries[m->size] = (struct merge_entry){
			    .guid = guid, .hash = f->hash };
			m->slots[slot] = (uint32_t)++m->size;
		}
		e = &m->entries[m->slots[slot] - 1];
	}
	m->next = (size_t)(e - m->entries) + 1;
	if (e->name.data == NULL && f->symbol.name.data != NULL) {
		if (!merge_keep_name(&m->names, &m->arena, f->symbol.name,
		    e->guid))
			return err_memory(err);
		e->name = symtab_name(&m->names, e->guid);
	}
	if (f->symbol.name.data != NULL &&
	    !prof_span_equal(e->name, f->symbol.name))
		return name_clash(e->name, f->symbol.name, err);
	*out = e;
	return PROF_OK;
}

static const struct merge_factor unscaled = { 1, 1 };

/* Counts are kept as they are, even above the largest ordinary one. */
static bool
is_one(const struct merge_factor *w)
{
	return w->times == 1 && w->parts == 1;
}

static uint64_t
cap(uint64_t count)
{
	return count < PROF_COUNT_MAX ? count : PROF_COUNT_MAX;
}

static uint64_t *
copy_counts(struct merge *m, const uint64_t *counts, size_t n,
    const struct merge_factor *w)
{
	uint64_t *p = arena_array(&m->arena, n, sizeof(*p));

	if (p == NULL || n == 0)
		return p;
	memcpy(p, counts, n * sizeof(*p));
	for (size_t i = 0; !is_one(w) && i < n; i++)
		p[i] = cap(merge_weigh(w, p[i]));
	return p;
}

/* Sums, true if none was too large. */
static bool
add_counts(uint64_t *into, const uint64_t *counts, size_t n,
    const struct merge_factor *w)
{
	uint64_t all = 0;
	bool fit = true;

	if (is_one(w)) {
		for (size_t i = 0; i < n; i++)
			all |= into[i] | counts[i];
		if (all >> 62 == 0) {
			for (size_t i = 0; i < n; i++)
				into[i] += counts[i];
			return true;
		}
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = saturating_add(into[i],
		    merge_weigh(w, counts[i]));

		fit = fit && sum <= PROF_COUNT_MAX;
		into[i] = cap(sum);
	}
	return fit;
}

static void
larger_counts(uint64_t *into, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (counts[i] > into[i])
			into[i] = counts[i];
	}
}

/* What two records must have in common to be added. */
struct class {
	uint64_t counts, bitmap, uniform, sites, kind_sites[PROF_VALUE_KINDS];
	uint64_t normal;
};

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Above 0 if class a is kept rather than b. */
static int
compare_classes(const struct class *a, const struct class *b)
{
	int order = compare_numbers(a->counts, b->counts);

	if (order == 0)
		order = compare_numbers(a->bitmap, b->bitmap);
	if (order == 0)
		order = compare_numbers(a->uniform, b->uniform);
	if (order == 0)
		order = compare_numbers(a->sites, b->sites);
	for (int k = 0; order == 0 && k < PROF_VALUE_KINDS; k++)
		order = compare_numbers(a->kind_sites[k], b->kind_sites[k]);
	if (order == 0)
		order = compare_numbers(a->normal, b->normal);
	return order;
}

static struct class
class_of_record(const struct prof_function *f)
{
	struct class c = { .counts = f->counts_size,
	    .bitmap = f->bitmap.size, .uniform = f->uniform_size,
	    .normal = !prof_is_pseudo(f) };

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		c.kind_sites[k] = f->values[k].size;
		c.sites += f->values[k].size;
	}
	return c;
}

static struct class
class_of_entry(const struct merge_entry *e)
{
	struct class c = { .counts = e->counts_size,
	    .bitmap = e->bitmap_size, .uniform = e->uniform_size,
	    .normal = !e->pseudo };

	for (int k = 0; e->values != NULL && k < PROF_VALUE_KINDS; k++) {
		c.kind_sites[k] = e->values->size[k];
		c.sites += e->values->size[k];
	}
	return c;
}

static enum prof_status
set_extra(struct merge *m, struct merge_entry *e, struct prof_span extra,
    struct prof_error *err)
{
	if (extra.size == 0 && e->extra.size == 0)
		return PROF_OK;
	if (e->added == 0) {
		e->extra = arena_copy(&m->arena, extra);
		return e->extra.data == NULL ? err_memory(err) : PROF_OK;
	}
	if (!prof_span_equal(e->extra, extra)) {
		e->extra = (struct prof_span){ NULL, 0 };
		m->head.extra_dropped = true;
	}
	return PROF_OK;
}

static enum prof_status
replace(struct merge *m, struct merge_entry *e, const struct prof_function *f,
    const struct merge_factor *w, struct prof_error *err)
{
	struct prof_span bitmap;

	e->pseudo = prof_is_pseudo(f);
	if (e->pseudo)
		w = &unscaled;
	e->merged = false;
	e->counts = copy_counts(m, f->counts, f->counts_size, w);
	e->uniform = copy_counts(m, f->uniform_counts, f->uniform_size, w);
	bitmap = arena_copy(&m->arena, f->bitmap);
	if (e->counts == NULL || e->uniform == NULL || bitmap.data == NULL ||
	    !merge_values_new(&e->values, f->values, w, &m->arena,
	    &m->names))
		return err_memory(err);
	e->counts_size = f->counts_size;
	e->uniform_size = f->uniform_size;
	e->bitmap = (uint8_t *)(uintptr_t)bitmap.data;
	e->bitmap_size = f->bitmap.size;
	return PROF_OK;
}

/* Value sites are added and subtracted in an order of their own. */
static void
sort_values(struct merge_entry *e)
{
	if (!e->merged)
		merge_values_sort(e->values);
	e->merged = true;
}

static enum prof_status
add(struct merge *m, struct merge_entry *e, const struct prof_function *f,
    const struct merge_factor *w, struct prof_error *err)
{
	sort_values(e);
	if (e->pseudo) {
		larger_counts(e->counts, f->counts, f->counts_size);
		larger_counts(e->uniform, f->uniform_counts, f->uniform_size);
	} else {
		if (!add_counts(e->counts, f->counts, f->counts_size, w))
			e->saturated = true;
		if (!add_counts(e->uniform, f->uniform_counts,
		    f->uniform_size, w))
			e->saturated = true;
	}
	for (size_t i = 0; i < e->bitmap_size; i++)
		e->bitmap[i] |= f->bitmap.data[i];
	if (!merge_values_add(e->values, f->values, e->pseudo ? &unscaled : w,
	    e->pseudo ? MERGE_LARGER : MERGE_ADD, &m->arena, &m->scratch,
	    &m->names))
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
add_function(struct merge *m, const struct prof_function *f,
    const struct merge_factor *w, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct merge_entry *e = NULL;
	struct class old, new;
	int order = -1;

	if (merge_head_function(&m->head, err) != PROF_OK ||
	    find_entry(m, f, &e, err) != PROF_OK ||
	    set_extra(m, e, f->extra, err) != PROF_OK)
		return PROF_FAIL;
	if (e->last_input != m->input) {
		e->last_input = m->input;
		e->inputs++;
	}
	if (e->added++ > 0) {
		old = class_of_entry(e);
		new = class_of_record(f);
		order = compare_classes(&old, &new);
		if (order != 0)
			e->misfit = true;
	}
	if (order < 0)
		status = replace(m, e, f, w, err);
	else if (order == 0)
		status = add(m, e, f, w, err);
	return status;
}

void
merge_next_input(struct merge *m)
{
	m->input++;
}

static void
subtract_counts(uint64_t *from, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		from[i] -= from[i] < counts[i] ? from[i] : counts[i];
}

void
merge_subtract(struct merge *m, struct merge *less)
{
	for (size_t i = 0; i < less->size && m->size != 0; i++) {
		struct merge_entry *l = &less->entries[i], *e;
		size_t slot = slot_of(m, l->guid, l->hash);
		struct class a, b;

		if (m->slots[slot] == 0)
			continue;
		e = &m->entries[m->slots[slot] - 1];
		a = class_of_entry(e);
		b = class_of_entry(l);
		if (compare_classes(&a, &b) != 0)
			e->unsubtracted = true;
		if (e->unsubtracted || e->pseudo)
			continue;
		sort_values(e);
		sort_values(l);
		subtract_counts(e->counts, l->counts, e->counts_size);
		subtract_counts(e->uniform, l->uniform, e->uniform_size);
		merge_values_subtract(e->values, l->values);
	}
}

static enum prof_status
add_binary(struct merge *m, struct prof_span id, struct prof_error *err)
{
	return merge_keep_name(&m->build_ids, &m->arena, id, prof_guid(id)) ?
	    PROF_OK : err_memory(err);
}

/* Addresses belong to one run and are not kept. */
static enum prof_status
add_vtable(struct merge *m, const struct prof_vtable *v,
    struct prof_error *err)
{
	uint64_t guid = prof_symbol_guid(&v->symbol);

	if (!merge_keep_name(&m->names, &m->arena, v->symbol.name, guid) ||
	    !symtab_add(&m->vtables, (struct prof_span){ NULL, 0 }, guid))
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
add_trace(struct merge *m, const struct prof_trace *t,
    const struct merge_factor *w, struct prof_error *err)
{
	uint64_t *guids = arena_array(&m->arena, t->size, sizeof(*guids));

	if (guids == NULL || !room_for_one(&m->traces, m->traces_size,
	    &m->traces_room, sizeof(*m->traces)))
		return err_memory(err);
	for (size_t i = 0; i < t->size; i++) {
		guids[i] = prof_symbol_guid(&t->functions[i]);
		if (!merge_keep_name(&m->names, &m->arena,
		    t->functions[i].name, guids[i]))
			return err_memory(err);
	}
	if (m->own_traces++ == 0)
		m->profiles_with_traces++;
	m->traces[m->traces_size++] = (struct merge_trace){
	    merge_weigh(w, t->weight), guids, t->size };
	return PROF_OK;
}

enum prof_status
merge_add(struct merge *m, const struct prof_record *r,
    const struct merge_factor *weight, struct prof_error *err)
{
	const struct merge_factor *w = weight == NULL ? &unscaled : weight;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		m->next = 0;
		m->own_traces = 0;
		return merge_head_begin(&m->head, &m->arena, &r->u.profile,
		    err);
	case PROF_REC_BINARY:
		return add_binary(m, r->u.build_id, err);
	case PROF_REC_VTABLE:
		return add_vtable(m, &r->u.vtable, err);
	case PROF_REC_FUNCTION:
		return add_function(m, &r->u.function, w, err);
	case PROF_REC_RAW_COUNTERS:
		return err_set(err, PROF_E_UNSUPPORTED, "a correlated profile: "
		    "its functions are known only to the binary");
	case PROF_REC_TRACE:
		return add_trace(m, &r->u.trace, w, err);
	case PROF_REC_END:
		merge_head_end(&m->head, m->own_traces);
		return PROF_OK;
	case PROF_REC_OTHER:
		m->others++;
		return PROF_OK;
	}
	return PROF_OK;
}
