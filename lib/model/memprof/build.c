#include "model/memprof/build.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/memprof/data.h"
#include "model/memprof/function_records.h"
#include "model/memprof/stacks.h"
#include "model/mib_sum.h"
#include "model/memprof_guid.h"

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

void
memprof_build_watch_stacks(struct memprof_build *b,
    memprof_stack_watcher *watcher, void *arg)
{
	b->stacks.watcher = watcher;
	b->stacks.watcher_arg = arg;
}

/* Notes what an info has, which may be added to another one. */
static void
build_note_mib(struct memprof_build *b, const struct prof_mib *info)
{
	b->built.known_fields |= info->fields;
	b->built.unknown_fields |= ~info->fields;
	b->built.histograms += info->histogram != NULL;
}

/* Copies an info without its histogram, which no section can hold. */
static struct prof_mib *
build_copy_mib(struct memprof_build *b, const struct prof_mib *info)
{
	struct prof_mib *copy = arena_alloc(&b->arena, sizeof(*copy));

	if (copy != NULL) {
		*copy = *info;
		copy->histogram = NULL;
	}
	build_note_mib(b, info);
	return copy;
}

static enum prof_status
build_add_context(struct memprof_build *b, struct memprof_stack_record *e,
    struct prof_error *err)
{
	return ARRAY_ADD(b->contexts, b->contexts_size, b->contexts_room,
	    (uint32_t)(e - b->stacks.entries)) ? PROF_OK : err_memory(err);
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
	return build_add_context(b, e, err);
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

bool
memprof_build_accepts(enum prof_record_kind kind)
{
	return kind >= PROF_REC_SEGMENT && kind <= PROF_REC_COLD_SYMBOL;
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

static bool
build_call_site(struct memprof_build *b, const struct list_pool_entry *guid,
    const struct list_pool_entry *pair)
{
	struct memprof_site site = { .source = FROM_CONTEXTS };

	site.record = memprof_records_of(&b->records,
	    (uint64_t)guid->numbers[1] << 32 | guid->numbers[0]);
	site.stack = memprof_stacks_use_location(&b->stacks, pair->numbers[1]);
	return site.record != INDEX_NONE && site.stack != INDEX_NONE &&
	    memprof_records_call(&b->records, &site, NULL, 0);
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
		const struct list_pool_entry *pair = &pairs->items[order[i]];

		if (!build_call_site(b, &guids->items[pair->numbers[0]], pair))
			return false;
	}
	return true;
}

/* Sets the contents of all contexts, before those of call sites. */
static bool
build_use_contexts(struct memprof_build *b, uint64_t *dropped)
{
	for (size_t i = 0; i < b->contexts_size; i++) {
		struct memprof_stack_record *e =
		    &b->stacks.entries[b->contexts[i]];

		if (e->size == 0)
			(*dropped)++;
		else if (memprof_stacks_use(&b->stacks, e) == INDEX_NONE)
			return false;
	}
	return true;
}

static bool
build_records(struct memprof_build *b, uint64_t *dropped)
{
	struct calls c = { .noted = calloc(
	    memprof_locations_size(&b->stacks) + 1, sizeof(*c.noted)) };
	bool ok = c.noted != NULL && build_use_contexts(b, dropped);

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
	out->frames_size = s->frame_index.size;
	out->stacks_size = s->contents.size;
	for (uint32_t i = 0; i < out->stacks_size; i++)
		stacks[i] = (struct memprof_stack){
		    s->contents.items[i].numbers, s->contents.items[i].size };
	out->stacks = stacks;
	memprof_stacks_finish(&b->stacks);
	memprof_data_result(&b->data, b->folded, out);
	return memprof_records_result(&b->records, &b->arena, numbers, out);
}

enum prof_status
memprof_build_finish(struct memprof_build *b, struct memprof_built *out,
    struct prof_error *err)
{
	uint64_t dropped = 0;

	if (!build_records(b, &dropped) || !build_result(b, dropped, out))
		return err_memory(err);
	if (out->records_size == 0 && dropped != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "none of the %llu "
		    "stacks of the heap profile has a function: run "
		    "prof-symbolize --binary PROGRAM first",
		    (unsigned long long)dropped);
	return PROF_OK;
}
