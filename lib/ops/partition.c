#include "ops/partition.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/record_copy.h"

enum { CORRELATED = PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED };

/* Where the records of a partition go. */
struct partition_output {
	partition_put *put;
	void *arg;
};

static bool
partition_takes(const struct partition *p, uint64_t class)
{
	return p->class == 0 || p->class == class;
}

static uint64_t
partition_class(const struct partition *p, uint64_t hash)
{
	return hash % p->classes + 1;
}

static enum prof_status
partition_put_to(const struct partition *p, uint64_t class,
    const struct prof_record *r, const struct partition_output *to,
    struct prof_error *err)
{
	return partition_takes(p, class) ? to->put(to->arg, class, r, err) :
	    PROF_OK;
}

/* Puts the record to all classes from the first on. */
static enum prof_status
partition_put_from(const struct partition *p, uint64_t first,
    const struct prof_record *r, const struct partition_output *to,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	if (p->class != 0)
		return p->class >= first ? to->put(to->arg, p->class, r, err) :
		    PROF_OK;
	for (uint64_t k = first; status == PROF_OK && k <= p->classes; k++)
		status = to->put(to->arg, k, r, err);
	return status;
}

/*
 * The header of what may be a correlated profile waits, because that profile is
 * of the first class as a whole.  Traces are counted in the first class.
 */
static enum prof_status
partition_begin(struct partition *p, const struct prof_record *r,
    const struct partition_output *to, struct prof_error *err)
{
	struct prof_record header = *r;

	arena_reset(&p->arena);
	id_map_clear(&p->ids);
	id_map_clear(&p->sent);
	p->size = 0;
	p->correlated = p->nameless = false;
	if (partition_put_to(p, 1, r, to, err) != PROF_OK)
		return PROF_FAIL;
	header.u.profile.has_trace_stream_size = false;
	header.u.profile.trace_stream_size = 0;
	p->waits = p->class != 1 && (r->u.profile.flags & CORRELATED) != 0;
	if (!p->waits)
		return partition_put_from(p, 2, &header, to, err);
	p->header = header.u.profile;
	return record_copy(&p->arena, PROF_REC_PROFILE, &p->header) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
partition_put_header(struct partition *p, const struct partition_output *to,
    struct prof_error *err)
{
	const struct prof_record header = { .kind = PROF_REC_PROFILE,
	    .u.profile = p->header };

	if (!p->waits)
		return PROF_OK;
	p->waits = false;
	return partition_put_from(p, 2, &header, to, err);
}

/* What is known of the stack of that index and of a class; NULL: no memory. */
static uint64_t *
partition_sent(struct partition *p, size_t at, uint64_t class)
{
	return id_map_add(&p->sent, at * p->classes + class - 1, false);
}

/* Keeps a stack for functions of other classes that may refer to it. */
static enum prof_status
partition_add_stack(struct partition *p, const struct prof_record *r,
    const struct partition_output *to, struct prof_error *err)
{
	struct prof_stack copy = r->u.stack;
	uint64_t class = partition_class(p, copy.id), *sent;

	if (partition_put_to(p, class, r, to, err) != PROF_OK)
		return PROF_FAIL;
	if (p->class == class)
		return PROF_OK;
	if (!record_copy(&p->arena, PROF_REC_STACK, &copy) ||
	    !ARRAY_ADD(p->stacks, p->size, p->room, copy) ||
	    id_map_add(&p->ids, copy.id, p->size - 1) == NULL)
		return err_memory(err);
	if (p->class != 0)
		return PROF_OK;
	sent = partition_sent(p, p->size - 1, class);
	if (sent == NULL)
		return err_memory(err);
	*sent = true;
	return PROF_OK;
}

/* Puts a stack that was kept, once; a stack of the class was put before. */
static enum prof_status
partition_put_stack(struct partition *p, uint64_t id, uint64_t class,
    const struct partition_output *to, struct prof_error *err)
{
	const uint64_t *at = id_map_find(&p->ids, id);
	struct prof_record r = { .kind = PROF_REC_STACK };
	uint64_t *sent;

	if (at == NULL)
		return PROF_OK;
	sent = partition_sent(p, (size_t)*at, class);
	if (sent == NULL)
		return err_memory(err);
	if (*sent)
		return PROF_OK;
	*sent = true;
	r.u.stack = p->stacks[*at];
	return to->put(to->arg, class, &r, err);
}

/* A function of a heap profile, behind the stacks that it refers to. */
static enum prof_status
partition_add_sites(struct partition *p, const struct prof_record *r,
    const struct partition_output *to, struct prof_error *err)
{
	const struct prof_memprof_function *f = &r->u.memprof_function;
	uint64_t class = p->nameless ? 1 : partition_class(p,
	    prof_symbol_guid(&f->symbol));
	enum prof_status status = PROF_OK;

	if (!partition_takes(p, class))
		return PROF_OK;
	for (size_t i = 0; status == PROF_OK && i < f->allocs_size; i++)
		status = partition_put_stack(p, f->alloc_sites[i].stack, class,
		    to, err);
	for (size_t i = 0; status == PROF_OK && i < f->calls_size; i++)
		status = partition_put_stack(p, f->call_sites[i].stack, class,
		    to, err);
	return status == PROF_OK ? to->put(to->arg, class, r, err) : PROF_FAIL;
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
static enum prof_status
partition_add_heap(struct partition *p, const struct prof_record *r,
    const struct partition_output *to, struct prof_error *err)
{
	uint64_t hash;

	if (r->kind == PROF_REC_SEGMENT && r->u.segment.build_id.size == 0)
		p->nameless = true;
	switch (r->kind) {
	case PROF_REC_MEMPROF_FUNCTION:
		return partition_add_sites(p, r, to, err);
	case PROF_REC_SEGMENT:
		return p->nameless ? partition_put_to(p, 1, r, to, err) :
		    partition_put_from(p, 1, r, to, err);
	case PROF_REC_STACK:
		if (!p->nameless)
			return partition_add_stack(p, r, to, err);
		hash = 0;
		break;
	case PROF_REC_ALLOCATION:
		hash = r->u.allocation.stack;
		break;
	case PROF_REC_DATA_ACCESS:
		hash = partition_data_hash(&r->u.data_access.data);
		break;
	default:
		hash = partition_data_hash(&r->u.cold_symbol);
	}
	return partition_put_to(p, p->nameless ? 1 : partition_class(p, hash),
	    r, to, err);
}

static enum prof_status
partition_add_block(const struct partition *p, const struct prof_block *b,
    const struct partition_output *to, struct prof_error *err)
{
	const struct prof_function *f = prof_block_functions(b, err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record r = { .kind = PROF_REC_FUNCTION };

	for (size_t i = 0; status == PROF_OK && i < b->size; i++) {
		r.u.function = f[i];
		status = partition_put_to(p, partition_class(p,
		    prof_symbol_guid(&f[i].symbol)), &r, to, err);
	}
	return status;
}

static enum prof_status
partition_add_record(struct partition *p, const struct prof_record *r,
    const struct partition_output *to, struct prof_error *err)
{
	switch (r->kind) {
	case PROF_REC_END:
		return partition_put_from(p, 1, r, to, err);
	case PROF_REC_FUNCTION:
		return partition_put_to(p, partition_class(p,
		    prof_symbol_guid(&r->u.function.symbol)), r, to, err);
	case PROF_REC_BLOCK:
		return partition_add_block(p, &r->u.block, to, err);
	case PROF_REC_SEGMENT:
	case PROF_REC_STACK:
	case PROF_REC_ALLOCATION:
	case PROF_REC_MEMPROF_FUNCTION:
	case PROF_REC_DATA_ACCESS:
	case PROF_REC_COLD_SYMBOL:
		return partition_add_heap(p, r, to, err);
	default:
		return partition_put_to(p, 1, r, to, err);
	}
}

enum prof_status
partition_add(struct partition *p, const struct prof_record *r,
    partition_put *put, void *arg, struct prof_error *err)
{
	const struct partition_output to = { put, arg };

	if (p->classes == 0)
		return put(arg, 1, r, err);
	if (r->kind == PROF_REC_PROFILE)
		return partition_begin(p, r, &to, err);
	if (p->waits && r->kind == PROF_REC_RAW_COUNTERS) {
		p->waits = false;
		p->correlated = true;
	}
	/* No other class has begun yet. */
	if (p->correlated || (p->waits && (r->kind == PROF_REC_BINARY ||
	    r->kind == PROF_REC_OTHER)))
		return partition_put_to(p, 1, r, &to, err);
	return partition_put_header(p, &to, err) == PROF_OK ?
	    partition_add_record(p, r, &to, err) : PROF_FAIL;
}

void
partition_free(struct partition *p)
{
	free(p->stacks);
	id_map_free(&p->ids);
	id_map_free(&p->sent);
	arena_free(&p->arena);
}
