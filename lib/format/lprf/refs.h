/*
 * format/lprf/refs.h - records of a heap profile that refer to others
 *
 * If a block of stacks or segments is lost, records of other blocks may refer
 * to what is no longer there.
 */
#ifndef FORMAT_LPRF_REFS_H
#define FORMAT_LPRF_REFS_H

#include "base/id_map.h"
#include "prof.h"

/* What the file has so far.  All zero at first. */
struct lprf2_refs {
	struct id_map stacks, segments;
};

/*
 * Adds a record: PROF_END, and it is not added, if it refers to a stack or
 * segment that is not there; PROF_FAIL if out of memory.
 */
enum prof_status lprf2_refs_add(struct lprf2_refs *,
    const struct prof_record *);

void lprf2_refs_free(struct lprf2_refs *);

#endif
