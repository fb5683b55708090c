#include "base/json_member.h"

#include <string.h>

void
jkey(struct buf *b, const char *key)
{
	size_t size = strlen(key);
	uint8_t *p = buf_reserve(b, size + 4);

	if (p == NULL)
		return;
	if (b->size != 0 && p[-1] != '{')
		*p++ = ',';
	*p++ = '"';
	memcpy(p, key, size);
	p += size;
	*p++ = '"';
	*p++ = ':';
	b->size = (size_t)(p - b->data);
}

void
jkey_number(struct buf *b, const char *key, uint64_t n)
{
	jkey(b, key);
	jtext_number(b, n);
}

void
jkey_id(struct buf *b, const char *key, uint64_t id)
{
	jkey(b, key);
	jtext_id(b, id);
}

void
jkey_flag(struct buf *b, const char *key)
{
	jkey(b, key);
	jtext_plain(b, "true");
}

static struct prof_span
span(const char *text)
{
	return (struct prof_span){ (const uint8_t *)text,
	    text == NULL ? 0 : strlen(text) };
}

void
jkey_text(struct buf *b, const char *key, const char *text)
{
	if (text == NULL)
		return;
	jkey(b, key);
	jtext_string(b, span(text));
}

void
jkey_bytes(struct buf *b, const char *key, const char *hex_key,
    struct prof_span bytes)
{
	size_t start = b->size;

	if (bytes.data == NULL)
		return;
	jkey(b, key);
	if (jtext_string_plain(b, bytes))
		return;
	if (jtext_fits(bytes)) {
		jtext_string(b, bytes);
	} else {
		b->size = start;
		jkey(b, hex_key);
		jtext_hex(b, bytes);
	}
}

void
jkey_name(struct buf *b, const char *key, const char *hex_key,
    const char *name)
{
	jkey_bytes(b, key, hex_key, span(name));
}

void
jkey_place(struct buf *b, const struct prof_frame *f)
{
	const struct {
		unsigned flag;
		const char *key;
		uint32_t value;
	} numbers[] = {
		{ PROF_FRAME_LINE, "line", f->line },
		{ PROF_FRAME_START_LINE, "start_line", f->start_line },
		{ PROF_FRAME_LINE_OFFSET, "line_offset", f->line_offset },
		{ PROF_FRAME_COLUMN, "column", f->column },
		{ PROF_FRAME_DISCRIMINATOR, "discriminator",
		    f->discriminator },
	};

	if (f->file.size != 0)
		jkey_bytes(b, "file", "file_hex", f->file);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if ((f->flags & numbers[i].flag) != 0)
			jkey_number(b, numbers[i].key, numbers[i].value);
	}
}
