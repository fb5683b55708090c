/* cover/diff.c - the lines that a unified diff adds */
#include "config.h"

#include <ctype.h>

#include "base/error.h"
#include "base/numbers.h"
#include "cover/cover.h"

struct diff_reader {
	struct cover_diff *diff;
	struct prof_span rest;
	uint64_t line;
	struct prof_error *err;
	struct buf old, new;		/* names of the file on both sides */
	uint64_t old_line;		/* of the diff, where old stands */
	struct cover_change *change;	/* NULL: it was removed */
	bool in_file, any;		/* any: it is a diff */
};

/* The size of a colour sequence (ESC [ ... m) at a place; 0: there is none. */
static size_t
colour_size(struct prof_span s, size_t at)
{
	size_t i = at + 2;

	if (s.size - at < 3 || s.data[at] != 0x1b || s.data[at + 1] != '[')
		return 0;
	while (i < s.size && (s.data[i] == ';' || isdigit(s.data[i])))
		i++;
	return i < s.size && s.data[i] == 'm' ? i + 1 - at : 0;
}

/* Takes colours off both ends, which `git diff --color` puts there. */
static void
line_take_colours(struct prof_span *l)
{
	const uint8_t *last = memrchr(l->data, 0x1b, l->size);
	size_t size;

	while ((size = colour_size(*l, 0)) > 0)
		*l = (struct prof_span){ l->data + size, l->size - size };
	size = last == NULL || last < l->data ? 0 : colour_size(*l,
	    (size_t)(last - l->data));
	if (size > 0 && last + size == l->data + l->size)
		l->size -= size;
}

static bool
diff_next_line(struct diff_reader *d, struct prof_span *l)
{
	const uint8_t *end;

	if (d->rest.size == 0)
		return false;
	end = memchr(d->rest.data, '\n', d->rest.size);
	*l = (struct prof_span){ d->rest.data, end == NULL ? d->rest.size :
	    (size_t)(end - d->rest.data) };
	d->rest.data += l->size + (end != NULL);
	d->rest.size -= l->size + (end != NULL);
	d->line++;
	l->size -= l->size > 0 && l->data[l->size - 1] == '\r';
	line_take_colours(l);
	return true;
}

/* Whether text begins so; then it is taken off. */
static bool
span_take(struct prof_span *s, const char *text)
{
	size_t size = strlen(text);

	if (s->size < size || memcmp(s->data, text, size) != 0)
		return false;
	s->data += size;
	s->size -= size;
	return true;
}

/*
 * Reads a name: up to a tab, behind which there is a date, or in quotes as git
 * has it.  False if a quote is not closed.
 */
static bool
diff_take_name(struct buf *out, struct prof_span s)
{
	static const char from[] = "abtnvfr", to[] = "\a\b\t\n\v\f\r";
	const uint8_t *end = s.data + s.size, *p = s.data;
	const char *known;
	unsigned c;

	out->size = 0;
	if (!span_take(&s, "\"")) {
		p = s.size == 0 ? NULL : memchr(s.data, '\t', s.size);
		s.size = p == NULL ? s.size : (size_t)(p - s.data);
		line_take_colours(&s);
		buf_put(out, s.data, s.size);
		return true;
	}
	for (p = s.data; p != end && *p != '"'; p++) {
		c = *p;
		if (c == '\\' && ++p == end)
			break;
		if (c == '\\' && end - p > 2 && *p >= '0' && *p <= '3') {
			c = (*p & 7u) << 6 | (p[1] & 7u) << 3 | (p[2] & 7u);
			p += 2;
		} else if (c == '\\') {
			known = memchr(from, *p, sizeof(from) - 1);
			c = known == NULL ? *p : (uint8_t)to[known - from];
		}
		buf_u8(out, (uint8_t)c);
	}
	return p != end;
}

static bool
name_is_none(const struct buf *b)
{
	return b->size == 9 && memcmp(b->data, "/dev/null", 9) == 0;
}

/*
 * Whether a name begins with a prefix of git, such as b/ or w/: that of the
 * other side is another letter.
 */
static bool
name_has_prefix(const struct buf *old, const struct buf *new)
{
	return new->size > 2 && new->data[1] == '/' && (name_is_none(old) ||
	    (old->size > 2 && old->data[1] == '/' &&
	    old->data[0] != new->data[0]));
}

/* Begins with a file, whose two names are read. */
static enum prof_status
diff_begin_file(struct diff_reader *d)
{
	struct prof_span path = buf_span(&d->new);
	struct cover_diff *x = d->diff;

	d->change = NULL;
	d->in_file = d->any = true;
	if (name_is_none(&d->new))
		return PROF_OK;
	if (name_has_prefix(&d->old, &d->new)) {
		path.data += 2;
		path.size -= 2;
	}
	if (d->old.failed || d->new.failed || !arena_keep(&x->paths, &path) ||
	    !ARRAY_ADD(x->items, x->size, x->room, (struct cover_change){
	    .path = path }))
		return err_memory(d->err);
	d->change = &x->items[x->size - 1];
	return PROF_OK;
}

/* A number behind a text; without the text, *out stays. */
static bool
diff_take_number(struct prof_span *s, const char *before, uint64_t *out)
{
	struct prof_span digits;

	if (!span_take(s, before))
		return *before == ',';
	digits = (struct prof_span){ s->data, 0 };
	while (digits.size < s->size && s->data[digits.size] >= '0' &&
	    s->data[digits.size] <= '9')
		digits.size++;
	s->data += digits.size;
	s->size -= digits.size;
	return digits_parse(digits, 10, UINT32_MAX / 2, out);
}

/* Reads a hunk: its head says how many lines of both sides follow. */
static enum prof_status
diff_read_hunk(struct diff_reader *d, struct prof_span head)
{
	uint64_t at, old = 1, new = 1, line = d->line;
	struct cover_line_set *s = d->change == NULL ? NULL : &d->change->lines;
	struct prof_span l;
	char kind;

	if (!d->in_file || !diff_take_number(&head, "@@ -", &at) ||
	    !diff_take_number(&head, ",", &old) ||
	    !diff_take_number(&head, " +", &at) ||
	    !diff_take_number(&head, ",", &new) || !span_take(&head, " @@"))
		return err_line(d->err, PROF_E_CORRUPT, line, "not the head "
		    "of a hunk with two sides, of a file");
	while (old > 0 || new > 0) {
		if (!diff_next_line(d, &l))
			return err_line(d->err, PROF_E_TRUNCATED, line,
			    "the hunk is cut off, lines missing: %llu",
			    ull(old > new ? old : new));
		/* Some mailers drop blanks at the end of lines. */
		kind = l.size == 0 ? ' ' : (char)l.data[0];
		if (kind == '\\')
			continue;
		if ((kind != ' ' && kind != '-' && kind != '+') ||
		    (kind != '+' && old-- == 0) || (kind != '-' && new-- == 0))
			return err_line(d->err, PROF_E_CORRUPT, d->line,
			    "no line of the hunk of line %llu", ull(line));
		if (kind == '+' && s != NULL && !cover_lines_add(s,
		    (uint32_t)at, (uint32_t)at))
			return err_memory(d->err);
		at += kind != '-';
	}
	return PROF_OK;
}

/* A line outside of hunks; what is none of a diff, as of mails, is passed. */
static enum prof_status
diff_read_line(struct diff_reader *d, struct prof_span l)
{
	struct prof_span head = l;
	bool old;

	if (span_take(&l, "@@"))
		return diff_read_hunk(d, head);
	d->any |= span_take(&l, "diff --git ");
	old = span_take(&l, "--- ");
	if (old)
		d->old_line = d->line;
	else if (d->old_line == 0 || d->line != d->old_line + 1 ||
	    !span_take(&l, "+++ "))
		return PROF_OK;
	if (!diff_take_name(old ? &d->old : &d->new, l))
		return err_line(d->err, PROF_E_CORRUPT, d->line,
		    "a name has no second quote");
	return old ? PROF_OK : diff_begin_file(d);
}

enum prof_status
cover_diff_read(struct cover_diff *diff, struct prof_span text,
    struct prof_error *err)
{
	struct diff_reader d = { .diff = diff, .rest = text, .err = err };
	enum prof_status status = PROF_OK;
	struct prof_span line;

	while (status == PROF_OK && diff_next_line(&d, &line))
		status = diff_read_line(&d, line);
	if (status == PROF_OK && !d.any && text.size > 0)
		status = err_set(err, PROF_E_FORMAT, "is no unified diff");
	buf_free(&d.old);
	buf_free(&d.new);
	return status;
}

void
cover_diff_free(struct cover_diff *d)
{
	for (size_t i = 0; i < d->size; i++)
		free(d->items[i].lines.items);
	free(d->items);
	arena_free(&d->paths);
}
