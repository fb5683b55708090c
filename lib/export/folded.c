/*
 * Folded stacks, one a line, as flamegraph.pl reads them:
 *
 *	root;...;leaf VALUE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "export/export.h"
#include "export/text.h"

/*
 * A stack as text.  The text is named by its offset, since the buffer moves
 * while it grows.
 */
struct folded_line {
	const struct buf *text;
	size_t start, size;
	uint64_t value;
};

/* A semicolon separates frames, so that one in a name becomes a colon. */
static void
folded_put_frame(struct buf *b, const struct heap *h, uint32_t frame,
    const struct export_options *o)
{
	const struct prof_frame *f = &h->frames[frame].source;
	enum heap_line kind;
	size_t start = b->size;
	char text[24];
	uint32_t line;

	export_name(b, h, frame, o->name);
	if (o->lines && f->file.size != 0) {
		buf_put(b, " ", 1);
		export_text(b, f->file);
	}
	kind = heap_frame_line(f, &line);
	if (o->lines && kind != HEAP_LINE_UNKNOWN) {
		snprintf(text, sizeof(text), "%s%" PRIu32,
		    kind == HEAP_LINE_OF_FILE ? ":" : "+", line);
		buf_put(b, text, strlen(text));
	}
	for (size_t i = start; !b->failed && i < b->size; i++) {
		if (b->data[i] == ';')
			b->data[i] = ':';
	}
}

static struct folded_line
folded_put_stack(struct buf *b, const struct heap *h,
    const struct heap_context *c, const struct export_options *o)
{
	struct folded_line l = { b, b->size, 0,
	    c->info.value[heap_fields[o->by]] };

	for (size_t i = c->size; i-- > c->site;) {
		folded_put_frame(b, h, c->frames[i], o);
		if (i > c->site)
			buf_put(b, ";", 1);
	}
	if (c->size == 0)
		buf_put(b, "[no stack]", 10);
	l.size = b->size - l.start;
	return l;
}

static struct prof_span
folded_text(const struct folded_line *l)
{
	return (struct prof_span){ l->text->data + l->start, l->size };
}

static int
folded_by_text(const void *a, const void *b)
{
	return prof_span_compare(folded_text(a), folded_text(b));
}

/*
 * Contexts may differ in frames' columns, files or lines that the text leaves
 * out: those of equal text become one line with the sum of their values, which
 * saturates.  The lines are sorted by text.
 */
static void
folded_put_lines(struct buf *out, const struct folded_line *lines, size_t count)
{
	for (size_t i = 0, next; i < count; i = next) {
		uint64_t sum = lines[i].value;
		char value[24];

		for (next = i + 1; next < count &&
		    folded_by_text(&lines[i], &lines[next]) == 0; next++) {
			if (!add_u64(sum, lines[next].value, &sum))
				sum = UINT64_MAX;
		}
		buf_put(out, folded_text(&lines[i]).data, lines[i].size);
		snprintf(value, sizeof(value), " %" PRIu64 "\n", sum);
		buf_put(out, value, strlen(value));
	}
}

enum prof_status
export_folded(struct buf *out, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	struct folded_line *lines = calloc(h->contexts_size + 1,
	    sizeof(*lines));
	struct buf text = { 0 };

	for (size_t i = 0; lines != NULL && i < h->contexts_size; i++)
		lines[i] = folded_put_stack(&text, h, &h->contexts[i], o);
	if (lines != NULL && !text.failed) {
		qsort(lines, h->contexts_size, sizeof(*lines), folded_by_text);
		folded_put_lines(out, lines, h->contexts_size);
	} else
		out->failed = true;
	free(lines);
	buf_free(&text);
	return out->failed ? err_memory(err) : PROF_OK;
}
