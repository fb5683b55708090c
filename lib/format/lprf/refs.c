#include "format/lprf/refs.h"

static enum prof_status
lprf2_refs_note(struct id_map *ids, uint64_t id)
{
	return id_map_add(ids, id, 0) == NULL ? PROF_FAIL : PROF_OK;
}

/* PROF_OK or PROF_END. */
static enum prof_status
lprf2_refs_find(const struct id_map *ids, uint64_t id)
{
	return id_map_find(ids, id) == NULL ? PROF_END : PROF_OK;
}

static enum prof_status
lprf2_refs_add_stack(struct lprf2_refs *r, const struct prof_stack *s)
{
	for (size_t i = 0; s->segments != NULL && i < s->pcs_size; i++) {
		if (s->segments[i] != PROF_NO_SEGMENT &&
		    id_map_find(&r->segments, s->segments[i]) == NULL)
			return PROF_END;
	}
	return lprf2_refs_note(&r->stacks, s->id);
}

static enum prof_status
lprf2_refs_find_sites(const struct lprf2_refs *r,
    const struct prof_memprof_function *f)
{
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < f->allocs_size && status == PROF_OK; i++)
		status = lprf2_refs_find(&r->stacks, f->alloc_sites[i].stack);
	for (size_t i = 0; i < f->calls_size && status == PROF_OK; i++)
		status = lprf2_refs_find(&r->stacks, f->call_sites[i].stack);
	return status;
}

enum prof_status
lprf2_refs_add(struct lprf2_refs *r, const struct prof_record *record)
{
	switch (record->kind) {
	case PROF_REC_SEGMENT:
		return lprf2_refs_note(&r->segments, record->u.segment.id);
	case PROF_REC_STACK:
		return lprf2_refs_add_stack(r, &record->u.stack);
	case PROF_REC_ALLOCATION:
		return lprf2_refs_find(&r->stacks, record->u.allocation.stack);
	case PROF_REC_MEMPROF_FUNCTION:
		return lprf2_refs_find_sites(r, &record->u.memprof_function);
	default:
		return PROF_OK;
	}
}

void
lprf2_refs_free(struct lprf2_refs *r)
{
	id_map_free(&r->stacks);
	id_map_free(&r->segments);
}
