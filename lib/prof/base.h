/* prof/base.h - statuses, errors, warnings, byte spans */
#ifndef PROF_BASE_H
#define PROF_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libprof/read.h"	/* enum prof_code, enum prof_where */

/* END is not an error: there are no more records. */
enum prof_status { PROF_FAIL = -1, PROF_OK, PROF_END };

#define PROF_REASON_SIZE 320

/*
 * Owned by the caller, all zero to begin with.  The first failure fills it in
 * and later ones leave it as it is.  The reason is one line without newline and
 * without a file name: "NumCounters 4096 exceeds the 512 bytes left".
 */
struct prof_error {
	enum prof_code code;
	enum prof_where where;
	uint64_t offset;	/* byte in the image, or line from 1 */
	char reason[PROF_REASON_SIZE];
};

/*
 * Receives a warning.  Its code is PROF_E_UNSUPPORTED if a part of the profile
 * was dropped, and PROF_E_CORRUPT if functions share counters, as they do in
 * all profiles of a binary.
 */
typedef void prof_warn(void *arg, const struct prof_error *warning);

/* Bytes, neither NUL-terminated nor always UTF-8.  data is NULL if absent. */
struct prof_span {
	const uint8_t *data;
	size_t size;
};

/* The order is that of the bytes as unsigned numbers, then of the sizes. */
int prof_span_compare(struct prof_span, struct prof_span);
bool prof_span_equal(struct prof_span, struct prof_span);
void prof_span_sort(struct prof_span *, size_t count);

/* Sorts the spans and drops repeated ones; returns how many are left. */
size_t prof_span_unique(struct prof_span *, size_t count);

/* Whether a span is an element of an array sorted by prof_span_sort. */
bool prof_span_in(struct prof_span, const struct prof_span *sorted,
    size_t count);

/* Whether a span begins with an element of an array. */
bool prof_span_begins_in(struct prof_span, const struct prof_span *prefixes,
    size_t count);

#endif
