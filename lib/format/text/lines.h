/*
 * format/text/lines.h - lines of a text profile, and the numbers in them
 *
 * Empty lines and comments, which begin with '#', do not count anywhere, not
 * even inside of a record.
 */
#ifndef FORMAT_TEXT_LINES_H
#define FORMAT_TEXT_LINES_H

#include <string.h>

#include "base/digits.h"
#include "prof.h"

/* Before the first call of text_lines_next there is no current line. */
struct text_lines {
	struct prof_span image;
	size_t pos;			/* behind the current line */
	uint64_t number;		/* of the current line, from 1 */
	struct prof_span line;		/* the current one, without its end */
	bool at_end;			/* there is no current line */
};

/* Inlined: there is a line for each counter. */
static inline void
text_lines_next(struct text_lines *l)
{
	do {
		const uint8_t *p = l->image.data + l->pos;
		size_t left = l->image.size - l->pos;
		const uint8_t *end = left == 0 ? NULL : memchr(p, '\n', left);

		if (left == 0) {
			l->at_end = true;
			return;
		}
		l->line = (struct prof_span){ p, end == NULL ? left :
		    (size_t)(end - p) };
		l->pos += l->line.size + (end != NULL);
		l->number++;
		if (end > p && end[-1] == '\r')
			l->line.size--;
	} while (l->line.size == 0 || l->line.data[0] == '#');
}

/* Fails because the current line is not `what`, or because there is none. */
enum prof_status text_lines_err(const struct text_lines *, struct prof_error *,
    const char *what);

typedef bool text_parse(struct prof_span, uint64_t max, uint64_t *out);

static inline bool
text_decimal(struct prof_span s, uint64_t max, uint64_t *out)
{
	return digits_parse(s, 10, max, out);
}

/* What a number is called in errors, how it is written, and its limit. */
struct text_number {
	const char *what;
	text_parse *parse;
	uint64_t max;
};

/* Reads the current line as a number, and moves to the next one. */
static inline enum prof_status
text_lines_number(struct text_lines *l, const struct text_number *n,
    uint64_t *out, struct prof_error *err)
{
	if (l->at_end || !n->parse(l->line, n->max, out))
		return text_lines_err(l, err, n->what);
	text_lines_next(l);
	return PROF_OK;
}

/* The same of the count of items that take 2 bytes of the input at least. */
enum prof_status text_lines_count(struct text_lines *,
    const struct text_number *, uint64_t *out, struct prof_error *);

#endif
