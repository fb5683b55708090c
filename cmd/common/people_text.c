#include "config.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/swar.h"
#include "base/utf8.h"
#include "cmd/common/people_text.h"
#include "model/words.h"

void
show_print(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprint(b, format, ap);
	va_end(ap);
}

/*
 * Control characters in names could change the state of a terminal.  In UTF-8,
 * those from U+0080 to U+009F have two bytes.
 */
static bool
is_plain_text(struct prof_span s)
{
	uint64_t odd = 0;

	for (size_t i = 0; s.size < 8 && i < s.size; i++)
		odd |= (uint64_t)(s.data[i] < 0x20 || s.data[i] > 0x7e) << 7;
	/* Words of 8 bytes; the last word may overlap the one before. */
	for (size_t i = 0; s.size >= 8 && i < s.size; i += 8) {
		uint64_t eight = swar_load(s.data +
		    (i < s.size - 8 ? i : s.size - 8));

		odd |= eight | (eight + SWAR_BYTES(1)) |
		    (eight - SWAR_BYTES(0x20));
	}
	return (odd & SWAR_BYTES(0x80)) == 0;
}

void
show_printable(struct buf *b, size_t from)
{
	struct prof_span s = { b->data + from, b->size - from };
	bool text;

	if (b->failed || is_plain_text(s))
		return;
	text = utf8_valid(s);
	for (size_t i = from; i < b->size; i++) {
		uint8_t *p = b->data + i;

		if (text && *p == 0xc2 && p[1] < 0xa0)
			p[0] = p[1] = '?';
		else if (*p < 0x20 || *p == 0x7f || (!text && *p >= 0x80))
			*p = '?';
	}
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
