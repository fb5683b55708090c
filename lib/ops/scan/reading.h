/*
 * ops/scan/reading.h - the bytes that lines of a log spell, read in one way
 *
 * A block is the bytes of lines that belong together; it begins with a magic.
 * The bytes of different blocks never form one profile.
 *
 * Which lines belong together, only the log's maker knows.  Thus a log is read
 * in two ways at once.  In the first, lines of a block are equal in what
 * surrounds the digits, apart from numbers and blanks, and have any number of
 * digits.  In the second, lines have as many digits as the first one, whatever
 * surrounds them, and only the last line has fewer.  In both ways, hex digits
 * with offsets in front belong to a block if their offset follows.
 */
#ifndef OPS_SCAN_READING_H
#define OPS_SCAN_READING_H

#include "base/bytes.h"
#include "ops/scan/alphabet.h"

/* So many lines of others may be between two lines of a block. */
enum { SCAN_GAP_MAX = 16 };

/* Digits of a line, with hashes of what surrounds them. */
struct scan_row {
	struct prof_span line;
	struct scan_digits digits;
	uint64_t frame;			/* numbers and blanks apart */
	uint64_t shape;			/* letters apart, too */
};

/* A magic, which ends in a row and may begin in rows before it. */
struct scan_magic {
	uint64_t value;			/* first byte in the high bits */
	size_t digits;			/* of the row, up to its last one */
	unsigned rest;			/* bits of that digit behind it */
	unsigned left;			/* these bits */
};

/* A base that the offsets may have, and the next offset in that base. */
struct scan_base {
	unsigned base;
	uint64_t expected;
};

enum { SCAN_BASES = 3 };

struct scan_reading {
	const struct scan_alphabet *alphabet;
	bool by_width;
	struct buf bytes;		/* of all blocks */

	/* The block that is being read, if active. */
	bool active;
	unsigned gap;			/* lines of others since its last */
	unsigned bits, bit_count;	/* not yet a whole byte */
	uint64_t frame, shape;		/* of its first row */
	size_t width;			/* digits of its first row */
	size_t column;			/* of its last row */
	struct scan_row last;		/* perhaps; or digits.count is 0 */

	/* Its offsets. */
	struct prof_span number;	/* of its first row */
	struct scan_base bases[SCAN_BASES];	/* that all rows fit */
	size_t base_count;		/* 0 if not known yet */
	uint64_t since;			/* bytes since the first row, if so */
	bool star;			/* a line with a star followed */
	uint64_t repeated;		/* bytes filled in, in all blocks */

	/* The line that is being read. */
	bool taken;
	size_t taken_start;		/* of the row that was taken */
	uint64_t taken_bits;		/* bits of all blocks before it */
};

/* Takes the row if it belongs to the block.  False: no memory. */
bool scan_reading_row(struct scan_reading *, const struct scan_row *);

/*
 * Whether the block has a magic, which is in the row that was given last, as
 * whole bytes.
 */
bool scan_reading_holds(const struct scan_reading *, const struct scan_row *,
    const struct scan_magic *);

/* Begins a block with the magic; there is none (scan_reading_close). */
void scan_reading_begin(struct scan_reading *, const struct scan_row *,
    const struct scan_magic *);

/* Offset in `bytes` of a magic that the block holds, or began with. */
size_t scan_reading_offset(const struct scan_reading *,
    const struct scan_magic *);

/* After all rows of a line.  False if the block ends before that line. */
bool scan_reading_line_end(struct scan_reading *, struct prof_span line);

/* Ends the block, if there is one. */
void scan_reading_close(struct scan_reading *);

#endif
