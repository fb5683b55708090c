/*
 * ops/scan/lines.h - bytes that the lines of a log spell out
 *
 * Consecutive lines that belong together are a block.  The bytes of different
 * blocks never form one profile.
 */
#ifndef OPS_SCAN_LINES_H
#define OPS_SCAN_LINES_H

#include "base/bytes.h"

/* So many lines without digits may interrupt a block. */
enum { SCAN_GAP_MAX = 16 };

/*
 * Whether 8 bytes may be the magic of a profile.  Raw and indexed magics have
 * 0xff in the byte with their high bits, at one end, and at the other a letter
 * ('l' and 'm' of big-endian ones) or 0x81.
 */
static inline bool
scan_may_begin(const uint8_t *p)
{
	return (p[0] == 0xff && (p[1] == 'l' || p[1] == 'm')) ||
	    (p[0] == 0x81 && p[7] == 0xff);
}

/* A line that was decoded. */
struct scan_line {
	size_t at;			/* of its first byte in `bytes` */
	size_t from;			/* offset of the line in the log */
};

/* What was decoded.  All zero is empty. */
struct scan_lines {
	struct buf bytes;
	struct scan_line *lines;	/* in the order of the log */
	size_t count, room;
	size_t *blocks;			/* offset of each block in `bytes` */
	size_t block_count, block_room;
};

/*
 * Decodes lines of hex digits: in pairs or groups, as hexdump -C and xxd print
 * them, or in one row; text in front of them, such as offsets and time stamps,
 * is skipped.  False if out of memory.
 */
bool scan_hex_lines(struct scan_lines *, struct prof_span log);

/* Decodes blocks of base64 that begin like a profile. */
bool scan_base64_lines(struct scan_lines *, struct prof_span log);

/* Offset in the log of the line that spells the byte at `at`. */
size_t scan_line_of(const struct scan_lines *, size_t at);

/* The bytes of a block; borrowed until scan_lines_free. */
struct prof_span scan_block(const struct scan_lines *, size_t block);

void scan_lines_free(struct scan_lines *);

/* For the decoders, hex.c and base64.c. */

/* The line at *at without its line end; moves *at behind the line end. */
struct prof_span scan_next_line(struct prof_span log, size_t *at);

/* The bytes that follow are of the line at `from`.  False: no memory. */
bool scan_begin_line(struct scan_lines *, size_t from);

/* The bytes that follow are of a new block.  False: no memory. */
bool scan_begin_block(struct scan_lines *);

/* Fills values with the place of each digit, -1 for other bytes. */
void scan_digit_values(const char *digits, int8_t values[256]);

#endif
