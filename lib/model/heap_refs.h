/*
 * model/heap_refs.h - what records of a heap profile refer to
 *
 * Stacks and segments are known by ids of their profile.  A profile that breaks
 * one of these rules contradicts itself and cannot be summed:
 *
 * - a segment that comes again is the same;
 * - a segment with a range comes before all stacks that have addresses outside
 *   of segments, since these may be in it; but the ranges of a sum are not used
 *   (merge/heap_context.c);
 * - the segments of a stack come before it;
 * - a stack that comes again is the same;
 * - the stack of an allocation, alloc site or call site comes before it.
 *
 * A stack is the same if its frames are, or, where one is missing or empty, its
 * addresses.  The rules of prof-stream(5), which `strict` adds, are that the
 * addresses are the same in any case, and that no segment comes again.
 *
 * While a merge folds records, the value of a stack is the number of its
 * context (merge/heap_context.c).  heap_refs_check is for records that are not
 * folded, or not yet: there the value is a digest of the stack.
 */
#ifndef MODEL_HEAP_REFS_H
#define MODEL_HEAP_REFS_H

#include "base/id_map.h"
#include "prof.h"

/* How a record contradicts those before it. */
enum heap_refs_fault {
	HEAP_REFS_GOOD,
	HEAP_REFS_TWO_SEGMENTS,		/* of one id */
	HEAP_REFS_LATE_SEGMENT,		/* a stack may be in it */
	HEAP_REFS_NO_SEGMENT,
	HEAP_REFS_TWO_STACKS,		/* of one id */
	HEAP_REFS_NO_STACK
};

/* The ids in the records of one profile that were read.  All zero at first. */
struct heap_refs {
	bool strict;			/* set by the caller */
	enum heap_refs_fault fault;	/* of the call that failed */
	bool is_sum;			/* of other inputs */
	bool placed;			/* one outside of segments */
	struct id_map segments;		/* to digests, in the order they came */
	struct id_map stacks;		/* to values */
	size_t next;			/* place in stacks to try first */
};

/* A profile begins that is the sum of so many inputs. */
void heap_refs_begin(struct heap_refs *, uint64_t inputs);
void heap_refs_free(struct heap_refs *);

/* PROF_END if the segment came before; else it is the last of segments. */
enum prof_status heap_refs_add_segment(struct heap_refs *,
    const struct prof_segment *, struct prof_error *);

/* The place in segments of the segment of an address of the stack. */
enum prof_status heap_refs_segment_of(struct heap_refs *,
    const struct prof_stack *, size_t pc, uint32_t *place,
    struct prof_error *);

/* A stack with another value must not have the id. */
enum prof_status heap_refs_add_stack(struct heap_refs *, uint64_t id,
    uint64_t value, struct prof_error *);

/* PROF_FAIL: there is no such stack. */
enum prof_status heap_refs_no_stack(struct heap_refs *, uint64_t id,
    struct prof_error *);

static inline enum prof_status
heap_refs_find_stack(struct heap_refs *r, uint64_t id, uint64_t *value,
    struct prof_error *err)
{
	const uint64_t *known = id_map_find_next(&r->stacks, &r->next, id);

	if (known == NULL)
		return heap_refs_no_stack(r, id, err);
	*value = *known;
	return PROF_OK;
}

/*
 * Adds a record that is not folded, of any kind, by all of the rules.  A record
 * that refers to what is not there is not added.
 */
enum prof_status heap_refs_check(struct heap_refs *,
    const struct prof_record *, struct prof_error *);

#endif
