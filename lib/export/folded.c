/* Folded stacks, as flamegraph.pl takes them: root;...;leaf VALUE */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "export/export.h"

/* A line without its value; where it stands, since the text may move. */
struct line {
	const struct buf *text;
	size_t start, size;
	uint64_t value;
};

/* Semicolons stand between frames. */
static void
put_frame(struct buf *b, const struct heap *h, uint32_t frame,
    const struct export_options *o)
{
	const struct prof_frame *f = &h->frames[frame].source;
	size_t start = b->size;
	char line[24];

	export_name(b, h, frame, o->name);
	if (o->lines && f->file.size != 0) {
		buf_put(b, " ", 1);
		export_text(b, f->file);
	}
	if (o->lines && (f->flags & (PROF_FRAME_LINE |
	    PROF_FRAME_LINE_OFFSET)) != 0) {
		snprintf(line, sizeof(line), "%s%" PRIu32,
		    (f->flags & PROF_FRAME_LINE) != 0 ? ":" : "+",
		    export_line(f));
		buf_put(b, line, strlen(line));
	}
	for (size_t i = start; !b->failed && i < b->size; i++) {
		if (b->data[i] == ';')
			b->data[i] = ':';
	}
}

static struct line
put_stack(struct buf *b, const struct heap *h, const struct heap_context *c,
    const struct export_options *o)
{
	struct line l = { b, b->size, 0,
	    c->info.value[heap_fields[o->by]] };

	for (size_t i = c->size; i-- > 0;) {
		put_frame(b, h, c->frames[i], o);
		if (i > 0)
			buf_put(b, ";", 1);
	}
	if (c->size == 0)
		buf_put(b, "[no stack]", 10);
	l.size = b->size - l.start;
	return l;
}

static struct prof_span
span_of(const struct line *l)
{
	return (struct prof_span){ l->text->data + l->start, l->size };
}

static int
by_text(const void *a, const void *b)
{
	return prof_span_compare(span_of(a), span_of(b));
}

/* Contexts that differ in what is not shown give one line. */
static void
put_lines(struct buf *out, const struct line *lines, size_t count)
{
	for (size_t i = 0, next; i < count; i = next) {
		uint64_t sum = lines[i].value;
		char value[24];

		for (next = i + 1; next < count &&
		    by_text(&lines[i], &lines[next]) == 0; next++) {
			if (!add_u64(sum, lines[next].value, &sum))
				sum = UINT64_MAX;
		}
		buf_put(out, span_of(&lines[i]).data, lines[i].size);
		snprintf(value, sizeof(value), " %" PRIu64 "\n", sum);
		buf_put(out, value, strlen(value));
	}
}

enum prof_status
export_folded(struct buf *out, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	struct line *lines = calloc(h->contexts_size + 1, sizeof(*lines));
	struct buf text = { 0 };

	for (size_t i = 0; lines != NULL && i < h->contexts_size; i++)
		lines[i] = put_stack(&text, h, &h->contexts[i], o);
	if (lines != NULL && !text.failed) {
		qsort(lines, h->contexts_size, sizeof(*lines), by_text);
		put_lines(out, lines, h->contexts_size);
	} else
		out->failed = true;
	free(lines);
	buf_free(&text);
	return out->failed ? err_memory(err) : PROF_OK;
}
