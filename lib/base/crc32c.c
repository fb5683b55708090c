#include "base/crc32c.h"

#include <pthread.h>

#include "base/bytes.h"

/* Row k is of a byte with k zero bytes behind it: eight are taken at once. */
static uint32_t crc32c_table[8][256];
static pthread_once_t crc32c_once = PTHREAD_ONCE_INIT;

/* Castagnoli's polynomial, lowest bit first. */
#define POLYNOMIAL 0x82F63B78u

static void
crc32c_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? POLYNOMIAL : 0);
		crc32c_table[0][i] = c;
	}
	for (int k = 1; k < 8; k++) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = crc32c_table[k - 1][i];

			crc32c_table[k][i] = c >> 8 ^ crc32c_table[0][c & 255];
		}
	}
}

static uint32_t
crc32c_eight(uint32_t c, const uint8_t *p)
{
	uint64_t word = load_u64(p, false) ^ c;

	c = 0;
	for (int k = 0; k < 8; k++)
		c ^= crc32c_table[7 - k][word >> 8 * k & 255];
	return c;
}

uint32_t
crc32c(struct prof_span s)
{
	uint32_t c = UINT32_MAX;
	size_t i = 0;

	pthread_once(&crc32c_once, crc32c_fill);
	for (; s.size - i >= 8; i += 8)
		c = crc32c_eight(c, s.data + i);
	for (; i < s.size; i++)
		c = c >> 8 ^ crc32c_table[0][(c ^ s.data[i]) & 255];
	return ~c;
}
