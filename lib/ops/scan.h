/*
 * ops/scan.h - finds profiles among other bytes
 *
 * Memory dumps, core files and flash images contain raw and indexed profiles as
 * they are.  Each profile that is found was decoded to its end once.
 */
#ifndef OPS_SCAN_H
#define OPS_SCAN_H

#include "prof.h"

struct scan;

struct scan_hit {
	struct prof_span image;
	uint64_t offset;
};

/*
 * The bytes must outlive the scan.  Profiles that were found before, in other
 * members of an archive, count for prof_context_part.  NULL if out of memory.
 */
struct scan *scan_new(struct prof_span bytes, uint64_t found,
    struct prof_error *);

/*
 * Gives the next profile; PROF_END after the last one.  PROF_FAIL with
 * PROF_E_LIMIT if the work for bytes that only look like profiles exceeds a
 * budget, which depends on the size of the input.
 */
enum prof_status scan_next(struct scan *, struct scan_hit *,
    struct prof_error *);

void scan_free(struct scan *);		/* NULL is fine */

#endif
