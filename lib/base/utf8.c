#include "base/utf8.h"

#include <string.h>

/*
 * Length of the sequence that begins with this byte, 0 if none does; *low and
 * *high bound its second byte (RFC 3629, section 4).
 */
static size_t
utf8_sequence(uint8_t first, uint8_t *low, uint8_t *high)
{
	*low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	*high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static bool
utf8_is_sequence(const uint8_t *p, size_t size, uint8_t low, uint8_t high)
{
	if (size > 1 && (p[1] < low || p[1] > high))
		return false;
	for (size_t i = 2; i < size; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return false;
	}
	return true;
}

/* Bytes from i on that are ASCII, counted in steps of eight. */
static size_t
utf8_ascii_run(struct prof_span s, size_t i)
{
	const uint64_t high_bits = 0x8080808080808080;
	uint64_t eight;
	size_t from = i;

	for (; s.size - i >= sizeof(eight); i += sizeof(eight)) {
		memcpy(&eight, s.data + i, sizeof(eight));
		if ((eight & high_bits) != 0)
			break;
	}
	return i - from;
}

bool
utf8_valid(struct prof_span s)
{
	uint8_t low, high;

	for (size_t i = utf8_ascii_run(s, 0), n; i < s.size; i += n) {
		n = utf8_sequence(s.data[i], &low, &high);
		if (n == 0 || n > s.size - i ||
		    !utf8_is_sequence(s.data + i, n, low, high))
			return false;
		if (n > 1)
			n += utf8_ascii_run(s, i + n);
	}
	return true;
}
