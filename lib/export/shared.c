/* What the writers of formats share: names, ranks of frames, stacks, gzip. */
#include "export/shared.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"
#include "base/text.h"

const struct export_value export_values[HEAP_VALUES] = {
	[HEAP_BYTES] = { "bytes allocated", "bytes", "bytes", "bytes" },
	[HEAP_COUNT] = { "allocations", "none", "allocations", "samples" },
	[HEAP_LIFETIME] = { "total lifetime", "milliseconds", "ms",
	    "tracing-ms" },
	[HEAP_ACCESSES] = { "accesses", "none", "accesses", "samples" },
};

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

struct ranked_text {
	struct prof_span text;
	uint32_t frame;
};

static int
ranks_compare(const void *a, const void *b)
{
	const struct ranked_text *x = a, *y = b;
	int by = prof_span_compare(x->text, y->text);

	return by != 0 ? by : compare_u64(x->frame, y->frame);
}

bool
export_ranks_make(struct export_ranks *r, const struct heap *h,
    const struct heap *second, enum export_key key,
    const struct export_options *o)
{
	const size_t n = h->frames_size +
	    (second == NULL ? 0 : second->frames_size);
	struct ranked_text *texts = calloc(n + 1, sizeof(*texts));
	struct buf b = { 0 };
	bool failed;

	*r = (struct export_ranks){ .rank = calloc(n + 1, sizeof(*r->rank)),
	    .frame = calloc(n + 1, sizeof(*r->frame)),
	    .text = calloc(n + 1, sizeof(*r->text)) };
	failed = texts == NULL || r->rank == NULL || r->frame == NULL ||
	    r->text == NULL;
	for (size_t i = 0; !failed && i < n; i++) {
		const struct heap *of = i < h->frames_size ? h : second;
		size_t frame = of == h ? i : i - h->frames_size;

		b.size = 0;
		if (key != EXPORT_FILE)
			export_name(&b, of, (uint32_t)frame, o->name);
		if (key == EXPORT_FUNCTION)
			buf_u8(&b, '\0');
		if (key != EXPORT_NAME)
			export_text(&b, of->frames[frame].source.file);
		texts[i] = (struct ranked_text){ arena_copy(&r->arena,
		    buf_span(&b)), (uint32_t)i };
		failed = b.failed || texts[i].text.data == NULL;
	}
	if (!failed)
		qsort(texts, n, sizeof(*texts), ranks_compare);
	for (size_t i = 0; !failed && i < n; i++) {
		if (i == 0 || prof_span_compare(texts[i - 1].text,
		    texts[i].text) != 0) {
			r->text[r->size] = texts[i].text;
			r->frame[r->size++] = texts[i].frame;
		}
		r->rank[texts[i].frame] = (uint32_t)(r->size - 1);
	}
	free(texts);
	buf_free(&b);
	return !failed;
}

void
export_ranks_free(struct export_ranks *r)
{
	free(r->rank);
	free(r->frame);
	free(r->text);
	arena_free(&r->arena);
}

/* Equal stacks stay in the order of the contexts. */
static int
stacks_compare(const void *a, const void *b)
{
	const struct export_stack *x = a, *y = b;
	size_t m = export_stack_depth(x), n = export_stack_depth(y);

	for (size_t i = 0; i < m && i < n; i++) {
		uint32_t f = export_stack_frame(x, i);
		uint32_t g = export_stack_frame(y, i);
		int by = x->rank == NULL ? compare_u64(f, g) :
		    compare_u64(x->rank[f], y->rank[g]);

		if (by != 0)
			return by;
	}
	if (m != n)
		return m < n ? -1 : 1;
	if (x->of_second != y->of_second)
		return x->of_second ? 1 : -1;
	return (x->context > y->context) - (x->context < y->context);
}

struct export_stack *
export_stacks(const struct heap *h, const struct heap *second,
    const uint32_t *rank)
{
	const size_t more = second == NULL ? 0 : second->contexts_size;
	const size_t size = h->contexts_size + more;
	struct export_stack *stacks = calloc(size + 1, sizeof(*stacks));

	if (stacks == NULL)
		return NULL;
	for (size_t i = 0; i < h->contexts_size; i++)
		stacks[i] = (struct export_stack){ &h->contexts[i], rank,
		    false };
	for (size_t i = 0; i < more; i++)
		stacks[h->contexts_size + i] = (struct export_stack){
		    &second->contexts[i], rank + h->frames_size, true };
	qsort(stacks, size, sizeof(*stacks), stacks_compare);
	return stacks;
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
		/* It counts in unsigned int: more is deflated in pieces. */
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
