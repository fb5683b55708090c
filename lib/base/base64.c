#include "base/base64.h"

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Four digits of up to three bytes, '=' in place of those that are missing. */
static void
base64_group(const uint8_t *p, size_t left, uint8_t out[4])
{
	uint32_t bits = (uint32_t)p[0] << 16 |
	    (left > 1 ? (uint32_t)p[1] << 8 : 0) | (left > 2 ? p[2] : 0);

	for (size_t i = 0; i < 4; i++)
		out[i] = i > left ? '=' :
		    (uint8_t)base64_digits[bits >> (18 - 6 * i) & 63];
}

void
base64_put(struct buf *b, struct prof_span s)
{
	const size_t size = s.size / 3 * 4 + (s.size % 3 == 0 ? 0 : 4);
	uint8_t *out = size == 0 || size < s.size ? NULL :
	    buf_reserve(b, size);

	if (size < s.size)
		b->failed = true;
	if (out == NULL)
		return;
	for (size_t i = 0; i < s.size; i += 3, out += 4)
		base64_group(s.data + i, s.size - i, out);
	b->size += size;
}
