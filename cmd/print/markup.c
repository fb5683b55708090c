#include "config.h"

#include "cmd/print/markup.h"

#include "base/text.h"
#include "cmd/print/terminal.h"

/* Moves the text since `from` into a buffer of its own, which is empty. */
static void
markup_take(struct buf *b, size_t from, struct buf *text)
{
	if (b->failed)
		return;
	buf_put(text, b->data + from, b->size - from);
	b->failed = text->failed;
	b->size = from;
}

void
markup_xml(struct buf *b, size_t from)
{
	struct buf text = { 0 };

	markup_take(b, from, &text);
	printable_mask_lines(text.data, text.size);
	xml_put(b, buf_span(&text));
	buf_free(&text);
}

/* The byte that stands for the first of the text. */
static uint8_t
markup_code_byte(const uint8_t *p, size_t size)
{
	if (*p == '`')
		return '\'';
	return *p == '\\' && size > 1 && p[1] == '|' ? '?' : *p;
}

void
markup_code(struct buf *b, size_t from, size_t columns)
{
	struct buf text = { 0 };

	markup_take(b, from, &text);
	printable_mask(text.data, text.size);
	columns_cut(&text, 0, columns, "...");
	b->failed |= text.failed;
	/* A span has to hold something. */
	buf_text(b, text.size == 0 ? "` " : "`");
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '|')
			buf_u8(b, '\\');
		buf_u8(b, markup_code_byte(text.data + i, text.size - i));
	}
	buf_u8(b, '`');
	buf_free(&text);
}
