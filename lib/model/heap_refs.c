#include "model/heap_refs.h"

#include "base/error.h"
#include "model/frame_pool.h"

void
heap_refs_begin(struct heap_refs *r, uint64_t inputs)
{
	r->is_sum = inputs > 1;
	r->placed = false;
	r->fault = HEAP_REFS_GOOD;
	r->next = 0;
	id_map_clear(&r->segments);
	id_map_clear(&r->stacks);
}

void
heap_refs_free(struct heap_refs *r)
{
	id_map_free(&r->segments);
	id_map_free(&r->stacks);
	*r = (struct heap_refs){ .is_sum = false };
}

static uint64_t
refs_hash_segment(const struct prof_segment *s)
{
	uint64_t h = hash_span(s->has_range, s->build_id);

	h = hash_mix(hash_mix(h, s->file_addresses), s->start);
	return hash_mix(hash_mix(h, s->end), s->offset);
}

enum prof_status
heap_refs_add_segment(struct heap_refs *r, const struct prof_segment *s,
    struct prof_error *err)
{
	uint64_t hash = refs_hash_segment(s);
	size_t before = r->segments.size;
	const uint64_t *known = id_map_add(&r->segments, s->id, hash);

	if (known == NULL)
		return err_memory(err);
	if (r->segments.size == before) {
		if (*known == hash && !r->strict)
			return PROF_END;
		r->fault = HEAP_REFS_TWO_SEGMENTS;
		return err_set(err, PROF_E_CORRUPT,
		    "two segments have the id %llu", ull(s->id));
	}
	if (!s->has_range || r->is_sum || !r->placed)
		return PROF_OK;
	r->fault = HEAP_REFS_LATE_SEGMENT;
	return err_set(err, PROF_E_CORRUPT, "segment %llu follows a stack that "
	    "may be in it", ull(s->id));
}

enum prof_status
heap_refs_segment_of(struct heap_refs *r, const struct prof_stack *s,
    size_t pc, uint32_t *place, struct prof_error *err)
{
	*place = id_map_index(&r->segments, s->segments[pc]);
	if (*place != INDEX_NONE)
		return PROF_OK;
	r->fault = HEAP_REFS_NO_SEGMENT;
	return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx is in segment "
	    "%llu, which is missing", ull(s->id), ull(s->segments[pc]));
}

enum prof_status
heap_refs_add_stack(struct heap_refs *r, uint64_t id, uint64_t value,
    struct prof_error *err)
{
	const uint64_t *known = id_map_add(&r->stacks, id, value);

	if (known == NULL)
		return err_memory(err);
	if (*known == value)
		return PROF_OK;
	r->fault = HEAP_REFS_TWO_STACKS;
	return err_set(err, PROF_E_CORRUPT, "two stacks have the id 0x%016llx"
	    "%s", ull(id), r->strict ? " and differ" : "");
}

enum prof_status
heap_refs_no_stack(struct heap_refs *r, uint64_t id, struct prof_error *err)
{
	r->fault = HEAP_REFS_NO_STACK;
	return err_set(err, PROF_E_CORRUPT, "there is no stack 0x%016llx",
	    ull(id));
}

static uint64_t
refs_hash_frame(uint64_t h, const struct prof_frame *f)
{
	h = hash_mix(hash_span(h, f->function.name), f->function.guid);
	h = hash_span(h, f->file);
	h = hash_mix(h, (uint64_t)f->line << 32 | f->start_line);
	h = hash_mix(h, (uint64_t)f->line_offset << 32 | f->column);
	return hash_mix(h, (uint64_t)f->discriminator << 32 | f->flags);
}

/* What decides whether stacks are the same; so are stacks folded, too. */
static uint64_t
refs_hash_stack(const struct prof_stack *s, bool strict)
{
	bool by_address = strict || s->frames_size == 0;
	uint64_t h = hash_mix(s->frames_size, 0);

	for (size_t i = 0; i < s->frames_size; i++) {
		h = s->frame_numbers != NULL ?
		    hash_mix(h, s->frame_numbers[i]) :
		    refs_hash_frame(h, &s->frames[i]);
		by_address = by_address || (s->pcs_size != 0 &&
		    frame_is_empty(&s->frames[i]));
	}
	for (size_t i = 0; by_address && i < s->pcs_size; i++)
		h = hash_mix(hash_mix(h, s->pcs[i]), s->segments == NULL ?
		    PROF_NO_SEGMENT : s->segments[i]);
	return h;
}

static enum prof_status
refs_check_stack(struct heap_refs *r, const struct prof_stack *s,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	uint32_t unused;

	if (s->segments == NULL && s->pcs_size != 0)
		r->placed = true;
	for (size_t i = 0; s->segments != NULL && i < s->pcs_size &&
	    status == PROF_OK; i++) {
		if (s->segments[i] == PROF_NO_SEGMENT)
			r->placed = true;
		else
			status = heap_refs_segment_of(r, s, i, &unused, err);
	}
	return status != PROF_OK ? status : heap_refs_add_stack(r, s->id,
	    refs_hash_stack(s, r->strict), err);
}

static enum prof_status
refs_check_function(struct heap_refs *r, const struct prof_memprof_function *f,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	uint64_t unused;

	for (size_t i = 0; i < f->allocs_size && status == PROF_OK; i++)
		status = heap_refs_find_stack(r, f->alloc_sites[i].stack,
		    &unused, err);
	for (size_t i = 0; i < f->calls_size && status == PROF_OK; i++)
		status = heap_refs_find_stack(r, f->call_sites[i].stack,
		    &unused, err);
	return status;
}

enum prof_status
heap_refs_check(struct heap_refs *r, const struct prof_record *record,
    struct prof_error *err)
{
	uint64_t unused;

	switch (record->kind) {
	case PROF_REC_SEGMENT:
		return heap_refs_add_segment(r, &record->u.segment, err) ==
		    PROF_FAIL ? PROF_FAIL : PROF_OK;
	case PROF_REC_STACK:
		return refs_check_stack(r, &record->u.stack, err);
	case PROF_REC_ALLOCATION:
		return heap_refs_find_stack(r, record->u.allocation.stack,
		    &unused, err);
	case PROF_REC_MEMPROF_FUNCTION:
		return refs_check_function(r, &record->u.memprof_function,
		    err);
	default:
		/* The stacks of pairs are of nothing else. */
		return PROF_OK;
	}
}
