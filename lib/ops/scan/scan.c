#include "ops/scan/scan.h"

#include <stdlib.h>

#include "base/error.h"
#include "ops/scan/lines.h"

/*
 * What may be looked at in vain: so many bytes, and the input so many times.
 * An attempt to decode may inflate names and costs more than its bytes.
 */
#define VAIN_BYTES	((uint64_t)64 << 20)
#define VAIN_TIMES	32
#define VAIN_DECODE	((uint64_t)4 << 20)

const char *const scan_coding_names[] = { NULL, "hex", "base64" };

struct scan {
	struct prof_span bytes;
	struct prof_span image;		/* that is being searched */
	enum scan_coding coding;
	struct scan_lines lines;	/* unless it is the bytes */
	struct scan_lines before;	/* what was lent of it stays */
	size_t block;			/* the next of the lines */
	size_t at;
	uint64_t budget;
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
	if (!mul_u64(bytes.size, VAIN_TIMES, &s->budget) ||
	    !add_u64(s->budget, VAIN_BYTES, &s->budget))
		s->budget = UINT64_MAX;
	return s;
}

/* Where in the input the place at hand is. */
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

/* Whether a profile begins here; *size is its length then, else 0. */
static enum prof_status
scan_try_here(struct scan *s, size_t *size, struct prof_error *err)
{
	struct prof_span rest = { s->image.data + s->at,
	    s->image.size - s->at };
	uint64_t looked;

	*size = prof_length(rest, &looked);
	if (*size == 0)
		return scan_spend(s, looked, err);
	if (prof_decodes((struct prof_span){ rest.data, *size }))
		return looked > *size ? scan_spend(s, looked - *size, err) :
		    PROF_OK;
	looked = looked + *size + VAIN_DECODE;
	*size = 0;
	return scan_spend(s, looked, err);
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

/* Goes on with what the lines of the input spell, if they do. */
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

/* The next bytes to search. */
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
