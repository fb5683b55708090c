/*
 * format/stream/scan.h - canonical lines, taken apart by hand
 *
 * Most bytes of a stream are in lines of functions, stacks and allocations.
 * The scanner accepts only the form that the writer gives them; any other line,
 * even if allowed, ends the scan and is left to stream_parse, which reports
 * errors.
 */
#ifndef FORMAT_STREAM_SCAN_H
#define FORMAT_STREAM_SCAN_H

#include "base/swar.h"
#include "format/stream/stream.h"

/* p needs no bound: a newline follows the line, and p never passes it. */
struct scan {
	const uint8_t *p;
	const uint8_t *end;		/* of the line, or of all lines */
	const uint8_t *limit;		/* bytes before it may be read */
	struct stream_record *record;
};

static inline bool
scan_skip(struct scan *s, const char *text, size_t size)
{
	if ((size_t)(s->end - s->p) < size || memcmp(s->p, text, size) != 0)
		return false;
	s->p += size;
	return true;
}

/* The same of a constant text. */
__attribute__((always_inline)) static inline bool
scan_skip_text(struct scan *s, const char *text, size_t size)
{
	if ((size_t)(s->end - s->p) < size || !swar_same(s->p, text, size))
		return false;
	s->p += size;
	return true;
}

#define SKIP(s, text)	scan_skip_text(s, text, sizeof(text) - 1)

/* A string without escapes, behind its opening quote; not empty. */
bool scan_string(struct scan *, struct prof_span *);

bool scan_number(struct scan *, uint64_t *);

/* Behind the opening quote. */
bool scan_id(struct scan *, uint64_t *);

/* Behind the opening bracket. */
bool scan_numbers(struct scan *, const uint64_t **, size_t *size);

/*
 * Exactly n numbers, into room for n and NUMBER_ROW_SLACK, and the closing
 * bracket.
 */
bool scan_counts(struct scan *, uint64_t *, size_t);

/*
 * Value sites, behind the opening brace.  Kinds that are not there are left
 * alone, and all is valid until the next value sites are scanned.
 */
bool scan_values(struct scan *, struct prof_sites[PROF_VALUE_KINDS]);

/* As stream_scan; bytes before the limit may be read. */
bool scan_line(struct stream_record *, struct prof_span line,
    const uint8_t *limit, struct prof_record *);

/* Records, behind "record" and the comma. */
bool scan_function(struct scan *, struct prof_function *);
bool scan_stack(struct scan *, struct prof_stack *);
bool scan_allocation(struct scan *, struct prof_allocation *);

#endif
