#include "merge/merge.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/huge_pages.h"
#include "merge/functions/block.h"
#include "merge/engine.h"
#include "merge/worker.h"
#include "merge/heap/heap.h"
#include "merge/spill/spill.h"
#include "merge/functions/values.h"

struct merge *
merge_new(prof_warn *warn, void *warn_arg)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->warn = warn;
	m->warn_arg = warn_arg;
	m->heap = merge_heap_new();
	if (m->heap == NULL) {
		free(m);
		return NULL;
	}
	m->first = (struct merge_worker){ .merge = m, .head = &m->head,
	    .arena = &m->arena, .kept = &m->kept, .scratch = &m->scratch };
	return m;
}

static void
free_entries(struct merge *m)
{
	for (size_t i = 0; i < MERGE_CHUNKS; i++) {
		free(m->chunks[i]);
		m->chunks[i] = NULL;
	}
	free(m->slots);
	free(m->traces);
	merge_blocks_free(m->blocks);
}

void
merge_free(struct merge *m)
{
	if (m == NULL)
		return;
	arena_free(&m->arena);
	arena_free(&m->kept);
	arena_free(&m->scratch);
	merge_head_free(&m->head);
	merge_worker_free(m);
	symtab_free(&m->names);
	symtab_free(&m->build_ids);
	symtab_free(&m->vtables);
	free_entries(m);
	merge_heap_free(m->heap);
	merge_spill_free(m->spill);
	free(m);
}

static size_t
first_slot(const struct merge *m, uint64_t guid, uint64_t hash)
{
	uint64_t mixed = guid ^ hash * 0x9E3779B97F4A7C15;

	return (size_t)(mixed * 0x9E3779B97F4A7C15 >> 32) &
	    (m->slot_count - 1);
}

static size_t
slot_of(const struct merge *m, uint64_t guid, uint64_t hash)
{
	size_t mask = m->slot_count - 1, i = first_slot(m, guid, hash);

	for (; m->slots[i] != 0; i = (i + 1) & mask) {
		const struct merge_entry *e =
		    merge_entry_at(m, m->slots[i] - 1);

		if (e->guid == guid && e->hash == hash)
			break;
	}
	return i;
}

/* At most half of the slots are in use, with so many more entries. */
static bool
grow_slots(struct merge *m, size_t more)
{
	size_t count = m->slot_count == 0 ? 128 : m->slot_count;

	while (count / 2 < m->size + more && count <= SIZE_MAX / 4)
		count *= 2;
	if (count == m->slot_count)
		return true;
	free(m->slots);
	m->slots = huge_zeros(count, sizeof(*m->slots));
	if (m->slots == NULL)
		return false;
	m->slot_count = count;
	for (size_t i = 0; i < m->size; i++) {
		const struct merge_entry *e = merge_entry_at(m, i);

		m->slots[slot_of(m, e->guid, e->hash)] = (uint32_t)i + 1;
	}
	return true;
}

/* Room for one more entry. */
static bool
grow_chunks(struct merge *m)
{
	uint64_t place = (uint64_t)m->size + MERGE_FIRST_CHUNK;
	int top = 63 - __builtin_clzll(place);
	struct merge_entry **chunk = &m->chunks[top - MERGE_FIRST_BITS];

	if (*chunk != NULL)
		return true;
	if (place <= SIZE_MAX / sizeof(**chunk))
		*chunk = huge_alloc(((size_t)1 << top) * sizeof(**chunk));
	return *chunk != NULL;
}

/* Functions mostly come in the order of the profile before. */
static struct merge_entry *
expected(struct merge_worker *d, const struct prof_function *f)
{
	const struct merge *m = d->merge;
	struct merge_entry *e;

	if (d->next >= __atomic_load_n(&m->size, __ATOMIC_ACQUIRE))
		return NULL;
	e = merge_entry_at(m, d->next);
	if (e->hash != f->hash ||
	    (f->symbol.guid != 0 && e->guid != f->symbol.guid))
		return NULL;
	merge_feed_hold(d, d->next, 1);
	if (f->symbol.guid == 0 && (e->name.data == NULL ||
	    !prof_span_equal(e->name, f->symbol.name)))
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

static enum prof_status
insert(struct merge *m, uint64_t guid, uint64_t hash, size_t *index,
    struct prof_error *err)
{
	size_t slot;

	if (m->size == UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "more than 2^32 functions");
	if (!grow_chunks(m) ||
	    (m->size >= m->slot_count / 2 && !grow_slots(m, 1)))
		return err_memory(err);
	slot = slot_of(m, guid, hash);
	if (m->slots[slot] == 0) {
		*merge_entry_at(m, m->size) = (struct merge_entry){
		    .guid = guid, .hash = hash };
		m->slots[slot] = (uint32_t)m->size + 1;
		__atomic_store_n(&m->size, m->size + 1, __ATOMIC_RELEASE);
	}
	*index = m->slots[slot] - 1;
	return PROF_OK;
}

/* The place of an entry, from 1; or 0. */
static size_t
find(const struct merge *m, uint64_t guid, uint64_t hash)
{
	struct lock *table = merge_worker_table(m);
	size_t found;

	lock_for_reading(table);
	found = m->size == 0 ? 0 : m->slots[slot_of(m, guid, hash)];
	lock_release(table);
	return found;
}

bool
merge_reserve(struct merge_worker *d, size_t more)
{
	struct merge *m = d->merge;
	struct lock *table = merge_worker_table(m);
	bool slots, names = true;

	lock_for_writing(table);
	slots = grow_slots(m, more);
	lock_release(table);
	lock_for_writing(m->names.lock);
	if (!d->lent.names)
		names = symtab_reserve(&m->names, more);
	lock_release(m->names.lock);
	return slots && names;
}

void
merge_prefetch(const struct merge_worker *d, const struct prof_symbol *s,
    uint64_t hash)
{
	const struct merge *m = d->merge;

	/* Tables that another thread may replace are left alone. */
	if (m->share != NULL || m->slot_count == 0)
		return;
	__builtin_prefetch(&m->slots[first_slot(m, s->guid, hash)]);
	if (!d->lent.names)
		symtab_prefetch(&m->names, s->guid);
}

bool
merge_name_entries(struct merge *m)
{
	bool fit = true;

	for (size_t i = 0; i < m->size && m->unlisted && fit; i++) {
		const struct merge_entry *e = merge_entry_at(m, i);

		fit = e->name.data == NULL ||
		    symtab_add(&m->names, e->name, e->guid);
	}
	m->unlisted = m->unlisted && !fit;
	return fit;
}

bool
merge_knows(const struct merge *m, const struct prof_function *f)
{
	return find(m, prof_symbol_guid(&f->symbol), f->hash) != 0;
}

/* The place of the entry of a name and hash, which is new if need be. */
static enum prof_status
find_or_insert(struct merge *m, uint64_t guid, uint64_t hash, size_t *index,
    struct prof_error *err)
{
	struct lock *table = merge_worker_table(m);
	enum prof_status status;

	/* Others may go on meanwhile, if there are any. */
	*index = table == NULL ? 0 : find(m, guid, hash);
	if ((*index)-- != 0)
		return PROF_OK;
	lock_for_writing(table);
	status = insert(m, guid, hash, index, err);
	lock_release(table);
	return status;
}

/* The name that a record gave, which all of that guid should have. */
static enum prof_status
name_entry(struct merge_worker *d, struct merge_entry *e, struct prof_span name,
    struct prof_error *err)
{
	if (e->name.data == NULL && d->lent.names) {
		e->name = name;
		__atomic_store_n(&d->merge->unlisted, true, __ATOMIC_RELAXED);
	}
	if (e->name.data == NULL && !merge_keep_name(&d->merge->names,
	    d->arena, name, e->guid, &e->name))
		return err_memory(err);
	return e->name.data == name.data || prof_span_equal(e->name, name) ?
	    PROF_OK : name_clash(e->name, name, err);
}

enum prof_status
merge_entry_of(struct merge_worker *d, const struct prof_function *f,
    struct merge_entry **out, struct prof_error *err)
{
	struct merge *m = d->merge;
	bool compared;

	*out = expected(d, f);
	/* Without a guid, by name. */
	compared = *out != NULL && f->symbol.guid == 0;
	if (*out == NULL) {
		if (find_or_insert(m, prof_symbol_guid(&f->symbol), f->hash,
		    &d->next, err) != PROF_OK)
			return PROF_FAIL;
		merge_feed_hold(d, d->next, 1);
		*out = merge_entry_at(m, d->next);
	}
	d->next++;
	return f->symbol.name.data == NULL || compared ? PROF_OK :
	    name_entry(d, *out, f->symbol.name, err);
}

enum prof_status
merge_mixes(const struct merge *m, const struct prof_header *h,
    bool functions, struct prof_error *err)
{
	return merge_head_mixes(&m->head, h, functions, err);
}

void
merge_values_as_arrived(struct merge *m)
{
	m->values_as_arrived = true;
}

void
merge_next_input(struct merge *m)
{
	m->input++;
}

struct merge_entry *
merge_find(const struct merge *m, uint64_t guid, uint64_t hash)
{
	size_t found = find(m, guid, hash);

	return found == 0 ? NULL : merge_entry_at(m, found - 1);
}

static bool
add_binary(struct merge_worker *d, struct prof_span id)
{
	return merge_keep_name(&d->merge->build_ids, d->kept, id,
	    prof_guid(id), NULL);
}

/* Addresses belong to one run and are not kept. */
static bool
add_vtable(struct merge_worker *d, const struct prof_vtable *v)
{
	struct merge *m = d->merge;
	uint64_t guid = prof_symbol_guid(&v->symbol);
	struct prof_symbol *s;
	bool known;

	/* A table has no guid 0: it takes the one of an empty name. */
	if (guid == 0)
		guid = prof_guid((struct prof_span){ NULL, 0 });
	if (!symtab_add(&m->vtables, (struct prof_span){ NULL, 0 }, guid))
		return false;
	s = &m->vtables.symbols[symtab_find(&m->vtables, guid, NULL)];
	if (s->name.data == NULL && v->symbol.name.data != NULL &&
	    (s->name = arena_copy(d->kept, v->symbol.name)).data == NULL)
		return false;
	lock_for_writing(m->names.lock);
	known = s->name.data == NULL || symtab_add(&m->names, s->name, guid);
	lock_release(m->names.lock);
	return known;
}

static bool
add_trace(struct merge_worker *d, const struct prof_trace *t,
    const struct merge_factor *w)
{
	struct merge *m = d->merge;
	uint64_t *guids = arena_array(d->arena, t->size, sizeof(*guids));
	struct merge_trace *traces = array_room(m->traces, m->traces_size,
	    &m->traces_room, sizeof(*traces));

	if (guids == NULL || traces == NULL)
		return false;
	m->traces = traces;
	for (size_t i = 0; i < t->size; i++) {
		guids[i] = prof_symbol_guid(&t->functions[i]);
		if (!merge_keep_name(&m->names, d->arena,
		    t->functions[i].name, guids[i], NULL))
			return false;
	}
	if (d->own_traces++ == 0)
		m->profiles_with_traces++;
	m->traces[m->traces_size++] = (struct merge_trace){
	    merge_weigh(w, t->weight), guids, t->size };
	return true;
}

/* What is rare enough to be done by one thread at a time. */
static enum prof_status
add_rare(struct merge_worker *d, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	bool added = true;

	merge_worker_lock(d);
	if (r->kind == PROF_REC_BINARY)
		added = add_binary(d, r->u.build_id);
	else if (r->kind == PROF_REC_VTABLE)
		added = add_vtable(d, &r->u.vtable);
	else if (r->kind == PROF_REC_TRACE)
		added = add_trace(d, &r->u.trace, w);
	else
		d->merge->others++;
	merge_worker_unlock(d);
	return added ? PROF_OK : err_memory(err);
}

static enum prof_status
begin_profile(struct merge_worker *d, const struct prof_header *h,
    struct prof_error *err)
{
	d->next = 0;
	d->own_traces = 0;
	merge_worker_end(d);
	return merge_head_begin(d->head, d->kept, h, err);
}

enum prof_status
merge_worker_add(struct merge_worker *d, const struct prof_record *r,
    const struct merge_factor *weight, struct prof_error *err)
{
	static const struct merge_factor once = { 1, 1 };
	const struct merge_factor *w = weight == NULL ? &once : weight;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return begin_profile(d, &r->u.profile, err);
	case PROF_REC_FUNCTION:
		return merge_function(d, &r->u.function, w, err);
	case PROF_REC_BLOCK:
		return merge_block(d, &r->u.block, w, err);
	case PROF_REC_RAW_COUNTERS:
		return err_set(err, PROF_E_UNSUPPORTED, "a correlated profile: "
		    "its functions are known only to the binary: run "
		    "prof-symbolize first");
	case PROF_REC_END:
		merge_head_end(d->head, d->own_traces);
		if (d->heap && merge_heap_end(d->merge->heap, err) != PROF_OK)
			return PROF_FAIL;
		merge_worker_end(d);
		return PROF_OK;
	default:
		if (!merge_heap_takes(r->kind))
			return add_rare(d, r, w, err);
		merge_worker_take_heap(d);
		return merge_heap_add(d->merge->heap, r, w, err);
	}
}

enum prof_status
merge_add(struct merge *m, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	if (merge_worker_add(&m->first, r, w, err) != PROF_OK)
		return PROF_FAIL;
	return m->spill == NULL ? PROF_OK : merge_spill_check(m, err);
}

size_t
merge_memory(const struct merge *m)
{
	return arena_size(&m->arena) +
	    m->size * (sizeof(struct merge_entry) +
	    sizeof(struct merge_entry *)) +
	    m->slot_count * sizeof(*m->slots) +
	    m->names.size * sizeof(*m->names.symbols) +
	    m->names.slot_count * sizeof(*m->names.slots) +
	    m->traces_size * sizeof(*m->traces);
}

void
merge_clear(struct merge *m)
{
	struct lock *lock = m->names.lock;

	free_entries(m);
	arena_free(&m->arena);
	symtab_free(&m->names);
	m->names.lock = lock;
	m->size = m->slot_count = m->traces_size = m->traces_room = 0;
	m->slots = NULL;
	m->traces = NULL;
	m->blocks = NULL;
	m->first.next = 0;
	m->unlisted = false;
}
