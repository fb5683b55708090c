#include "config.h"

#include "fuzz/pair.h"

static const char end[4] = "PAIR";

enum { TRAILER_BYTES = 4 + sizeof(end) };

bool
pair_split(struct prof_span bytes, struct pair *out)
{
	size_t files, second;

	if (bytes.size < TRAILER_BYTES || memcmp(bytes.data + bytes.size -
	    sizeof(end), end, sizeof(end)) != 0)
		return false;
	files = bytes.size - TRAILER_BYTES;
	second = load_u32(bytes.data + files, false);
	if (second > files)
		return false;
	out->first = (struct prof_span){ bytes.data, files - second };
	out->second = (struct prof_span){ bytes.data + files - second, second };
	return true;
}

void
pair_join(const struct pair *p, struct buf *out)
{
	buf_put(out, p->first.data, p->first.size);
	buf_put(out, p->second.data, p->second.size);
	buf_u32le(out, (uint32_t)p->second.size);
	buf_put(out, end, sizeof(end));
}
