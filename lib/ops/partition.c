#include "ops/partition.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/record_copy.h"

enum { CORRELATED = PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED };

static bool
partition_takes(const struct partition *p, uint64_t hash)
{
	return hash % p->classes == p->class - 1;
}

/*
 * The header of what may be a correlated profile waits, because that profile is
 * of the first class as a whole.  Traces are counted in the first class.
 */
static enum prof_status
partition_begin(struct partition *p, const struct prof_record *r,
    partition_put *put, void *arg, struct prof_error *err)
{
	struct prof_record header = *r;

	arena_reset(&p->arena);
	id_map_clear(&p->ids);
	p->size = 0;
	p->correlated = p->nameless = false;
	if (p->class != 1) {
		header.u.profile.has_trace_stream_size = false;
		header.u.profile.trace_stream_size = 0;
	}
	p->waits = p->class != 1 && (r->u.profile.flags & CORRELATED) != 0;
	if (!p->waits)
		return put(arg, &header, err);
	p->header = header.u.profile;
	return record_copy(&p->arena, PROF_REC_PROFILE, &p->header) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
partition_put_header(struct partition *p, partition_put *put, void *arg,
    struct prof_error *err)
{
	const struct prof_record header = { .kind = PROF_REC_PROFILE,
	    .u.profile = p->header };

	if (!p->waits)
		return PROF_OK;
	p->waits = false;
	return put(arg, &header, err);
}

/* Keeps a stack for functions that may refer to it. */
static enum prof_status
partition_keep_stack(struct partition *p, const struct prof_stack *stack,
    struct prof_error *err)
{
	struct prof_stack copy = *stack;

	return record_copy(&p->arena, PROF_REC_STACK, &copy) &&
	    ARRAY_ADD(p->stacks, p->size, p->room, copy) &&
	    id_map_add(&p->ids, stack->id, p->size - 1) != NULL ? PROF_OK :
	    err_memory(err);
}

/* Puts a stack that was kept, once; a stack of the class was put before. */
static enum prof_status
partition_put_stack(struct partition *p, uint64_t id, partition_put *put,
    void *arg, struct prof_error *err)
{
	uint64_t *at = id_map_find(&p->ids, id);
	struct prof_record r = { .kind = PROF_REC_STACK };

	if (at == NULL || *at == UINT64_MAX)
		return PROF_OK;
	r.u.stack = p->stacks[*at];
	*at = UINT64_MAX;
	return put(arg, &r, err);
}

static enum prof_status
partition_put_sites(struct partition *p, const struct prof_memprof_function *f,
    partition_put *put, void *arg, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	for (size_t i = 0; status == PROF_OK && i < f->allocs_size; i++)
		status = partition_put_stack(p, f->alloc_sites[i].stack, put,
		    arg, err);
	for (size_t i = 0; status == PROF_OK && i < f->calls_size; i++)
		status = partition_put_stack(p, f->call_sites[i].stack, put,
		    arg, err);
	return status;
}

/* Stacks and allocations of raw profiles, which come in pairs. */
static enum prof_status
partition_add_pairs(const struct partition *p, const struct prof_pairs *pairs,
    partition_put *put, void *arg, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	for (size_t i = 0; status == PROF_OK && i < pairs->size; i++) {
		const struct prof_record one = { .kind = PROF_REC_PAIRS,
		    .u.pairs = { &pairs->stacks[i], &pairs->allocations[i],
		    1 } };

		if (partition_takes(p, p->nameless ? 0 : pairs->stacks[i].id))
			status = put(arg, &one, err);
	}
	return status;
}

static uint64_t
partition_data_hash(const struct prof_data *d)
{
	return d->symbol.data == NULL ? d->hash : prof_guid(d->symbol);
}

/*
 * A segment without build id is another one in each profile, so it cannot be in
 * several classes: then all heap data is of the first.
 */
static uint64_t
partition_heap_hash(const struct partition *p, const struct prof_record *r)
{
	if (p->nameless)
		return 0;
	switch (r->kind) {
	case PROF_REC_SEGMENT:
		return p->class - 1;
	case PROF_REC_STACK:
		return r->u.stack.id;
	case PROF_REC_ALLOCATION:
		return r->u.allocation.stack;
	case PROF_REC_MEMPROF_FUNCTION:
		return prof_symbol_guid(&r->u.memprof_function.symbol);
	case PROF_REC_DATA_ACCESS:
		return partition_data_hash(&r->u.data_access.data);
	default:
		return partition_data_hash(&r->u.cold_symbol);
	}
}

static enum prof_status
partition_add_heap(struct partition *p, const struct prof_record *r,
    partition_put *put, void *arg, struct prof_error *err)
{
	if (r->kind == PROF_REC_SEGMENT && r->u.segment.build_id.size == 0)
		p->nameless = true;
	if (r->kind == PROF_REC_PAIRS)
		return partition_add_pairs(p, &r->u.pairs, put, arg, err);
	if (!partition_takes(p, partition_heap_hash(p, r)))
		return r->kind == PROF_REC_STACK ? partition_keep_stack(p,
		    &r->u.stack, err) : PROF_OK;
	if (r->kind == PROF_REC_MEMPROF_FUNCTION && partition_put_sites(p,
	    &r->u.memprof_function, put, arg, err) != PROF_OK)
		return PROF_FAIL;
	return put(arg, r, err);
}

static enum prof_status
partition_add_block(const struct partition *p, const struct prof_block *b,
    partition_put *put, void *arg, struct prof_error *err)
{
	const struct prof_function *f = prof_block_functions(b, err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record r = { .kind = PROF_REC_FUNCTION };

	for (size_t i = 0; status == PROF_OK && i < b->size; i++) {
		r.u.function = f[i];
		if (partition_takes(p, prof_symbol_guid(&f[i].symbol)))
			status = put(arg, &r, err);
	}
	return status;
}

static enum prof_status
partition_add_record(struct partition *p, const struct prof_record *r,
    partition_put *put, void *arg, struct prof_error *err)
{
	switch (r->kind) {
	case PROF_REC_END:
		return put(arg, r, err);
	case PROF_REC_FUNCTION:
		return partition_takes(p, prof_symbol_guid(
		    &r->u.function.symbol)) ? put(arg, r, err) : PROF_OK;
	case PROF_REC_BLOCK:
		return partition_add_block(p, &r->u.block, put, arg, err);
	case PROF_REC_SEGMENT:
	case PROF_REC_STACK:
	case PROF_REC_ALLOCATION:
	case PROF_REC_PAIRS:
	case PROF_REC_MEMPROF_FUNCTION:
	case PROF_REC_DATA_ACCESS:
	case PROF_REC_COLD_SYMBOL:
		return partition_add_heap(p, r, put, arg, err);
	default:
		return p->class == 1 ? put(arg, r, err) : PROF_OK;
	}
}

enum prof_status
partition_add(struct partition *p, const struct prof_record *r,
    partition_put *put, void *arg, struct prof_error *err)
{
	if (p->classes == 0)
		return put(arg, r, err);
	if (r->kind == PROF_REC_PROFILE)
		return partition_begin(p, r, put, arg, err);
	if (p->waits && r->kind == PROF_REC_RAW_COUNTERS) {
		p->waits = false;
		p->correlated = true;
	}
	if (p->correlated || (p->waits && (r->kind == PROF_REC_BINARY ||
	    r->kind == PROF_REC_OTHER)))
		return PROF_OK;
	return partition_put_header(p, put, arg, err) == PROF_OK ?
	    partition_add_record(p, r, put, arg, err) : PROF_FAIL;
}

void
partition_free(struct partition *p)
{
	free(p->stacks);
	id_map_free(&p->ids);
	arena_free(&p->arena);
}
