#include "ops/scan.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"

/*
 * Budget for bytes that turn out to be no profile: SCAN_BUDGET_BYTES, and
 * SCAN_BUDGET_TIMES the input.  A failed attempt to decode costs
 * SCAN_DECODE_COST more than its bytes, since it may inflate names.
 */
#define SCAN_BUDGET_BYTES	((uint64_t)64 << 20)
#define SCAN_BUDGET_TIMES	32
#define SCAN_DECODE_COST	((uint64_t)4 << 20)

struct scan {
	struct prof_span bytes;
	size_t at;			/* offset in the bytes */
	uint64_t budget;		/* left of it, in bytes */
	struct prof_context *context;	/* of readers that only try */
	uint64_t found;			/* profiles */
};

struct scan *
scan_new(struct prof_span bytes, uint64_t found, struct prof_error *err)
{
	struct scan *s = calloc(1, sizeof(*s));

	if (s == NULL || (s->context = prof_context_new(NULL, NULL)) == NULL) {
		err_memory(err);
		free(s);
		return NULL;
	}
	s->bytes = bytes;
	s->found = found;
	if (!mul_u64(bytes.size, SCAN_BUDGET_TIMES, &s->budget) ||
	    !add_u64(s->budget, SCAN_BUDGET_BYTES, &s->budget))
		s->budget = UINT64_MAX;
	return s;
}

/*
 * Whether 8 bytes, the first in the high bits, may be the magic of a profile.
 * Raw and indexed magics have 0xff in the byte with their high bits, at one
 * end, and at the other a letter ('l' and 'm' of big-endian ones) or 0x81.
 */
static bool
scan_may_begin(uint64_t v)
{
	return (v & UINT64_C(0xff000000000000ff)) ==
	    UINT64_C(0x81000000000000ff) || v >> 48 == 0xff6c ||
	    v >> 48 == 0xff6d;
}

static enum prof_status
scan_spend(struct scan *s, uint64_t cost, struct prof_error *err)
{
	if (cost <= s->budget) {
		s->budget -= cost;
		return PROF_OK;
	}
	return err_at(err, PROF_E_LIMIT, s->at, "too much data looks like a "
	    "profile but is not one: the search stopped here");
}

/* *size is the length of the profile that the bytes begin with, 0 if none. */
static enum prof_status
scan_try(struct scan *s, struct prof_span bytes, size_t *size,
    struct prof_error *err)
{
	enum prof_status status;
	uint64_t examined;

	if (prof_length(bytes, size, &examined, err) != PROF_OK)
		return PROF_FAIL;
	if (*size == 0)
		return scan_spend(s, examined, err);
	prof_context_part(s->context, s->found + 1);
	status = prof_decodes(s->context, (struct prof_span){ bytes.data,
	    *size }, err);
	if (status == PROF_FAIL)
		return PROF_FAIL;
	if (status == PROF_OK)
		return examined > *size ? scan_spend(s, examined - *size, err) :
		    PROF_OK;
	examined = examined + *size + SCAN_DECODE_COST;
	*size = 0;
	return scan_spend(s, examined, err);
}

enum prof_status
scan_next(struct scan *s, struct scan_hit *hit, struct prof_error *err)
{
	size_t size;

	for (; s->bytes.size - s->at >= 8; s->at++) {
		struct prof_span rest = { s->bytes.data + s->at,
		    s->bytes.size - s->at };

		if (!scan_may_begin(load_u64(rest.data, true)))
			continue;
		if (scan_try(s, rest, &size, err) != PROF_OK)
			return PROF_FAIL;
		if (size == 0)
			continue;
		*hit = (struct scan_hit){ { rest.data, size }, s->at };
		s->at += size;
		s->found++;
		return PROF_OK;
	}
	return PROF_END;
}

void
scan_free(struct scan *s)
{
	if (s == NULL)
		return;
	prof_context_free(s->context);
	free(s);
}
