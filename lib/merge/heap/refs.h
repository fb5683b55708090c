/*
 * merge/heap/refs.h - what records of a heap profile refer to
 *
 * Stacks and segments are known by ids of their profile.  A profile that breaks
 * one of these rules contradicts itself and cannot be summed:
 *
 * - a segment that comes again is the same;
 * - a segment with a range comes before all stacks that have addresses outside
 *   of segments, since these may be in it; but the ranges of a sum are not used
 *   (merge/heap/segment.c);
 * - the segments of a stack come before it;
 * - a stack that comes again is the same;
 * - the stack of an allocation, alloc site or call site comes before it.
 *
 * While records are folded, the value of a stack is the number of its context.
 * heap_refs_check is for records that are not folded, or not yet: there the
 * value is a digest of the stack.
 */
#ifndef MERGE_HEAP_REFS_H
#define MERGE_HEAP_REFS_H

#include "base/id_map.h"
#include "prof.h"

/* The ids of one profile, as far as it was read. */
struct heap_refs {
	bool is_sum;			/* of other inputs */
	bool placed;			/* one outside of segments */
	struct id_map segments;		/* to digests, in the order they came */
	struct id_map stacks;		/* to values */
	size_t next;			/* place in stacks to try first */
};

/* A profile begins that is the sum of so many inputs; all zero is fine. */
void heap_refs_begin(struct heap_refs *, uint64_t inputs);
void heap_refs_free(struct heap_refs *);

/* PROF_END if the segment came before; else it is the last of segments. */
enum prof_status heap_refs_add_segment(struct heap_refs *,
    const struct prof_segment *, struct prof_error *);

/* The place in segments of the segment of an address of the stack. */
enum prof_status heap_refs_segment_of(const struct heap_refs *,
    const struct prof_stack *, size_t pc, uint32_t *place,
    struct prof_error *);

/* A stack with another value must not have the id. */
enum prof_status heap_refs_add_stack(struct heap_refs *, uint64_t id,
    uint64_t value, struct prof_error *);

/* PROF_FAIL: there is no such stack. */
enum prof_status err_no_stack(uint64_t id, struct prof_error *);

static inline enum prof_status
heap_refs_find_stack(struct heap_refs *r, uint64_t id, uint64_t *value,
    struct prof_error *err)
{
	const uint64_t *known = id_map_find_next(&r->stacks, &r->next, id);

	if (known == NULL)
		return err_no_stack(id, err);
	*value = *known;
	return PROF_OK;
}

/* Adds a record that is not folded, of any kind, by all of the rules. */
enum prof_status heap_refs_check(struct heap_refs *,
    const struct prof_record *, struct prof_error *);

#endif
