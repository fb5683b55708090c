#include "model/memprof/data.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/memprof_guid.h"

/* The number of a symbol or literal; a new one gets the pool's old size. */
static uint32_t
data_number(struct list_pool *t, const struct prof_data *d)
{
	bool literal = d->symbol.size == 0;
	uint64_t id = literal ? d->hash :
	    prof_guid(memprof_data_name(d->symbol));
	const uint32_t key[] = { (uint32_t)id, (uint32_t)(id >> 32), literal };

	return list_pool_add(t, key, 3);
}

static bool
data_make_room(struct memprof_data *d, size_t used)
{
	return ARRAY_ROOM(d->accesses, used, d->accesses_room) &&
	    ARRAY_ROOM(d->locations, used, d->pointers_room) &&
	    ARRAY_ROOM(d->locations_room, used, d->rooms_room);
}

/*
 * Adds a location to an access.  Unless `all` is set, only one that the access
 * does not have yet.
 */
static bool
data_add_location(struct memprof_data *d, uint32_t access,
    const struct prof_location *from, bool all)
{
	struct prof_data_access *a = &d->accesses[access];
	uint64_t file = prof_guid(from->file);
	const uint32_t key[] = { access, (uint32_t)file,
	    (uint32_t)(file >> 32), from->line };
	uint32_t size = d->places.size, at = list_pool_add(&d->places, key, 4);
	struct prof_location *p;

	if (at == INDEX_NONE)
		return false;
	if (at < size && !all)
		return true;
	if (!ARRAY_ROOM(d->locations[access], a->size,
	    d->locations_room[access]))
		return false;
	a->locations = d->locations[access];
	p = &d->locations[access][a->size++];
	*p = *from;
	if (arena_keep(&d->arena, &p->file))
		return true;
	a->size--;
	return false;
}

static bool
data_add_locations(struct memprof_data *d, uint32_t access,
    const struct prof_data_access *from, bool all)
{
	for (size_t i = 0; i < from->size; i++) {
		if (!data_add_location(d, access, &from->locations[i], all))
			return false;
	}
	return true;
}

enum prof_status
memprof_data_put(struct memprof_data *d, const struct prof_data_access *from,
    struct prof_error *err)
{
	uint32_t size = d->keys.size, at = data_number(&d->keys, &from->data);
	struct prof_data_access *a;

	if (at == INDEX_NONE || (at == size && !data_make_room(d, size)))
		return err_memory(err);
	a = &d->accesses[at];
	if (at == size) {
		*a = (struct prof_data_access){ .data = from->data };
		a->data.symbol = memprof_data_name(from->data.symbol);
		d->locations[at] = NULL;
		d->locations_room[at] = 0;
		if (!arena_keep(&d->arena, &a->data.symbol))
			return err_memory(err);
	}
	if (__builtin_add_overflow(a->count, from->count, &a->count)) {
		a->count = UINT64_MAX;
		d->saturated++;
	}
	return data_add_locations(d, at, from, at == size) ? PROF_OK :
	    err_memory(err);
}

enum prof_status
memprof_data_put_cold(struct memprof_data *d, const struct prof_data *from,
    struct prof_error *err)
{
	uint32_t size = d->cold_keys.size;
	uint32_t at = data_number(&d->cold_keys, from);

	if (at < size)
		return PROF_OK;
	if (at == INDEX_NONE)
		return err_memory(err);
	if (!ARRAY_ROOM(d->cold, size, d->cold_room))
		return err_memory(err);
	d->cold[at] = *from;
	d->cold[at].symbol = memprof_data_name(from->symbol);
	return arena_keep(&d->arena, &d->cold[at].symbol) ? PROF_OK :
	    err_memory(err);
}

/*
 * Drops cold symbols that were accessed.  A merge does so too, but compares the
 * names with their suffixes.
 */
static size_t
data_drop_accessed(struct memprof_data *d)
{
	size_t left = 0;

	for (uint32_t i = 0; i < d->cold_keys.size; i++) {
		struct list_pool_entry key = d->cold_keys.items[i];

		if (list_pool_find(&d->keys, key.numbers, key.size) ==
		    INDEX_NONE)
			d->cold[left++] = d->cold[i];
	}
	return left;
}

static int
data_compare_locations(const void *a, const void *b)
{
	const struct prof_location *x = a, *y = b;
	int order = prof_span_compare(x->file, y->file);

	return order != 0 ? order : compare_u64(x->line, y->line);
}

static int
data_compare(const void *a, const void *b)
{
	const struct prof_data *x = a, *y = b;
	int order = prof_span_compare(x->symbol, y->symbol);

	return order != 0 ? order : compare_u64(x->hash, y->hash);
}

static int
data_compare_accesses(const void *a, const void *b)
{
	const struct prof_data_access *x = a, *y = b;

	return data_compare(&x->data, &y->data);
}

/* Sorts what is there of accesses and cold symbols. */
static void
data_sort(struct memprof_data *d, size_t cold)
{
	for (size_t i = 0; i < d->keys.size; i++) {
		if (d->accesses[i].size > 1)
			qsort(d->locations[i], d->accesses[i].size,
			    sizeof(**d->locations), data_compare_locations);
	}
	if (d->keys.size > 1)
		qsort(d->accesses, d->keys.size, sizeof(*d->accesses),
		    data_compare_accesses);
	if (cold > 1)
		qsort(d->cold, cold, sizeof(*d->cold), data_compare);
}

void
memprof_data_result(struct memprof_data *d, bool sorted,
    struct memprof_built *out)
{
	out->accesses = d->accesses;
	out->accesses_size = d->keys.size;
	out->cold_symbols = d->cold;
	out->cold_size = data_drop_accessed(d);
	if (sorted)
		data_sort(d, out->cold_size);
	out->losses.saturated_accesses = d->saturated;
}

void
memprof_data_free(struct memprof_data *d)
{
	/* After a lack of memory, the last key may have no access. */
	for (size_t i = 0; i < d->keys.size && i < d->rooms_room; i++)
		free(d->locations[i]);
	free(d->accesses);
	free(d->locations);
	free(d->locations_room);
	free(d->cold);
	list_pool_free(&d->keys);
	list_pool_free(&d->cold_keys);
	list_pool_free(&d->places);
	arena_free(&d->arena);
}
