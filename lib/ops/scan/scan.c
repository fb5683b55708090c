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

const char *const scan_coding_names[] = { NULL, "hex", "base64" };

struct scan {
	struct prof_span bytes;
	struct prof_span image;		/* bytes that are being searched */
	enum scan_coding coding;
	struct scan_lines lines;	/* unless coding is SCAN_PLAIN */
	struct scan_lines before;	/* of hex: hits point into it */
	size_t block;			/* next of the lines to search */
	size_t at;			/* offset in image */
	uint64_t budget;		/* left of it, in bytes */
};

struct scan *
scan_new(struct prof_span bytes, struct prof_error *err)
{
	struct scan *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		err_memory(err);
		return NULL;
	}
	s->bytes = s->image = bytes;
	if (!mul_u64(bytes.size, SCAN_BUDGET_TIMES, &s->budget) ||
	    !add_u64(s->budget, SCAN_BUDGET_BYTES, &s->budget))
		s->budget = UINT64_MAX;
	return s;
}

/* Offset in the input of the position, or of the line that spells it. */
static uint64_t
scan_offset(const struct scan *s)
{
	if (s->coding == SCAN_PLAIN)
		return s->at;
	return scan_line_of(&s->lines,
	    (size_t)(s->image.data - s->lines.bytes.data) + s->at);
}

static enum prof_status
scan_spend(struct scan *s, uint64_t cost, struct prof_error *err)
{
	if (cost <= s->budget) {
		s->budget -= cost;
		return PROF_OK;
	}
	return err_at(err, PROF_E_LIMIT, scan_offset(s), "too much looks like "
	    "a profile and is none: the search was given up here");
}

/* *size is the length of the profile that begins here, or 0 if none does. */
static enum prof_status
scan_try_here(struct scan *s, size_t *size, struct prof_error *err)
{
	struct prof_span rest = { s->image.data + s->at,
	    s->image.size - s->at };
	uint64_t examined;

	*size = prof_length(rest, &examined);
	if (*size == 0)
		return scan_spend(s, examined, err);
	if (prof_decodes((struct prof_span){ rest.data, *size }))
		return examined > *size ? scan_spend(s, examined - *size, err) :
		    PROF_OK;
	examined = examined + *size + SCAN_DECODE_COST;
	*size = 0;
	return scan_spend(s, examined, err);
}

static enum prof_status
scan_search(struct scan *s, struct scan_hit *hit, struct prof_error *err)
{
	size_t size;

	for (; s->image.size - s->at >= 8; s->at++) {
		if (!scan_may_begin(s->image.data + s->at))
			continue;
		if (scan_try_here(s, &size, err) != PROF_OK)
			return PROF_FAIL;
		if (size == 0)
			continue;
		*hit = (struct scan_hit){ { s->image.data + s->at, size },
		    scan_offset(s), s->coding };
		s->at += size;
		return PROF_OK;
	}
	return PROF_END;
}

/* Decodes the lines of the input in the next coding; PROF_END: no other. */
static enum prof_status
scan_next_coding(struct scan *s, struct prof_error *err)
{
	bool (*spell)(struct scan_lines *, struct prof_span) =
	    s->coding == SCAN_PLAIN ? scan_hex_lines : scan_base64_lines;

	if (s->coding == SCAN_BASE64)
		return PROF_END;
	s->coding++;
	s->before = s->lines;
	s->lines = (struct scan_lines){ 0 };
	s->block = 0;
	return spell(&s->lines, s->bytes) ? PROF_OK : err_memory(err);
}

/* Takes the next block of lines as the bytes to search. */
static enum prof_status
scan_next_image(struct scan *s, struct prof_error *err)
{
	while (s->block == s->lines.block_count) {
		enum prof_status status = scan_next_coding(s, err);

		if (status != PROF_OK)
			return status;
	}
	s->image = scan_block(&s->lines, s->block++);
	s->at = 0;
	return PROF_OK;
}

enum prof_status
scan_next(struct scan *s, struct scan_hit *hit, struct prof_error *err)
{
	enum prof_status status;

	while ((status = scan_search(s, hit, err)) == PROF_END) {
		status = scan_next_image(s, err);
		if (status != PROF_OK)
			break;
	}
	return status;
}

void
scan_free(struct scan *s)
{
	if (s == NULL)
		return;
	scan_lines_free(&s->before);
	scan_lines_free(&s->lines);
	free(s);
}
