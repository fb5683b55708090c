/*
 * ops/scan/lines.h - bytes that the lines of a log spell out
 */
#ifndef OPS_SCAN_LINES_H
#define OPS_SCAN_LINES_H

#include "ops/scan/reading.h"

/* By what surrounds the digits, and by their number: see reading.h. */
enum { SCAN_READINGS = 2 };

/* A magic that the log spells.  In each reading: */
struct scan_mark {
	size_t from;			/* offset of its line in the log */
	size_t at[SCAN_READINGS];	/* offset of the magic in the bytes */
	size_t end[SCAN_READINGS];	/* end of the block */
};

struct scan_lines {
	struct scan_reading readings[SCAN_READINGS];
	struct scan_mark *marks;	/* in the order of the log */
	size_t count, room;
};

/*
 * Reads a log whose digits are of the alphabet, in time and memory in
 * proportion to its size; *s is all zero.  False if out of memory.
 */
bool scan_lines_read(struct scan_lines *, const struct scan_alphabet *,
    struct prof_span log);

void scan_lines_free(struct scan_lines *);

/*
 * Whether 8 bytes, the first in the high bits, may be the magic of a profile.
 * Raw and indexed magics have 0xff in the byte with their high bits, at one
 * end, and at the other a letter ('l' and 'm' of big-endian ones) or 0x81.
 */
static inline bool
scan_may_begin(uint64_t v)
{
	return (v & UINT64_C(0xff000000000000ff)) ==
	    UINT64_C(0x81000000000000ff) || v >> 48 == 0xff6c ||
	    v >> 48 == 0xff6d;
}

#endif
