#include "base/json_member.h"

#include <string.h>

void
json_member_key(struct buf *b, const char *key)
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
json_member_number(struct buf *b, const char *key, uint64_t n)
{
	json_member_key(b, key);
	json_text_number(b, n);
}

void
json_member_id(struct buf *b, const char *key, uint64_t id)
{
	json_member_key(b, key);
	json_text_id(b, id);
}

void
json_member_flag(struct buf *b, const char *key)
{
	json_member_key(b, key);
	json_text_plain(b, "true");
}

void
json_member_text(struct buf *b, const char *key, const char *text)
{
	if (text == NULL)
		return;
	json_member_key(b, key);
	json_text_string(b, span_of_text(text));
}

void
json_member_bytes(struct buf *b, const char *key, const char *hex_key,
    struct prof_span bytes)
{
	size_t start = b->size;

	if (bytes.data == NULL)
		return;
	json_member_key(b, key);
	if (json_text_string_plain(b, bytes))
		return;
	if (json_text_fits(bytes)) {
		json_text_string(b, bytes);
	} else {
		b->size = start;
		json_member_key(b, hex_key);
		json_text_hex(b, bytes);
	}
}

void
json_member_name(struct buf *b, const char *key, const char *hex_key,
    const char *name)
{
	json_member_bytes(b, key, hex_key, span_of_text(name));
}
