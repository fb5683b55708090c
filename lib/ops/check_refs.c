#include "ops/check_refs.h"

#include "base/error.h"
#include "model/memprof_guid.h"

static uint64_t
check_hash_frame(uint64_t h, const struct prof_frame *f)
{
	h = hash_span(h, f->function.name);
	h = hash_mix(h, f->function.guid);
	h = hash_span(h, f->file);
	h = hash_mix(h, (uint64_t)f->line << 32 | f->start_line);
	h = hash_mix(h, (uint64_t)f->line_offset << 32 | f->column);
	return hash_mix(h, (uint64_t)f->discriminator << 32 | f->flags);
}

static uint64_t
check_hash_stack(const struct prof_stack *s)
{
	uint64_t h = hash_mix(s->pcs_size, s->frames_size);

	for (size_t i = 0; i < s->pcs_size; i++) {
		h = hash_mix(h, s->pcs[i]);
		h = hash_mix(h, s->segments == NULL ? PROF_NO_SEGMENT :
		    s->segments[i]);
	}
	for (size_t i = 0; i < s->frames_size; i++)
		h = check_hash_frame(h, &s->frames[i]);
	return h;
}

static enum prof_status
check_refs_stack(struct check_refs *c, const struct prof_stack *s,
    struct prof_error *err)
{
	uint64_t hash = check_hash_stack(s), *known;

	for (size_t i = 0; s->segments != NULL && i < s->pcs_size; i++) {
		if (s->segments[i] == PROF_NO_SEGMENT ||
		    id_map_find(&c->segments, s->segments[i]) != NULL)
			continue;
		c->broken_rule = STREAM_RULE_SEGMENT;
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx is in "
		    "segment %llu, which is missing", ull(s->id),
		    ull(s->segments[i]));
	}
	known = id_map_add(&c->stacks, s->id, hash);
	if (known == NULL)
		return err_memory(err);
	if (*known == hash)
		return PROF_OK;
	c->broken_rule = STREAM_RULE_STACK_ID;
	return err_set(err, PROF_E_CORRUPT,
	    "two stacks have the id 0x%016llx and differ", ull(s->id));
}

static enum prof_status
check_refs_segment(struct check_refs *c, const struct prof_segment *s,
    struct prof_error *err)
{
	if (id_map_find(&c->segments, s->id) != NULL) {
		c->broken_rule = STREAM_RULE_SEGMENT_ID;
		return err_set(err, PROF_E_CORRUPT, "two segments have the id "
		    "%llu", ull(s->id));
	}
	return id_map_add(&c->segments, s->id, 0) == NULL ? err_memory(err) :
	    PROF_OK;
}

static enum prof_status
check_refs_stack_id(struct check_refs *c, uint64_t id, struct prof_error *err)
{
	if (id_map_find(&c->stacks, id) != NULL)
		return PROF_OK;
	c->broken_rule = STREAM_RULE_STACK;
	return err_set(err, PROF_E_CORRUPT, "there is no stack 0x%016llx",
	    ull(id));
}

/* The guid is of the name, or of the name without suffixes. */
static enum prof_status
check_refs_symbol(struct check_refs *c, const struct prof_symbol *s,
    struct prof_error *err)
{
	char name[ERR_NAME_SIZE];

	if (s->name.size == 0 || s->guid == 0 || s->guid == prof_guid(s->name)
	    || s->guid == memprof_guid(s->name))
		return PROF_OK;
	c->broken_rule = STREAM_RULE_GUID;
	return err_set(err, PROF_E_CORRUPT, "guid 0x%016llx is not that of %s",
	    ull(s->guid), err_name(name, s->name));
}

static enum prof_status
check_refs_heap_function(struct check_refs *c,
    const struct prof_memprof_function *f, struct prof_error *err)
{
	enum prof_status status = check_refs_symbol(c, &f->symbol, err);

	for (size_t i = 0; i < f->allocs_size && status == PROF_OK; i++)
		status = check_refs_stack_id(c, f->alloc_sites[i].stack, err);
	for (size_t i = 0; i < f->calls_size && status == PROF_OK; i++)
		status = check_refs_stack_id(c, f->call_sites[i].stack, err);
	return status;
}

enum prof_status
check_refs_add(struct check_refs *c, const struct prof_record *r,
    struct prof_error *err)
{
	bool late = c->has_counted;

	c->has_counted = r->kind != PROF_REC_PROFILE &&
	    (late || r->kind != PROF_REC_BINARY);
	switch (r->kind) {
	case PROF_REC_PROFILE:
		id_map_clear(&c->stacks);
		id_map_clear(&c->segments);
		return PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		if (!late)
			return PROF_OK;
		c->broken_rule = STREAM_RULE_RAW_COUNTERS;
		return err_set(err, PROF_E_CORRUPT, "raw_counters after "
		    "records that must follow them");
	case PROF_REC_SEGMENT:
		return check_refs_segment(c, &r->u.segment, err);
	case PROF_REC_STACK:
		return check_refs_stack(c, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		return check_refs_stack_id(c, r->u.allocation.stack, err);
	case PROF_REC_MEMPROF_FUNCTION:
		return check_refs_heap_function(c, &r->u.memprof_function,
		    err);
	default:
		return PROF_OK;
	}
}

void
check_refs_free(struct check_refs *c)
{
	id_map_free(&c->stacks);
	id_map_free(&c->segments);
}
