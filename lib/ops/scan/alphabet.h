/*
 * ops/scan/alphabet.h - text that spells bytes in digits
 *
 * A line of a log may have digits in several places; which of them are those of
 * a profile is for the readings to decide (ops/scan/reading.h).
 */
#ifndef OPS_SCAN_ALPHABET_H
#define OPS_SCAN_ALPHABET_H

#include <stdbool.h>

#include "prof.h"

/* Digits that follow each other in a line. */
struct scan_digits {
	size_t front;			/* bytes of the line in front of them */
	size_t start, end;		/* in the line; blanks may be between */
	size_t count;			/* of digits that spell bytes */
	bool closed;			/* left-over bits are padding */
	struct prof_span number;	/* directly in front, or empty */
};

struct scan_alphabet {
	unsigned bits;			/* of a digit */
	int8_t value[256];		/* -1 if the byte is no digit */
	/*
	 * Finds the next digits of a line, behind *d, which is all zero at
	 * first.  False if there are no more.
	 */
	bool (*next)(const struct scan_alphabet *, struct prof_span line,
	    struct scan_digits *d);
};

/* Lines of base64 (RFC 4648, section 4), of any width. */
void scan_alphabet_base64(struct scan_alphabet *);

/*
 * Hex digits, in groups as hexdump -C, od and xxd print them or without blanks;
 * numbers are what may be offsets.
 */
void scan_alphabet_hex(struct scan_alphabet *);

/* Lines of uuencode (POSIX), whose first character is their length. */
void scan_alphabet_uu(struct scan_alphabet *);

/* For these: each byte's place in the string of digits. */
void scan_digit_values(struct scan_alphabet *, const char *digits);

#endif
