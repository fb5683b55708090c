#include "ops/scan/scan.h"

#include <stdlib.h>

#include "base/error.h"
#include "ops/scan/lines.h"

/*
 * Budget for bytes that turn out to be no profile: SCAN_BUDGET_BYTES, and
 * SCAN_BUDGET_TIMES the input.  A failed attempt to decode costs
 * SCAN_DECODE_COST more than its bytes, since it may inflate names.
 */
#define SCAN_BUDGET_BYTES	((uint64_t)64 << 20)
#define SCAN_BUDGET_TIMES	32
#define SCAN_DECODE_COST	((uint64_t)4 << 20)

const char *const scan_coding_names[] = { NULL, "hex", "base64",
	"uuencode" };

struct scan {
	struct prof_span bytes;
	enum scan_coding coding;
	size_t at;			/* offset in the bytes, of SCAN_PLAIN */
	struct scan_lines lines;	/* in the other codings */
	size_t mark;			/* the next of the lines' */
	size_t behind[SCAN_READINGS];	/* the last profile in each reading */
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

static enum prof_status
scan_spend(struct scan *s, uint64_t cost, struct prof_error *err)
{
	if (cost <= s->budget) {
		s->budget -= cost;
		return PROF_OK;
	}
	return err_at(err, PROF_E_LIMIT, s->coding == SCAN_PLAIN ? s->at :
	    s->lines.marks[s->mark].from, "too much data looks like a profile "
	    "but is not one: the search stopped here");
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

static enum prof_status
scan_next_plain(struct scan *s, struct scan_hit *hit, struct prof_error *err)
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
		*hit = (struct scan_hit){ { rest.data, size }, s->at,
		    s->coding };
		s->at += size;
		return PROF_OK;
	}
	return PROF_END;
}

/*
 * PROF_OK if the marks inside of an image begin profiles, each where the one
 * before ends.  PROF_END if not: a log has a part of a profile and then another
 * profile.
 */
static enum prof_status
scan_marks_fit(const struct scan *s, int reading, size_t end, uint64_t *cost,
    struct prof_error *err)
{
	const uint8_t *bytes = s->lines.readings[reading].bytes.data;
	size_t at = s->lines.marks[s->mark].at[reading];
	uint64_t examined;
	size_t size;

	*cost = 0;
	for (size_t i = s->mark + 1; i < s->lines.count; i++) {
		size_t next = s->lines.marks[i].at[reading];

		if (next >= end)
			break;
		if (prof_length((struct prof_span){ bytes + at, next - at },
		    &size, &examined, err) != PROF_OK)
			return PROF_FAIL;
		if (size != next - at)
			return PROF_END;
		*cost += examined;
		at = next;
	}
	return PROF_OK;
}

/* Tries a mark in one reading of the log; hit->image is empty if it fails. */
static enum prof_status
scan_try_mark(struct scan *s, int reading, struct scan_hit *hit,
    struct prof_error *err)
{
	const struct scan_mark *m = &s->lines.marks[s->mark];
	const uint8_t *bytes = s->lines.readings[reading].bytes.data;
	enum prof_status status;
	uint64_t cost;
	size_t size;

	hit->image.size = 0;
	if (scan_try(s, (struct prof_span){ bytes + m->at[reading],
	    m->end[reading] - m->at[reading] }, &size, err) != PROF_OK)
		return PROF_FAIL;
	if (size == 0)
		return PROF_OK;
	status = scan_marks_fit(s, reading, m->at[reading] + size, &cost, err);
	if (status == PROF_FAIL)
		return PROF_FAIL;
	if (status == PROF_END)
		return scan_spend(s, cost + SCAN_DECODE_COST, err);
	*hit = (struct scan_hit){ { bytes + m->at[reading], size }, m->from,
	    s->coding };
	s->behind[reading] = m->at[reading] + size;
	return PROF_OK;
}

static enum prof_status
scan_next_mark(struct scan *s, struct scan_hit *hit, struct prof_error *err)
{
	for (; s->mark < s->lines.count; s->mark++) {
		const struct scan_mark *m = &s->lines.marks[s->mark];
		bool found = false;

		/* Inside of a profile that was found. */
		for (int i = 0; i < SCAN_READINGS; i++)
			found = found || m->at[i] < s->behind[i];
		for (int i = 0; i < SCAN_READINGS && !found; i++) {
			if (scan_try_mark(s, i, hit, err) != PROF_OK)
				return PROF_FAIL;
			if (hit->image.size == 0)
				continue;
			s->mark++;
			return PROF_OK;
		}
	}
	return PROF_END;
}

/* Reads the lines of the input in the next coding; PROF_END: no other. */
static enum prof_status
scan_next_coding(struct scan *s, struct prof_error *err)
{
	static void (*const alphabets[])(struct scan_alphabet *) = { NULL,
	    scan_alphabet_hex, scan_alphabet_base64, scan_alphabet_uu };
	struct scan_alphabet a;

	if (s->coding == SCAN_UUENCODE)
		return PROF_END;
	s->coding++;
	s->mark = 0;
	memset(s->behind, 0, sizeof(s->behind));
	scan_lines_free(&s->lines);
	alphabets[s->coding](&a);
	return scan_lines_read(&s->lines, &a, s->bytes) ? PROF_OK :
	    err_memory(err);
}

enum prof_status
scan_next(struct scan *s, struct scan_hit *hit, struct prof_error *err)
{
	enum prof_status status;

	do {
		status = s->coding == SCAN_PLAIN ?
		    scan_next_plain(s, hit, err) : scan_next_mark(s, hit, err);
		s->found += status == PROF_OK;
		if (status != PROF_END)
			break;
	} while ((status = scan_next_coding(s, err)) == PROF_OK);
	return status;
}

void
scan_free(struct scan *s)
{
	if (s == NULL)
		return;
	scan_lines_free(&s->lines);
	prof_context_free(s->context);
	free(s);
}
