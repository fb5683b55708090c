/* Folded stacks, and what the writers of formats share: names, gzip. */
#include "config.h"

#include "export/export.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"
#include "base/text.h"

void
export_text(struct buf *b, struct prof_span s)
{
	static const char digits[] = "0123456789abcdef";
	bool text = utf8_valid(s);

	for (size_t i = 0; i < s.size; i++) {
		uint8_t c = s.data[i];
		char escape[] = { '\\', 'x', digits[c >> 4], digits[c & 15] };

		if (c < 0x20 || c == 0x7f || (c >= 0x80 && !text))
			buf_put(b, escape, sizeof(escape));
		else
			buf_put(b, &c, 1);
	}
}

void
export_name(struct buf *b, const struct heap *h, uint32_t frame,
    heap_name *name)
{
	struct buf bytes = { 0 };

	heap_put_name(&bytes, h, &h->frames[frame], name);
	export_text(b, buf_span(&bytes));
	b->failed = b->failed || bytes.failed;
	buf_free(&bytes);
}

/*
 * A stack as text.  The text is named by its offset, since the buffer moves
 * while it grows.
 */
struct folded_line {
	const struct buf *text;
	size_t start, size;
	uint64_t value;
};

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
 * Folded stacks, one a line, as flamegraph.pl reads them:
 *
 *	root;...;leaf VALUE
 */
enum prof_status
export_folded(struct buf *out, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	const size_t count = h->contexts_size;
	struct folded_line *lines = calloc(count + 1, sizeof(*lines));
	const struct prof_frame *f;
	struct buf text = { 0 };
	enum heap_line kind;
	uint32_t line;
	size_t start;

	for (size_t i = 0; lines != NULL && i < count; i++) {
		const struct heap_context *c = &h->contexts[i];

		lines[i] = (struct folded_line){ &text, text.size, 0,
		    c->info.value[heap_fields[o->by]] };
		for (size_t k = c->size; k-- > c->site;) {
			f = &h->frames[c->frames[k]].source;
			kind = heap_frame_line(f, &line);
			start = text.size;
			export_name(&text, h, c->frames[k], o->name);
			if (o->lines && f->file.size != 0) {
				buf_text(&text, " ");
				export_text(&text, f->file);
			}
			if (o->lines && kind != HEAP_LINE_UNKNOWN)
				buf_print(&text, "%s%" PRIu32, kind ==
				    HEAP_LINE_OF_FILE ? ":" : "+", line);
			/* A semicolon separates frames: a colon is none. */
			for (; !text.failed && start < text.size; start++) {
				if (text.data[start] == ';')
					text.data[start] = ':';
			}
			if (k > c->site)
				buf_text(&text, ";");
		}
		if (c->size == 0)
			buf_text(&text, "[no stack]");
		lines[i].size = text.size - lines[i].start;
	}
	out->failed = out->failed || lines == NULL || text.failed;
	if (!out->failed)
		qsort(lines, count, sizeof(*lines), folded_by_text);
	/*
	 * Contexts may differ in frames' columns, files or lines that the text
	 * leaves out: those of equal text become one line with the sum of their
	 * values, which saturates.
	 */
	for (size_t i = 0, next; !out->failed && i < count; i = next) {
		uint64_t sum = lines[i].value;

		for (next = i + 1; next < count &&
		    folded_by_text(&lines[i], &lines[next]) == 0; next++)
			sum = saturating_add(sum, lines[next].value);
		buf_put(out, folded_text(&lines[i]).data, lines[i].size);
		buf_print(out, " %" PRIu64 "\n", sum);
	}
	free(lines);
	buf_free(&text);
	return out->failed ? err_memory(err) : PROF_OK;
}

enum { GZIP = 16, GZIP_PIECE = 65536, GZIP_FAST_LEVEL = 2 };

struct gzip_stream {
	z_stream z;
};

/*
 * Without deflateSetHeader, zlib writes no file name and the time 0, so that
 * equal profiles give equal files.
 */
struct gzip_stream *
gzip_stream_new(enum gzip_effort effort)
{
	const int level = effort == GZIP_FAST ? GZIP_FAST_LEVEL :
	    Z_DEFAULT_COMPRESSION;
	struct gzip_stream *s = calloc(1, sizeof(*s));

	if (s != NULL && deflateInit2(&s->z, level, Z_DEFLATED,
	    MAX_WBITS + GZIP, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(s);
		return NULL;
	}
	return s;
}

enum prof_status
gzip_stream_put(struct gzip_stream *s, struct buf *out, struct prof_span in,
    bool last, struct prof_error *err)
{
	z_stream *z = &s->z;
	int result = Z_OK;

	z->next_in = (z_const Bytef *)(uintptr_t)in.data;
	do {
		size_t left = in.size - (size_t)(z->next_in - in.data);
		uint8_t *p = buf_reserve(out, GZIP_PIECE);

		if (p == NULL)
			return err_memory(err);
		/* zlib counts in unsigned int: larger input is cut. */
		z->avail_in = left > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)left;
		z->next_out = p;
		z->avail_out = GZIP_PIECE;
		result = deflate(z, last && z->avail_in == left ? Z_FINISH :
		    Z_NO_FLUSH);
		out->size += GZIP_PIECE - z->avail_out;
	} while ((result == Z_OK || result == Z_BUF_ERROR) &&
	    (last || z->avail_out == 0 ||
	    (size_t)(z->next_in - in.data) < in.size));
	return result == (last ? Z_STREAM_END : Z_OK) ||
	    (!last && result == Z_BUF_ERROR) ? PROF_OK : err_memory(err);
}

void
gzip_stream_free(struct gzip_stream *s)
{
	if (s == NULL)
		return;
	deflateEnd(&s->z);
	free(s);
}
