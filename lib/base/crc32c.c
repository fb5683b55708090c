#include "base/crc32c.h"

#include <pthread.h>

#include "base/bytes.h"
#include "base/cpu.h"

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

static uint32_t
crc32c_by_table(uint32_t c, const uint8_t *p, size_t size)
{
	size_t i = 0;

	pthread_once(&crc32c_once, crc32c_fill);
	for (; size - i >= 8; i += 8)
		c = crc32c_eight(c, p + i);
	for (; i < size; i++)
		c = c >> 8 ^ crc32c_table[0][(c ^ p[i]) & 255];
	return c;
}

#ifdef __x86_64__
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))

/* Bytes of each of three runs whose sums do not wait for each other. */
enum { RUN = 256 };

/* What a byte of a sum becomes behind RUN zero bytes, by the byte's place. */
static uint32_t crc32c_behind[4][256];
static pthread_once_t crc32c_behind_once = PTHREAD_ONCE_INIT;

/* Sums are linear: the entry of a byte is the sum of its bits' entries. */
WITH_INSTRUCTION static void
crc32c_fill_behind(void)
{
	for (size_t bit = 0; bit < 32; bit++) {
		uint32_t *row = crc32c_behind[bit / 8];
		size_t value = (size_t)1 << bit % 8;
		uint64_t c = UINT64_C(1) << bit;

		for (size_t i = 0; i < RUN; i += 8)
			c = __builtin_ia32_crc32di(c, 0);
		for (size_t below = 0; below < value; below++)
			row[value + below] = row[below] ^ (uint32_t)c;
	}
}

static uint64_t
crc32c_skip_run(uint64_t c)
{
	return crc32c_behind[0][c & 255] ^ crc32c_behind[1][c >> 8 & 255] ^
	    crc32c_behind[2][c >> 16 & 255] ^ crc32c_behind[3][c >> 24 & 255];
}

/* The instruction takes three cycles, and one can begin in each of them. */
WITH_INSTRUCTION static uint64_t
crc32c_three_runs(uint64_t c, const uint8_t *p)
{
	uint64_t second = 0, third = 0;

	for (size_t i = 0; i < RUN; i += 8) {
		c = __builtin_ia32_crc32di(c, load_u64(p + i, false));
		second = __builtin_ia32_crc32di(second,
		    load_u64(p + RUN + i, false));
		third = __builtin_ia32_crc32di(third,
		    load_u64(p + 2 * RUN + i, false));
	}
	return crc32c_skip_run(crc32c_skip_run(c) ^ second) ^ third;
}

WITH_INSTRUCTION static uint32_t
crc32c_by_instruction(uint32_t c, const uint8_t *p, size_t size)
{
	uint64_t sum = c;
	size_t i = 0;

	if (size >= 3 * RUN)
		pthread_once(&crc32c_behind_once, crc32c_fill_behind);
	for (; size - i >= 3 * RUN; i += 3 * RUN)
		sum = crc32c_three_runs(sum, p + i);
	for (; size - i >= 8; i += 8)
		sum = __builtin_ia32_crc32di(sum, load_u64(p + i, false));
	for (c = (uint32_t)sum; i < size; i++)
		c = __builtin_ia32_crc32qi(c, p[i]);
	return c;
}
#else
#define crc32c_by_instruction crc32c_by_table
#endif

uint32_t
crc32c(struct prof_span s)
{
	return ~(cpu_has_sse42() ? crc32c_by_instruction : crc32c_by_table)(
	    UINT32_MAX, s.data, s.size);
}
