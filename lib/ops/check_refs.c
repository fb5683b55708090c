#include "ops/check_refs.h"

#include "base/error.h"
#include "model/memprof_guid.h"

static enum prof_status
check_refs_heap(struct check_refs *c, const struct prof_record *r,
    struct prof_error *err)
{
	static const enum stream_rule rules[] = {
		[HEAP_REFS_TWO_SEGMENTS] = STREAM_RULE_SEGMENT_ID,
		[HEAP_REFS_LATE_SEGMENT] = STREAM_RULE_SEGMENT,
		[HEAP_REFS_NO_SEGMENT] = STREAM_RULE_SEGMENT,
		[HEAP_REFS_TWO_STACKS] = STREAM_RULE_STACK_ID,
		[HEAP_REFS_NO_STACK] = STREAM_RULE_STACK,
	};

	if (heap_refs_check(&c->heap, r, err) == PROF_OK)
		return PROF_OK;
	c->broken_rule = rules[c->heap.fault];
	return PROF_FAIL;
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

enum prof_status
check_refs_add(struct check_refs *c, const struct prof_record *r,
    struct prof_error *err)
{
	bool late = c->has_counted;

	c->has_counted = r->kind != PROF_REC_PROFILE &&
	    (late || r->kind != PROF_REC_BINARY);
	switch (r->kind) {
	case PROF_REC_PROFILE:
		c->heap.strict = true;
		heap_refs_begin(&c->heap, r->u.profile.inputs);
		return PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		if (!late)
			return PROF_OK;
		c->broken_rule = STREAM_RULE_RAW_COUNTERS;
		return err_set(err, PROF_E_CORRUPT, "raw_counters after "
		    "records that must follow them");
	case PROF_REC_MEMPROF_FUNCTION:
		if (check_refs_symbol(c, &r->u.memprof_function.symbol, err) !=
		    PROF_OK)
			return PROF_FAIL;
		break;
	default:
		break;
	}
	return check_refs_heap(c, r, err);
}

void
check_refs_free(struct check_refs *c)
{
	heap_refs_free(&c->heap);
}
