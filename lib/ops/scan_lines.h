/* scan_lines.h - bytes that the lines of a log spell out */
#ifndef OPS_SCAN_LINES_H
#define OPS_SCAN_LINES_H

#include "base/bytes.h"

/*
 * Whether 8 bytes may be a magic: all have 0xff at one end, where the high bits
 * are, and at the other a letter or 0x81.
 */
static inline bool
scan_may_begin(const uint8_t *p)
{
	return (p[0] == 0xff && (p[1] == 'l' || p[1] == 'm')) ||
	    (p[0] == 0x81 && p[7] == 0xff);
}

/* Where in the log the bytes from `at` on were spelled. */
struct scan_line {
	size_t at;			/* of the bytes */
	size_t from;			/* of the line, in the log */
};

/* Blocks of lines are on their own: bytes of two make no profile. */
struct scan_lines {
	struct buf bytes;
	struct scan_line *lines;
	size_t count, room;
	size_t *blocks;			/* where each begins in the bytes */
	size_t block_count, block_room;
};

/*
 * Lines of hex digits: in pairs or groups, as hexdump -C and xxd print them, or
 * in one row; behind whatever stands before them in the line.  False if out of
 * memory.
 */
bool scan_hex_lines(struct scan_lines *, struct prof_span log);

/* Blocks of base64 that begin like a profile. */
bool scan_base64_lines(struct scan_lines *, struct prof_span log);

/* Offset in the log of the line that spells the byte at `at`. */
size_t scan_line_of(const struct scan_lines *, size_t at);

/* The bytes of a block. */
struct prof_span scan_block(const struct scan_lines *, size_t block);

void scan_lines_free(struct scan_lines *);

#endif
