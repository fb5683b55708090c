#include "base/xml.h"

static const char *
xml_entity(uint8_t c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	default: return NULL;
	}
}

/* U+FFFE and U+FFFF in UTF-8. */
static bool
xml_is_no_character(const uint8_t *p, size_t size)
{
	return size >= 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe;
}

void
xml_put(struct buf *b, struct prof_span s)
{
	for (size_t i = 0; i < s.size; i++) {
		const char *entity = xml_entity(s.data[i]);

		if (entity != NULL)
			buf_text(b, entity);
		else if (xml_is_no_character(s.data + i, s.size - i)) {
			buf_text(b, "\xef\xbf\xbd");
			i += 2;
		} else
			buf_u8(b, s.data[i]);
	}
}
