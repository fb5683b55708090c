/*
 * scan.h - profiles that stand among other bytes
 *
 * Memory dumps, core files and flash images hold raw and indexed profiles as
 * they are; logs of serial lines hold them as hex digits or base64.  What is
 * found was decoded once, to its end.
 */
#ifndef OPS_SCAN_SCAN_H
#define OPS_SCAN_SCAN_H

#include "prof.h"

struct scan;

enum scan_coding { SCAN_PLAIN, SCAN_HEX, SCAN_BASE64 };

/* "hex", "base64" or NULL. */
extern const char *const scan_coding_names[];

struct scan_hit {
	struct prof_span image;	/* valid until scan_free */
	uint64_t offset;	/* where it, or its first line, begins */
	enum scan_coding coding;
};

/* The bytes must outlive it.  NULL if out of memory. */
struct scan *scan_new(struct prof_span bytes, struct prof_error *);

/*
 * The next profile: those that stand as they are first.  PROF_END behind the
 * last; PROF_FAIL with PROF_E_LIMIT if there is so much that only looks like
 * one that the search was given up.
 */
enum prof_status scan_next(struct scan *, struct scan_hit *,
    struct prof_error *);

void scan_free(struct scan *);		/* NULL is fine */

#endif
