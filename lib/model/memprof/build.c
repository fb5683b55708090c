#include "model/memprof/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "model/heap.h"
#include "model/memprof/stacks.h"
#include "model/mib.h"

/*
 * Accesses to data symbols, and the symbols known to be cold.  All zero is
 * empty.  Each symbol stands there once, without the suffixes that the compiler
 * appended, as LLVM looks symbols up.
 */
struct memprof_data {
	struct prof_data_access *accesses;
	struct prof_location **locations;	/* of each access */
	size_t *locations_room;
	struct prof_data *cold;
	size_t accesses_room, pointers_room, rooms_room, cold_room;
	struct list_pool keys;		/* of accesses, in the same order */
	struct list_pool cold_keys;	/* of cold, in the same order */
	struct list_pool places;	/* access, guid of the file, line */
	uint64_t saturated;		/* sums at the largest number */
	struct arena arena;
};

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

static enum prof_status
memprof_data_put(struct memprof_data *d, const struct prof_data_access *from,
    struct prof_error *err)
{
	uint32_t size = d->keys.size, at = data_number(&d->keys, &from->data);
	struct prof_data_access *a;

	if (at == INDEX_NONE || (at == size &&
	    (!ARRAY_ROOM(d->accesses, size, d->accesses_room) ||
	    !ARRAY_ROOM(d->locations, size, d->pointers_room) ||
	    !ARRAY_ROOM(d->locations_room, size, d->rooms_room))))
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
	for (size_t i = 0; i < from->size; i++) {
		if (!data_add_location(d, at, &from->locations[i], at == size))
			return err_memory(err);
	}
	return PROF_OK;
}

static enum prof_status
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
 * Sets accesses, and the cold symbols that have none; sorted, or in the order
 * in which they came.  Both stay owned by the data, to which nothing can be
 * added any more.
 */
static void
memprof_data_result(struct memprof_data *d, bool sorted,
    struct memprof_built *out)
{
	size_t cold = 0;

	out->accesses = d->accesses;
	out->accesses_size = d->keys.size;
	out->cold_symbols = d->cold;
	/* A merge compares the names with their suffixes. */
	for (uint32_t i = 0; i < d->cold_keys.size; i++) {
		struct list_pool_entry key = d->cold_keys.items[i];

		if (list_pool_find(&d->keys, key.numbers, key.size) ==
		    INDEX_NONE)
			d->cold[cold++] = d->cold[i];
	}
	out->cold_size = cold;
	for (size_t i = 0; sorted && i < d->keys.size; i++) {
		if (d->accesses[i].size > 1)
			qsort(d->locations[i], d->accesses[i].size,
			    sizeof(**d->locations), heap_compare_locations);
	}
	if (sorted && d->keys.size > 1)
		qsort(d->accesses, d->keys.size, sizeof(*d->accesses),
		    heap_compare_data);
	if (sorted && cold > 1)
		qsort(d->cold, cold, sizeof(*d->cold), heap_compare_data);
	out->losses.saturated_accesses = d->saturated;
}

static void
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

/*
 * A site: the index of its record and of its stack.  `source` numbers the
 * input that named the site: 0 for all allocations, else a function's record.
 */
struct memprof_site {
	uint32_t record, stack, source;
	uint32_t next;			/* of its record: index + 1, or 0 */
};

/* Sites of one kind, chained by record. */
struct memprof_sites {
	struct memprof_site *items;
	uint32_t size;
	size_t room;
	struct id_map keys;		/* record and stack to the first */
	bool folded;			/* which is the only one */
};

struct memprof_chain {
	uint32_t first, last;		/* index + 1, or 0 */
	uint32_t size;
};

struct memprof_record_head {
	struct prof_span name;
	struct memprof_chain allocs, calls;
	const struct prof_mib *added;	/* info of the site added last */
};

struct memprof_callees {
	uint64_t *guids;
	size_t size, room;
};

/* All zero is empty. */
struct memprof_records {
	struct id_map guids;		/* of heads, in the same order */
	struct memprof_record_head *heads;
	size_t heads_room;
	struct memprof_sites allocs, calls;
	struct prof_mib **infos;	/* of allocs */
	size_t infos_room;
	/* Of calls; those that come last may have none. */
	struct memprof_callees *callees;
	size_t callees_size, callees_room;
	struct list_pool callee_keys;	/* call and guid */
	struct arena arena;
};

/* The record of a guid, added if it is new; INDEX_NONE if out of memory. */
static uint32_t
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

/* Names a record that has no name yet.  False if out of memory. */
static bool
memprof_records_name(struct memprof_records *r, uint32_t record,
    struct prof_span name)
{
	struct memprof_record_head *h = &r->heads[record];

	if (name.data == NULL || h->name.data != NULL)
		return true;
	h->name = arena_copy(&r->arena, name);
	return h->name.data != NULL;
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
	size_t size = s->keys.size;
	const uint64_t *first = id_map_add(&s->keys,
	    (uint64_t)site->record << 32 | site->stack, s->size);

	*found = UINT32_MAX;
	if (first == NULL)
		return false;
	if (s->keys.size == size &&
	    (s->folded || s->items[*first].source != site->source))
		*found = (uint32_t)*first;
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

/*
 * Adds a site, as memprof_records_call does.  One source may have several sites
 * of the same stack, unless the sites are folded; a site of another source with
 * that stack is merged into the first of them.  Sites of one source may share
 * an info, which is merged once into a record: a function that is inlined into
 * itself adds its context several times in a row.  False if out of memory.
 */
static bool
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
	if (other != UINT32_MAX && again)
		return true;
	if (other != UINT32_MAX) {
		/* A new info, since other sites may share the old one. */
		struct prof_mib *sum = arena_alloc(&r->arena, sizeof(*sum));

		if (sum == NULL)
			return false;
		*sum = *r->infos[other];
		*saturated += !mib_add(sum, info);
		r->infos[other] = sum;
		return true;
	}
	if (!ARRAY_ROOM(r->infos, r->allocs.size, r->infos_room))
		return false;
	r->infos[r->allocs.size] = info;
	return records_append_site(&r->allocs, site, &h->allocs);
}

/* Adds callees; unless `all` is set, only guids that the call lacks. */
static bool
records_add_callees(struct memprof_records *r, uint32_t site,
    const uint64_t *guids, size_t size, bool all)
{
	struct memprof_callees *c;

	if (size == 0)
		return true;
	/* A new site has no callees yet. */
	if (site >= r->callees_size && !ARRAY_RESERVE(r->callees,
	    r->callees_size, site - r->callees_size + 1, r->callees_room))
		return false;
	while (r->callees_size <= site)
		r->callees[r->callees_size++] =
		    (struct memprof_callees){ .size = 0 };
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

static bool
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
records_free_sites(struct memprof_sites *s)
{
	free(s->items);
	id_map_free(&s->keys);
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

/* Of callees, and of records, which begin with their guid. */
static int
records_compare_guids(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Of allocations and calls, which begin with their stack. */
static int
records_compare_stacks(const void *a, const void *b)
{
	return compare_u64(*(const uint32_t *)a, *(const uint32_t *)b);
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
		    records_compare_stacks);
	if (calls_size > 1)
		qsort(calls, calls_size, sizeof(*calls),
		    records_compare_stacks);
}

/*
 * Sets records and callees, and frees what is not part of them: no site can be
 * added any more.  Stack i is now number numbers[i]; with such numbers, records
 * are sorted by guid, sites by stack, and callees.  Without, numbers is NULL
 * and all stand in the order in which they came.  False if out of memory.
 */
static bool
memprof_records_result(struct memprof_records *r, struct arena *arena,
    const uint32_t *numbers, struct memprof_built *out)
{
	static const struct memprof_callees none;
	uint32_t n = (uint32_t)r->guids.size;
	struct memprof_record *records = arena_array(arena, n,
	    sizeof(*records));
	struct memprof_alloc *alloc = arena_array(arena, r->allocs.size,
	    sizeof(*alloc));
	struct memprof_call *call = arena_array(arena, r->calls.size,
	    sizeof(*call));

	if (records == NULL || alloc == NULL || call == NULL)
		return false;
	for (size_t i = 0; numbers != NULL && i < r->callees_size; i++) {
		const struct memprof_callees *c = &r->callees[i];

		if (c->size > 1)
			qsort(c->guids, c->size, sizeof(*c->guids),
			    records_compare_guids);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct memprof_record_head *h = &r->heads[i];

		records[i] = (struct memprof_record){
		    .guid = r->guids.entries[i].id,
		    .name = h->name,
		    .allocs = alloc, .allocs_size = h->allocs.size,
		    .calls = call, .calls_size = h->calls.size };
		for (uint32_t k = h->allocs.first, at = 0; k != 0;
		    k = r->allocs.items[k - 1].next)
			alloc[at++] = (struct memprof_alloc){
			    r->allocs.items[k - 1].stack, r->infos[k - 1] };
		for (uint32_t k = h->calls.first, at = 0; k != 0;
		    k = r->calls.items[k - 1].next) {
			const struct memprof_callees *of = k <=
			    r->callees_size ? &r->callees[k - 1] : &none;

			call[at++] = (struct memprof_call){
			    r->calls.items[k - 1].stack, of->guids, of->size };
			out->callees += of->size;
		}
		if (numbers != NULL)
			records_sort_sites(alloc, h->allocs.size, call,
			    h->calls.size, numbers);
		alloc += h->allocs.size;
		call += h->calls.size;
	}
	if (numbers != NULL && n > 1)
		qsort(records, n, sizeof(*records), records_compare_guids);
	out->records = records;
	out->records_size = n;
	records_free_lists(r);
	return true;
}

static void
memprof_records_free(struct memprof_records *r)
{
	for (size_t i = 0; i < r->callees_size; i++)
		free(r->callees[i].guids);
	free(r->callees);
	records_free_lists(r);
	arena_free(&r->arena);
}

struct memprof_build {
	struct memprof_stacks stacks;
	struct memprof_records records;
	struct memprof_data data;
	/* Stacks that have allocations, in the order of their first one. */
	uint32_t *contexts;
	size_t contexts_size, contexts_room;
	uint32_t functions;		/* records of functions put so far */
	bool folded;
	struct memprof_built built;
	struct arena arena;
};

/* The source of sites that come from allocations; functions are 1 and up. */
enum { FROM_CONTEXTS };

struct memprof_build *
memprof_build_new(void)
{
	return calloc(1, sizeof(struct memprof_build));
}

void
memprof_build_free(struct memprof_build *b)
{
	if (b == NULL)
		return;
	memprof_stacks_free(&b->stacks);
	memprof_records_free(&b->records);
	memprof_data_free(&b->data);
	free(b->contexts);
	arena_free(&b->arena);
	free(b);
}

void
memprof_build_fold(struct memprof_build *b)
{
	b->folded = b->records.allocs.folded = b->records.calls.folded = true;
}

/* Notes what an info has, which may be added to another one. */
static void
build_note_mib(struct memprof_build *b, const struct prof_mib *info)
{
	b->built.known_fields |= info->fields;
	b->built.unknown_fields |= ~info->fields;
	b->built.histograms += info->histogram != NULL;
}

static struct prof_mib *
build_copy_mib(struct memprof_build *b, const struct prof_mib *info)
{
	struct prof_mib *copy = arena_alloc(&b->arena, sizeof(*copy));
	size_t size = (size_t)info->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	uint64_t *histogram;

	build_note_mib(b, info);
	if (copy == NULL)
		return NULL;
	*copy = *info;
	if (info->histogram == NULL)
		return copy;
	histogram = arena_array(&b->arena, size, sizeof(*histogram));
	if (histogram == NULL)
		return NULL;
	memcpy(histogram, info->histogram, size * sizeof(*histogram));
	copy->histogram = histogram;
	return copy;
}

static enum prof_status
build_put_allocation(struct memprof_build *b, const struct prof_allocation *a,
    struct prof_error *err)
{
	struct memprof_stack_record *e =
	    memprof_stacks_find(&b->stacks, a->stack, "an allocation", err);

	if (e == NULL)
		return PROF_FAIL;
	if (e->info != NULL) {
		b->built.losses.saturated += !mib_add(e->info, &a->info);
		build_note_mib(b, &a->info);
		return PROF_OK;
	}
	e->info = build_copy_mib(b, &a->info);
	if (e->info == NULL)
		return err_memory(err);
	return ARRAY_ADD(b->contexts, b->contexts_size, b->contexts_room,
	    (uint32_t)(e - b->stacks.entries)) ? PROF_OK : err_memory(err);
}

/*
 * Sets the content of the stack of a function's site.  False if no frame of the
 * stack is left, or none came: clang 19 to 22 crash on allocation sites without
 * a frame.
 */
static bool
build_use_stack(struct memprof_build *b, struct memprof_stack_record *e,
    uint32_t *content)
{
	if (e->size == 0) {
		b->built.losses.sites++;
		return false;
	}
	*content = memprof_stacks_use(&b->stacks, e);
	return true;
}

static enum prof_status
build_put_alloc_site(struct memprof_build *b, uint32_t record,
    const struct prof_allocation *a, struct prof_error *err)
{
	struct memprof_stack_record *e = memprof_stacks_find(&b->stacks,
	    a->stack, "an allocation site", err);
	struct memprof_site site = { .record = record,
	    .source = b->functions };
	struct prof_mib *info;

	if (e == NULL)
		return PROF_FAIL;
	if (!build_use_stack(b, e, &site.stack))
		return PROF_OK;
	info = build_copy_mib(b, &a->info);
	if (info == NULL || site.stack == INDEX_NONE ||
	    !memprof_records_alloc(&b->records, &site, info,
		&b->built.losses.saturated))
		return err_memory(err);
	b->built.function_fields |= info->fields;
	return PROF_OK;
}

static enum prof_status
build_put_call_site(struct memprof_build *b, uint32_t record,
    const struct prof_call_site *c, struct prof_error *err)
{
	struct memprof_stack_record *e =
	    memprof_stacks_find(&b->stacks, c->stack, "a call site", err);
	struct memprof_site site = { .record = record,
	    .source = b->functions };

	if (e == NULL)
		return PROF_FAIL;
	if (!build_use_stack(b, e, &site.stack))
		return PROF_OK;
	if (site.stack == INDEX_NONE || !memprof_records_call(&b->records,
	    &site, c->callee_guids, c->callees_size))
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
build_put_function(struct memprof_build *b,
    const struct prof_memprof_function *f, struct prof_error *err)
{
	uint64_t guid = f->symbol.guid != 0 || f->symbol.name.data == NULL ?
	    f->symbol.guid : memprof_guid(f->symbol.name);
	uint32_t record = memprof_records_of(&b->records, guid);

	if (record == INDEX_NONE ||
	    !memprof_records_name(&b->records, record, f->symbol.name))
		return err_memory(err);
	if (++b->functions == UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "more than 4294967294 "
		    "records of functions");
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (build_put_alloc_site(b, record, &f->alloc_sites[i], err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	for (size_t i = 0; i < f->calls_size; i++) {
		if (build_put_call_site(b, record, &f->call_sites[i], err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
memprof_build_put(struct memprof_build *b, const struct prof_record *r,
    struct prof_error *err)
{
	switch (r->kind) {
	case PROF_REC_STACK:
		return memprof_stacks_put(&b->stacks, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		return build_put_allocation(b, &r->u.allocation, err);
	case PROF_REC_MEMPROF_FUNCTION:
		return build_put_function(b, &r->u.memprof_function, err);
	case PROF_REC_DATA_ACCESS:
		return memprof_data_put(&b->data, &r->u.data_access, err);
	case PROF_REC_COLD_SYMBOL:
		return memprof_data_put_cold(&b->data, &r->u.cold_symbol, err);
	default:
		return PROF_OK;
	}
}

/*
 * An allocation belongs to each function from the leaf up to the first frame
 * that is not inlined.
 */
static bool
build_alloc_sites(struct memprof_build *b, struct memprof_stack_record *e)
{
	struct memprof_site site = { .source = FROM_CONTEXTS,
	    .stack = e->content };
	const struct list_pool_entry *frames =
	    &b->stacks.contents.items[site.stack];

	for (uint32_t i = 0; i < frames->size; i++) {
		const struct memprof_frame *f =
		    &b->stacks.frames[frames->numbers[i]];

		site.record = memprof_records_of(&b->records, f->guid);
		if (site.record == INDEX_NONE || !memprof_records_alloc(
		    &b->records, &site, e->info, &b->built.losses.saturated))
			return false;
		if (!f->is_inline)
			break;
	}
	return true;
}

/* The functions that call at a location, found in all contexts. */
struct calls {
	struct list_pool guids;	/* of the functions */
	struct list_pool pairs;	/* numbers of a guid and a location */
	bool *noted;		/* locations whose pairs are all there */
};

/* Adds a pair of guid and location for each function that calls there. */
static bool
build_note_calls(struct memprof_build *b, const struct memprof_stack_record *e,
    struct calls *c)
{
	for (uint32_t i = 0; i < e->size; i++) {
		uint32_t location = *memprof_location_at(&b->stacks, e, i);
		struct list_pool_entry g = memprof_location(&b->stacks,
		    location);
		bool *noted = &c->noted[memprof_location_number(&b->stacks,
		    location)];

		if (*noted)
			continue;
		/* The leaf of the stack allocates and calls nothing. */
		for (uint32_t j = i == 0; j < g.size; j++) {
			uint32_t pair[] = { list_pool_add_u64(&c->guids,
			    b->stacks.frames[g.numbers[j]].guid), location };

			if (pair[0] == INDEX_NONE ||
			    list_pool_add(&c->pairs, pair, 2) == INDEX_NONE)
				return false;
		}
		*noted = i != 0;
	}
	return true;
}

/*
 * Adds call sites function by function, those of one function in the order in
 * which they were found: a counting sort of the pairs by guid.
 */
static bool
build_call_sites(struct memprof_build *b, const struct calls *c)
{
	const struct list_pool *guids = &c->guids, *pairs = &c->pairs;
	uint32_t *first = arena_array(&b->arena, (size_t)guids->size + 1,
	    sizeof(*first));
	uint32_t *order = arena_array(&b->arena, pairs->size, sizeof(*order));

	if (first == NULL || order == NULL)
		return false;
	for (uint32_t i = 0; i <= guids->size; i++)
		first[i] = 0;
	for (uint32_t i = 0; i < pairs->size; i++)
		first[pairs->items[i].numbers[0] + 1]++;
	for (uint32_t i = 0; i < guids->size; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < pairs->size; i++)
		order[first[pairs->items[i].numbers[0]]++] = i;
	for (uint32_t i = 0; i < pairs->size; i++) {
		const uint32_t *pair = pairs->items[order[i]].numbers;
		const uint32_t *guid = guids->items[pair[0]].numbers;
		struct memprof_site site = { .source = FROM_CONTEXTS };

		site.record = memprof_records_of(&b->records,
		    (uint64_t)guid[1] << 32 | guid[0]);
		site.stack = memprof_stacks_use_location(&b->stacks, pair[1]);
		if (site.record == INDEX_NONE || site.stack == INDEX_NONE ||
		    !memprof_records_call(&b->records, &site, NULL, 0))
			return false;
	}
	return true;
}

static bool
build_records(struct memprof_build *b, uint64_t *dropped)
{
	struct calls c = { .noted = calloc(
	    memprof_locations_size(&b->stacks) + 1, sizeof(*c.noted)) };
	bool ok = c.noted != NULL;

	/* The contents of all contexts come before those of call sites. */
	for (size_t i = 0; ok && i < b->contexts_size; i++) {
		struct memprof_stack_record *e =
		    &b->stacks.entries[b->contexts[i]];

		if (e->size == 0)
			(*dropped)++;
		else
			ok = memprof_stacks_use(&b->stacks, e) != INDEX_NONE;
	}
	for (size_t i = 0; ok && i < b->contexts_size; i++) {
		struct memprof_stack_record *e =
		    &b->stacks.entries[b->contexts[i]];

		if (e->size != 0)
			ok = build_alloc_sites(b, e) &&
			    build_note_calls(b, e, &c);
	}
	ok = ok && build_call_sites(b, &c);
	list_pool_free(&c.guids);
	list_pool_free(&c.pairs);
	free(c.noted);
	return ok;
}

static bool
build_result(struct memprof_build *b, uint64_t dropped,
    struct memprof_built *out)
{
	const struct memprof_stacks *s = &b->stacks;
	struct memprof_stack *stacks = arena_array(&b->arena,
	    s->contents.size, sizeof(*stacks));
	uint32_t *numbers = !b->folded ? NULL : arena_array(&b->arena,
	    s->contents.size, sizeof(*numbers));

	if (stacks == NULL || (b->folded && (numbers == NULL ||
	    !memprof_stacks_sort(&b->stacks, numbers))))
		return false;
	*out = b->built;
	out->losses.addresses = s->unknown.size + s->incomplete_frames;
	out->losses.stacks = s->incomplete;
	out->losses.stacks_without_place = s->without_place;
	out->losses.all_without_place = !s->has_places;
	out->losses.sites += dropped;
	out->frames = s->frames;
	out->frames_size = s->frame_keys.size;
	out->stacks_size = s->contents.size;
	for (uint32_t i = 0; i < out->stacks_size; i++)
		stacks[i] = (struct memprof_stack){
		    s->contents.items[i].numbers, s->contents.items[i].size };
	out->stacks = stacks;
	memprof_stacks_finish(&b->stacks);
	memprof_data_result(&b->data, b->folded, out);
	return memprof_records_result(&b->records, &b->arena, numbers, out);
}

bool
memprof_build_shows(const struct memprof_build *b, uint64_t stack,
    uint64_t guid)
{
	const struct memprof_stacks *s = &b->stacks;
	uint32_t at = id_map_index(&s->ids, stack);
	const struct memprof_stack_record *e;

	if (at == INDEX_NONE)
		return false;
	e = &s->entries[at];
	if (e->info == NULL && e->content == INDEX_NONE)
		return false;
	for (uint32_t i = 0; i < e->size; i++) {
		struct list_pool_entry frames = memprof_location(s,
		    *memprof_location_at(s, e, i));

		for (uint32_t k = 0; k < frames.size; k++) {
			if (s->frames[frames.numbers[k]].guid == guid)
				return true;
		}
	}
	return false;
}

enum prof_status
memprof_build_finish(struct memprof_build *b, struct memprof_built *out,
    struct prof_error *err)
{
	uint64_t dropped = 0;

	if (!build_records(b, &dropped) || !build_result(b, dropped, out))
		return err_memory(err);
	if (out->records_size == 0 && dropped != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "no stack of the "
		    "heap profile has a function, of %llu: run "
		    "prof-symbolize --binary PROGRAM first",
		    (unsigned long long)dropped);
	return PROF_OK;
}

/*
 * As getAllocType in MemProfCommon.cpp, with its thresholds and in single
 * precision.  LLVM's hints for hot contexts are off by default.
 */
static bool
summary_is_cold(const struct prof_mib *m)
{
	float count = (float)m->value[PROF_MIB_ALLOC_COUNT];
	float density =
	    (float)m->value[PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY];
	float lifetime = (float)m->value[PROF_MIB_TOTAL_LIFETIME];

	/* Densities are in hundredths, lifetimes in milliseconds. */
	return m->value[PROF_MIB_ALLOC_COUNT] != 0 &&
	    density / count / 100 < 0.05F && lifetime / count >= 200 * 1000;
}

/* Adds the info of a context, which counts as cold or warm, never as hot. */
static void
summary_add_context(uint64_t out[MEMPROF_SUMMARY_FIELDS],
    const struct prof_mib *m)
{
	bool cold = summary_is_cold(m);
	uint64_t *max = &out[cold ? MEMPROF_MAX_COLD_SIZE :
	    MEMPROF_MAX_WARM_SIZE];

	out[MEMPROF_CONTEXTS]++;
	out[MEMPROF_COLD_CONTEXTS] += cold;
	if (*max < m->value[PROF_MIB_TOTAL_SIZE])
		*max = m->value[PROF_MIB_TOTAL_SIZE];
}

bool
memprof_summarize(const struct memprof_built *in,
    uint64_t out[MEMPROF_SUMMARY_FIELDS])
{
	bool *seen = calloc((size_t)in->stacks_size + 1, sizeof(*seen));

	if (seen == NULL)
		return false;
	for (int i = 0; i < MEMPROF_SUMMARY_FIELDS; i++)
		out[i] = 0;
	for (uint32_t i = 0; i < in->records_size; i++) {
		const struct memprof_record *r = &in->records[i];

		for (size_t j = 0; j < r->allocs_size; j++) {
			if (!seen[r->allocs[j].stack])
				summary_add_context(out, r->allocs[j].info);
			seen[r->allocs[j].stack] = true;
		}
	}
	free(seen);
	return true;
}
