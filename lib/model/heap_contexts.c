#include "model/heap_contexts.h"

#include <inttypes.h>
#include <stdio.h>

const uint8_t heap_fields[HEAP_VALUES] = {
	[HEAP_BYTES] = PROF_MIB_TOTAL_SIZE,
	[HEAP_COUNT] = PROF_MIB_ALLOC_COUNT,
	[HEAP_LIFETIME] = PROF_MIB_TOTAL_LIFETIME,
	[HEAP_ACCESSES] = PROF_MIB_TOTAL_ACCESS_COUNT,
};

bool
heap_value_named(const char *word, enum heap_value *out)
{
	static const char *const words[HEAP_VALUES] = {
		[HEAP_BYTES] = "bytes", [HEAP_COUNT] = "count",
		[HEAP_LIFETIME] = "lifetime", [HEAP_ACCESSES] = "accesses",
	};

	for (int i = 0; i < HEAP_VALUES; i++) {
		if (strcmp(word, words[i]) == 0) {
			*out = (enum heap_value)i;
			return true;
		}
	}
	return false;
}

enum heap_line
heap_frame_line(const struct prof_frame *f, uint32_t *number)
{
	*number = 0;
	if ((f->flags & PROF_FRAME_LINE) != 0) {
		*number = f->line;
		return HEAP_LINE_OF_FILE;
	}
	if ((f->flags & PROF_FRAME_LINE_OFFSET) == 0 ||
	    f->line_offset > INT32_MAX)
		return HEAP_LINE_UNKNOWN;
	*number = f->line_offset;
	return HEAP_LINE_OF_FUNCTION;
}

static void
heap_put_hex(struct buf *b, uint64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "0x%" PRIx64, v);

	buf_put(b, text, (size_t)n);
}

static void
heap_put_module(struct buf *b, const struct heap_module *m)
{
	static const char digits[] = "0123456789abcdef";
	char text[40];

	for (size_t i = 0; i < m->build_id.size; i++) {
		buf_put(b, &digits[m->build_id.data[i] >> 4], 1);
		buf_put(b, &digits[m->build_id.data[i] & 15], 1);
	}
	if (m->build_id.size != 0)
		return;
	snprintf(text, sizeof(text), "segment %" PRIu64, m->segment);
	buf_put(b, text, strlen(text));
}

static void
heap_put_address(
    struct buf *b, const struct heap *h, const struct heap_frame *f)
{
	if (!f->has_address) {
		buf_put(b, "[unknown]", 9);
		return;
	}
	buf_put(b, "[", 1);
	if (f->module != HEAP_NO_MODULE) {
		heap_put_module(b, &h->modules[f->module]);
		buf_put(b, "+", 1);
	}
	heap_put_hex(b, f->address);
	buf_put(b, "]", 1);
}

void
heap_put_name(struct buf *b, const struct heap *h,
    const struct heap_frame *f, heap_name *name)
{
	const struct prof_symbol *s = &f->source.function;

	if (s->name.size == 0 && s->guid == 0)
		heap_put_address(b, h, f);
	else if (s->name.size == 0) {
		char text[24];

		snprintf(text, sizeof(text), "0x%016" PRIx64, s->guid);
		buf_put(b, text, strlen(text));
	} else if (name == NULL)
		buf_put(b, s->name.data, s->name.size);
	else
		name(b, s->name);
}
