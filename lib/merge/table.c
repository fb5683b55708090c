#include "merge/state.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "merge/worker.h"

/* The seed is that of the index, which gets one with its first slots. */
static uint64_t
merge_key_hash(const struct merge *m, uint64_t guid, uint64_t hash)
{
	return hash_mix(hash_mix(m->index.seed, guid), hash);
}

struct merge_key {
	const struct merge *merge;
	uint64_t guid, hash;
};

static bool
merge_same_key(const void *arg, uint32_t item)
{
	const struct merge_key *k = arg;
	const struct merge_entry *e = merge_entry_at(k->merge, item);

	return e->guid == k->guid && e->hash == k->hash;
}

/* Room for one more entry. */
static bool
merge_grow_chunks(struct merge *m)
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

void
merge_table_free(struct merge *m)
{
	for (size_t i = 0; i < MERGE_CHUNKS; i++) {
		free(m->chunks[i]);
		m->chunks[i] = NULL;
	}
	hash_index_free(&m->index);
	m->size = 0;
}

uint32_t
merge_table_number(const struct merge *m, uint64_t guid, uint64_t hash)
{
	const struct merge_key key = { m, guid, hash };
	struct lock *lock = merge_table_lock(m);
	uint32_t found;

	lock_for_reading(lock);
	found = hash_index_find(&m->index, merge_key_hash(m, guid, hash),
	    merge_same_key, &key);
	lock_release(lock);
	return found;
}

struct merge_entry *
merge_table_find(const struct merge *m, uint64_t guid, uint64_t hash)
{
	uint32_t found = merge_table_number(m, guid, hash);

	return found == INDEX_NONE ? NULL : merge_entry_at(m, found);
}

/*
 * Finds or adds an entry; the caller holds the table's lock.  The size is
 * published after the entry is complete: merge_expected_entry reads it without
 * the lock.
 */
static enum prof_status
merge_insert_unlocked(struct merge *m, uint64_t guid, uint64_t hash,
    size_t *number, struct prof_error *err)
{
	const struct merge_key key = { m, guid, hash };
	uint64_t mixed;
	struct hash_index_slot *slot;

	if (m->size >= INDEX_NONE - 1)
		return err_set(err, PROF_E_LIMIT, "more than 2^32 functions");
	if (!merge_grow_chunks(m) ||
	    !hash_index_reserve(&m->index, m->size + 1))
		return err_memory(err);
	mixed = merge_key_hash(m, guid, hash);
	slot = hash_index_slot(&m->index, mixed, merge_same_key, &key);
	if (slot->item == 0) {
		*merge_entry_at(m, m->size) = (struct merge_entry){
		    .guid = guid, .hash = hash };
		hash_index_fill(&m->index, slot, mixed);
		__atomic_store_n(&m->size, m->size + 1, __ATOMIC_RELEASE);
	}
	*number = slot->item - 1;
	return PROF_OK;
}

/*
 * With several threads, the entry is searched for under the read lock first, so
 * that threads that add known functions do not wait for each other; unless the
 * worker has the table for itself.
 */
static enum prof_status
merge_find_or_insert(struct merge_worker *worker, uint64_t guid, uint64_t hash,
    size_t *number, struct prof_error *err)
{
	struct merge *m = worker->merge;
	struct lock *lock = worker->table_locked ? NULL : merge_table_lock(m);
	enum prof_status status;

	if (lock != NULL) {
		uint32_t found;

		merge_worker_release(worker);
		found = merge_table_number(m, guid, hash);
		*number = found;
		if (found != INDEX_NONE)
			return PROF_OK;
	}
	lock_for_writing(lock);
	status = merge_insert_unlocked(m, guid, hash, number, err);
	lock_release(lock);
	return status;
}

void
merge_table_lock_all(struct merge_worker *worker)
{
	merge_worker_release(worker);
	lock_for_writing(merge_table_lock(worker->merge));
	worker->table_locked = true;
}

void
merge_table_unlock_all(struct merge_worker *worker)
{
	worker->table_locked = false;
	lock_release(merge_table_lock(worker->merge));
}

bool
merge_table_reserve(struct merge_worker *worker, size_t more)
{
	struct merge *m = worker->merge;
	struct lock *lock = merge_table_lock(m);
	bool slots, names = true;

	lock_for_writing(lock);
	slots = hash_index_reserve(&m->index, m->size + more);
	lock_release(lock);
	lock_for_writing(m->names.lock);
	if (!worker->names_stay)
		names = symtab_reserve(&m->names, more);
	lock_release(m->names.lock);
	return slots && names;
}

void
merge_table_prefetch(const struct merge_worker *worker,
    const struct prof_symbol *s, uint64_t hash)
{
	const struct merge *m = worker->merge;

	/* Another thread may replace slots that are not locked here. */
	if (m->shared == NULL || worker->table_locked)
		hash_index_prefetch(&m->index,
		    merge_key_hash(m, s->guid, hash));
	if (m->shared == NULL && !worker->names_stay)
		symtab_prefetch(&m->names, s->guid);
}

bool
merge_add_name(struct symtab *names, struct arena *a, struct prof_span name,
    uint64_t guid, struct prof_span *listed)
{
	const struct prof_symbol *symbol = NULL;
	size_t known = SYMTAB_NONE;

	if (name.data == NULL)
		return true;
	if (a != NULL) {
		lock_for_reading(names->lock);
		known = symtab_find(names, guid, NULL);
		if (known != SYMTAB_NONE && listed != NULL)
			*listed = names->symbols[known].name;
		lock_release(names->lock);
		if (known != SYMTAB_NONE)
			return true;
		name = arena_copy(a, name);
	}
	lock_for_writing(names->lock);
	if (name.data != NULL)
		symbol = symtab_put(names, name, guid);
	if (symbol != NULL && listed != NULL)
		*listed = symbol->name;
	lock_release(names->lock);
	return symbol != NULL;
}

bool
merge_table_list_names(struct merge *m)
{
	bool fit = true;

	for (size_t i = 0; i < m->size && m->names_unlisted && fit; i++) {
		const struct merge_entry *e = merge_entry_at(m, i);

		fit = e->name.data == NULL ||
		    symtab_add(&m->names, e->name, e->guid);
	}
	m->names_unlisted = m->names_unlisted && !fit;
	return fit;
}

void
merge_table_name_entries(struct merge *m, const struct symtab *names)
{
	for (size_t i = 0; i < m->size; i++) {
		struct merge_entry *e = merge_entry_at(m, i);

		if (e->name.size == 0 && e->guid != 0)
			e->name = symtab_name(names, e->guid);
	}
}

/* Sets the name of an entry, or checks that it has this one. */
static enum prof_status
merge_name_entry(struct merge_worker *worker, struct merge_entry *e,
    struct prof_span name, struct prof_error *err)
{
	char x[ERR_NAME_SIZE], y[ERR_NAME_SIZE];
	struct merge *m = worker->merge;

	if (e->name.data == NULL && worker->names_stay) {
		e->name = name;
		__atomic_store_n(&m->names_unlisted, true, __ATOMIC_RELAXED);
	}
	if (e->name.data == NULL && !merge_add_name(&m->names, worker->arena,
	    name, e->guid, &e->name))
		return err_memory(err);
	if (e->name.data == name.data || prof_span_equal(e->name, name))
		return PROF_OK;
	return err_set(err, PROF_E_MISMATCH, "%s and %s have the same MD5 "
	    "prefix and cannot be told apart", err_name(x, e->name),
	    err_name(y, name));
}

/*
 * The entry behind the last one, if it is the function's.  A record without
 * guid, as those of streams, is compared by name, which saves its digest.
 */
static struct merge_entry *
merge_expected_entry(struct merge_worker *worker,
    const struct prof_function *f)
{
	const struct merge *m = worker->merge;
	struct merge_entry *e;

	if (worker->next >= __atomic_load_n(&m->size, __ATOMIC_ACQUIRE))
		return NULL;
	e = merge_entry_at(m, worker->next);
	if (e->hash != f->hash ||
	    (f->symbol.guid != 0 && e->guid != f->symbol.guid))
		return NULL;
	merge_lock_entries(worker, worker->next, 1);
	if (f->symbol.guid == 0 && (e->name.data == NULL ||
	    !prof_span_equal(e->name, f->symbol.name)))
		return NULL;
	return e;
}

enum prof_status
merge_table_entry(struct merge_worker *worker, const struct prof_function *f,
    struct merge_entry **out, struct prof_error *err)
{
	struct merge *m = worker->merge;
	bool name_compared;

	*out = merge_expected_entry(worker, f);
	name_compared = *out != NULL && f->symbol.guid == 0;
	if (*out == NULL) {
		if (merge_find_or_insert(worker, prof_symbol_guid(&f->symbol),
		    f->hash, &worker->next, err) != PROF_OK)
			return PROF_FAIL;
		merge_lock_entries(worker, worker->next, 1);
		*out = merge_entry_at(m, worker->next);
	}
	worker->next++;
	if (name_compared)
		return PROF_OK;
	if (f->symbol.name.data != NULL)
		return merge_name_entry(worker, *out, f->symbol.name, err);
	__atomic_store_n(&m->nameless_came, true, __ATOMIC_RELAXED);
	return PROF_OK;
}
