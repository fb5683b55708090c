#include "export/text.h"

#include "base/utf8.h"

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
