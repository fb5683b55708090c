#include "format/stream/text.h"

#include <errno.h>

#include "base/error.h"

/* Bytes that are pulled at once at most, and room for several of these. */
enum { PULL_SIZE = 1 << 17, PULL_ROOM = 4 * PULL_SIZE };

/*
 * Finds the last newline of the text; it is known that none is before `from`.
 */
static void
stream_text_find_last_newline(struct stream_text *t, size_t from)
{
	size_t i = t->data.size;

	while (i > from && t->data.data[i - 1] != '\n')
		i--;
	if (i > from)
		t->whole = i;
}

void
stream_text_set_image(struct stream_text *t, struct prof_span image)
{
	t->data = image;
	stream_text_find_last_newline(t, 0);
	t->ended = true;
}

void
stream_text_free(struct stream_text *t)
{
	buf_free(&t->pulled);
}

/*
 * Makes room for a pull: the rest is moved to the front of the buffer first if
 * there is little room behind it.  The text is valid if that fails, too.
 */
static bool
stream_text_reserve(struct stream_text *t)
{
	struct buf *b = &t->pulled;
	bool done;

	if (t->pos != 0 && b->room - b->size < PULL_SIZE) {
		b->size -= t->pos;
		memmove(b->data, b->data + t->pos, b->size);
		t->whole = t->whole < t->pos ? 0 : t->whole - t->pos;
		t->pos = 0;
	}
	done = buf_reserve(b, b->size == 0 ? PULL_ROOM : PULL_SIZE) != NULL;
	t->data = buf_span(b);
	return done;
}

enum prof_status
stream_text_pull(struct stream_text *t, struct prof_error *err)
{
	struct buf *b = &t->pulled;
	ssize_t n;

	if (t->failure != 0)
		return err_system(err, t->failure, "read");
	if (!stream_text_reserve(t))
		return err_memory(err);
	n = t->pull(t->arg, b->data + b->size, PULL_SIZE);
	if (n < 0) {
		t->failure = errno;
		return err_system(err, t->failure, "read");
	}
	b->size += (size_t)n;
	t->data = buf_span(b);
	stream_text_find_last_newline(t, b->size - (size_t)n);
	t->ended = n == 0;
	return PROF_OK;
}

struct prof_span
stream_text_lines(const struct stream_text *t)
{
	if (t->whole <= t->pos)
		return (struct prof_span){ NULL, 0 };
	return (struct prof_span){ t->data.data + t->pos, t->whole - t->pos };
}

enum prof_status
stream_text_next(struct stream_text *t, struct prof_span *line, bool *whole,
    struct prof_error *err)
{
	size_t seen = 0;
	const uint8_t *start, *newline = NULL;

	for (;;) {
		size_t left = t->data.size - t->pos;

		if (left > seen) {
			start = t->data.data + t->pos + seen;
			newline = memchr(start, '\n', left - seen);
		}
		seen = left;
		if (newline != NULL || t->ended)
			break;
		if (stream_text_pull(t, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (newline == NULL && seen == 0)
		return PROF_END;
	line->data = t->data.data + t->pos;
	line->size = newline == NULL ? seen : (size_t)(newline - line->data);
	*whole = newline != NULL;
	t->pos += line->size + *whole;
	return PROF_OK;
}
