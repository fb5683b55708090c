#include "model/memprof/function_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "model/mib_sum.h"

uint32_t
memprof_records_of(struct memprof_records *r, uint64_t guid)
{
	size_t size = r->guids.size;
	uint64_t *at;

	if (size >= INDEX_NONE || !ARRAY_ROOM(r->heads, size, r->heads_room))
		return INDEX_NONE;
	at = id_map_add(&r->guids, guid, size);
	if (at == NULL)
		return INDEX_NONE;
	if (r->guids.size != size)
		r->heads[size] = (struct memprof_record_head){ .name.size = 0 };
	return (uint32_t)*at;
}

bool
memprof_records_name(struct memprof_records *r, uint32_t record,
    struct prof_span name)
{
	struct memprof_record_head *h = &r->heads[record];

	if (name.data == NULL || h->name.data != NULL)
		return true;
	h->name = arena_copy(&r->arena, name);
	return h->name.data != NULL;
}

struct records_key {
	const struct memprof_site *items, *site;
};

static bool
records_same_site(const void *arg, uint32_t item)
{
	const struct records_key *k = arg;

	return k->items[item].record == k->site->record &&
	    k->items[item].stack == k->site->stack;
}

/*
 * Finds the first site with this record and stack, if it is of another source
 * or sites are folded: UINT32_MAX if there is none.  If there is no such site,
 * the next one that is appended becomes the first.
 */
static bool
records_find_other(struct memprof_sites *s, const struct memprof_site *site,
    uint32_t *found)
{
	struct hash_index_slot *slot;
	uint64_t hash;

	*found = UINT32_MAX;
	if (!hash_index_reserve(&s->keys, (size_t)s->keys.size + 1))
		return false;
	hash = hash_mix(s->keys.seed,
	    (uint64_t)site->record << 32 | site->stack);
	slot = hash_index_slot(&s->keys, hash, records_same_site,
	    &(struct records_key){ s->items, site });
	if (slot->item == 0)
		hash_index_fill_item(&s->keys, slot, hash, s->size);
	else if (s->folded || s->items[slot->item - 1].source != site->source)
		*found = slot->item - 1;
	return true;
}

/* Appends a site to its record's chain. */
static bool
records_append_site(struct memprof_sites *s, const struct memprof_site *site,
    struct memprof_chain *chain)
{
	if (!ARRAY_ROOM(s->items, s->size, s->room) ||
	    s->size >= UINT32_MAX - 1)
		return false;
	s->items[s->size] = *site;
	s->items[s->size].next = 0;
	s->size++;
	if (chain->size++ == 0)
		chain->first = s->size;
	else
		s->items[chain->last - 1].next = s->size;
	chain->last = s->size;
	return true;
}

/* The sum is a new info, since other sites may share the old one. */
static bool
records_merge_mib(struct memprof_records *r, uint32_t site,
    const struct prof_mib *info, uint64_t *saturated)
{
	struct prof_mib *sum = arena_alloc(&r->arena, sizeof(*sum));

	if (sum == NULL)
		return false;
	*sum = *r->infos[site];
	*saturated += !mib_add(sum, info);
	r->infos[site] = sum;
	return true;
}

bool
memprof_records_alloc(struct memprof_records *r,
    const struct memprof_site *site, struct prof_mib *info,
    uint64_t *saturated)
{
	struct memprof_record_head *h = &r->heads[site->record];
	bool again = h->added == info;
	uint32_t other;

	h->added = info;
	if (!records_find_other(&r->allocs, site, &other))
		return false;
	if (other != UINT32_MAX)
		return again || records_merge_mib(r, other, info, saturated);
	if (!ARRAY_ROOM(r->infos, r->allocs.size, r->infos_room))
		return false;
	r->infos[r->allocs.size] = info;
	return records_append_site(&r->allocs, site, &h->allocs);
}

/* Room for the callees of a site, which has none yet if it is new. */
static bool
records_reserve_callees(struct memprof_records *r, uint32_t site)
{
	if (site < r->callees_size)
		return true;
	if (!ARRAY_RESERVE(r->callees, r->callees_size,
	    site - r->callees_size + 1, r->callees_room))
		return false;
	while (r->callees_size <= site)
		r->callees[r->callees_size++] =
		    (struct memprof_callees){ .size = 0 };
	return true;
}

/* Adds callees; unless `all` is set, only guids that the call lacks. */
static bool
records_add_callees(struct memprof_records *r, uint32_t site,
    const uint64_t *guids, size_t size, bool all)
{
	struct memprof_callees *c;

	if (size == 0)
		return true;
	if (!records_reserve_callees(r, site))
		return false;
	c = &r->callees[site];
	for (size_t i = 0; i < size; i++) {
		const uint32_t key[] = { site, (uint32_t)guids[i],
		    (uint32_t)(guids[i] >> 32) };
		uint32_t old = r->callee_keys.size;
		uint32_t at = list_pool_add(&r->callee_keys, key, 3);

		if (at == INDEX_NONE)
			return false;
		if (at < old && !all)
			continue;
		if (!ARRAY_ADD(c->guids, c->size, c->room, guids[i]))
			return false;
	}
	return true;
}

bool
memprof_records_call(struct memprof_records *r,
    const struct memprof_site *site, const uint64_t *callees, size_t size)
{
	uint32_t at;

	if (!records_find_other(&r->calls, site, &at))
		return false;
	if (at != UINT32_MAX)
		return records_add_callees(r, at, callees, size, false);
	at = r->calls.size;
	return records_append_site(
		   &r->calls, site, &r->heads[site->record].calls) &&
	    records_add_callees(r, at, callees, size, true);
}

static void
records_copy_allocs(const struct memprof_records *r,
    const struct memprof_chain *c, struct memprof_alloc *out)
{
	for (uint32_t i = c->first; i != 0; i = r->allocs.items[i - 1].next)
		*out++ = (struct memprof_alloc){
		    r->allocs.items[i - 1].stack, r->infos[i - 1] };
}

static void
records_copy_calls(const struct memprof_records *r,
    const struct memprof_chain *c, struct memprof_call *out, uint64_t *callees)
{
	for (uint32_t i = c->first; i != 0; i = r->calls.items[i - 1].next) {
		static const struct memprof_callees none;
		const struct memprof_callees *of = i <= r->callees_size ?
		    &r->callees[i - 1] : &none;

		*out++ = (struct memprof_call){ r->calls.items[i - 1].stack,
		    of->guids, of->size };
		*callees += of->size;
	}
}

static void
records_free_sites(struct memprof_sites *s)
{
	free(s->items);
	hash_index_free(&s->keys);
	s->items = NULL;
}

/* All but what records refer to. */
static void
records_free_lists(struct memprof_records *r)
{
	records_free_sites(&r->allocs);
	records_free_sites(&r->calls);
	free(r->heads);
	free(r->infos);
	r->heads = NULL;
	r->infos = NULL;
	id_map_free(&r->guids);
	list_pool_free(&r->callee_keys);
}

static int
records_compare_guids(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int
records_compare_allocs(const void *a, const void *b)
{
	const struct memprof_alloc *x = a, *y = b;

	return compare_u64(x->stack, y->stack);
}

static int
records_compare_calls(const void *a, const void *b)
{
	const struct memprof_call *x = a, *y = b;

	return compare_u64(x->stack, y->stack);
}

static int
records_compare(const void *a, const void *b)
{
	const struct memprof_record *x = a, *y = b;

	return compare_u64(x->guid, y->guid);
}

static void
records_sort_callees(const struct memprof_records *r)
{
	for (size_t i = 0; i < r->callees_size; i++) {
		const struct memprof_callees *c = &r->callees[i];

		if (c->size > 1)
			qsort(c->guids, c->size, sizeof(*c->guids),
			    records_compare_guids);
	}
}

/* Gives the sites of a record their new numbers of stacks, and sorts them. */
static void
records_sort_sites(struct memprof_alloc *allocs, size_t allocs_size,
    struct memprof_call *calls, size_t calls_size, const uint32_t *numbers)
{
	for (size_t i = 0; i < allocs_size; i++)
		allocs[i].stack = numbers[allocs[i].stack];
	for (size_t i = 0; i < calls_size; i++)
		calls[i].stack = numbers[calls[i].stack];
	if (allocs_size > 1)
		qsort(allocs, allocs_size, sizeof(*allocs),
		    records_compare_allocs);
	if (calls_size > 1)
		qsort(calls, calls_size, sizeof(*calls),
		    records_compare_calls);
}

bool
memprof_records_result(struct memprof_records *r, struct arena *arena,
    const uint32_t *numbers, struct memprof_built *out)
{
	uint32_t n = (uint32_t)r->guids.size;
	struct memprof_record *records = arena_array(arena, n,
	    sizeof(*records));
	struct memprof_alloc *alloc = arena_array(arena, r->allocs.size,
	    sizeof(*alloc));
	struct memprof_call *call = arena_array(arena, r->calls.size,
	    sizeof(*call));

	if (records == NULL || alloc == NULL || call == NULL)
		return false;
	if (numbers != NULL)
		records_sort_callees(r);
	for (uint32_t i = 0; i < n; i++) {
		const struct memprof_record_head *h = &r->heads[i];

		records[i] = (struct memprof_record){
		    .guid = r->guids.entries[i].id,
		    .name = h->name,
		    .allocs = alloc, .allocs_size = h->allocs.size,
		    .calls = call, .calls_size = h->calls.size };
		records_copy_allocs(r, &h->allocs, alloc);
		records_copy_calls(r, &h->calls, call, &out->callees);
		if (numbers != NULL)
			records_sort_sites(alloc, h->allocs.size, call,
			    h->calls.size, numbers);
		alloc += h->allocs.size;
		call += h->calls.size;
	}
	if (numbers != NULL && n > 1)
		qsort(records, n, sizeof(*records), records_compare);
	out->records = records;
	out->records_size = n;
	records_free_lists(r);
	return true;
}

void
memprof_records_free(struct memprof_records *r)
{
	for (size_t i = 0; i < r->callees_size; i++)
		free(r->callees[i].guids);
	free(r->callees);
	records_free_lists(r);
	arena_free(&r->arena);
}
