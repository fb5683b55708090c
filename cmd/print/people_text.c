#include "config.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/text.h"
#include "cmd/print/people_text.h"
#include "model/record.h"

void
show_print(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprint(b, format, ap);
	va_end(ap);
}

void
show_printable(struct buf *b, size_t from)
{
	if (!b->failed)
		printable_mask(b->data + from, b->size - from);
}

void
show_source(struct buf *b, const struct prof_source *s)
{
	size_t start = b->size;

	if (s->file.size == 1 && s->file.data[0] == '-')
		show_print(b, "standard input");
	else
		buf_put(b, s->file.data, s->file.size);
	if (s->member.data != NULL) {
		show_print(b, "[");
		buf_put(b, s->member.data, s->member.size);
		show_print(b, "]");
	}
	show_printable(b, start);
	if (s->offset != 0)
		show_print(b, " at 0x%" PRIx64, s->offset);
}

void
show_kind(struct buf *b, const struct prof_header *h)
{
	static const char *const levels[] = {
		[PROF_LEVEL_IR] = ", IR", [PROF_LEVEL_FRONTEND] = ", front end",
		[PROF_LEVEL_UNKNOWN] = "",
	};
	static const char *const kinds[] = {
		[PROF_INSTR] = "", [PROF_MEMPROF] = ", heap",
		[PROF_MIXED] = ", counters and heap",
	};

	show_print(b, "%s", h->source.format == NULL ? "stream" :
	    h->source.format);
	if (h->source.version != 0)
		show_print(b, " version %" PRIu64, h->source.version);
	if (h->source.pointer_bits != 0)
		show_print(b, ", %u-bit %s-endian", h->source.pointer_bits,
		    h->source.endian == 'b' ? "big" : "little");
	show_print(b, "%s%s", kinds[h->kind], levels[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags >> i & 1)
			show_print(b, ", %s", words_flag_text[i]);
	}
}
