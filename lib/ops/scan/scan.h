/*
 * ops/scan/scan.h - finds profiles among other bytes
 *
 * Memory dumps, core files and flash images contain raw and indexed profiles as
 * they are; logs of serial lines contain them as hex digits, in base64 or
 * uuencoded.  Each profile that is found was decoded to its end once.
 */
#ifndef OPS_SCAN_SCAN_H
#define OPS_SCAN_SCAN_H

#include "prof.h"

struct scan;

enum scan_coding { SCAN_PLAIN, SCAN_HEX, SCAN_BASE64, SCAN_UUENCODE };

/* By enum scan_coding: NULL, "hex", "base64", "uuencode". */
extern const char *const scan_coding_names[];

struct scan_hit {
	struct prof_span image;	/* valid until the next scan_next */
	uint64_t offset;	/* of the profile, or of its first line */
	enum scan_coding coding;
};

/*
 * The bytes must outlive the scan.  Profiles that were found before, in other
 * members of an archive, count for prof_context_part.  NULL if out of memory.
 */
struct scan *scan_new(struct prof_span bytes, uint64_t found,
    struct prof_error *);

/*
 * Gives the next profile: first those in plain bytes, then those in hex digits,
 * in base64, and uuencoded ones.  PROF_END after the last one.  PROF_FAIL with
 * PROF_E_LIMIT if the work for bytes that only look like profiles exceeds a
 * budget, which depends on the size of the input.
 */
enum prof_status scan_next(struct scan *, struct scan_hit *,
    struct prof_error *);

void scan_free(struct scan *);		/* NULL is fine */

#endif
