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
#define WITH_INSTRUCTIONS __attribute__((target("sse4.2,pclmul")))

/* Words of each of three runs whose sums do not wait for each other. */
enum { WORD = 8, RUN_MAX = 128, RUNS = 3, RUNS_MIN = RUNS * 4 * WORD };

/* What a sum is multiplied by to be that behind so many words of zeros. */
static uint32_t crc32c_behind[RUN_MAX + 1];
static pthread_once_t crc32c_behind_once = PTHREAD_ONCE_INIT;

/*
 * Lowest bit first, bit 0 of a sum is x^31, and a word of zeros multiplies by
 * x^64.  A product of two sums, as a word that is summed up, is multiplied by
 * x^33: the first entry is x^(64 - 33).
 */
WITH_INSTRUCTIONS static void
crc32c_fill_behind(void)
{
	uint64_t c = 1;

	for (size_t i = 1; i <= RUN_MAX; i++) {
		crc32c_behind[i] = (uint32_t)c;
		c = __builtin_ia32_crc32di(c, 0);
	}
}

WITH_INSTRUCTIONS static uint64_t
crc32c_skip(uint64_t c, size_t words)
{
	typedef long long pair __attribute__((vector_size(16)));
	const pair a = { (long long)c }, b = { crc32c_behind[words] };
	pair product = __builtin_ia32_pclmulqdq128(a, b, 0);

	return __builtin_ia32_crc32di(0, (uint64_t)product[0]);
}

/* The instruction takes three cycles, and one can begin in each of them. */
WITH_INSTRUCTIONS static uint64_t
crc32c_three_runs(uint64_t c, const uint8_t *p, size_t words)
{
	size_t run = words * WORD;
	uint64_t second = 0, third = 0;

	for (const uint8_t *end = p + run; p != end; p += WORD) {
		c = __builtin_ia32_crc32di(c, load_u64(p, false));
		second = __builtin_ia32_crc32di(second,
		    load_u64(p + run, false));
		third = __builtin_ia32_crc32di(third,
		    load_u64(p + 2 * run, false));
	}
	return crc32c_skip(crc32c_skip(c, words) ^ second, words) ^ third;
}

WITH_INSTRUCTIONS static uint32_t
crc32c_by_instruction(uint32_t c, const uint8_t *p, size_t size)
{
	uint64_t sum = c;
	size_t i = 0;

	pthread_once(&crc32c_behind_once, crc32c_fill_behind);
	while (size - i >= RUNS_MIN) {
		size_t words = (size - i) / (RUNS * WORD);

		if (words > RUN_MAX)
			words = RUN_MAX;
		sum = crc32c_three_runs(sum, p + i, words);
		i += words * RUNS * WORD;
	}
	for (; size - i >= WORD; i += WORD)
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
	return ~(cpu_has_crc32c() ? crc32c_by_instruction : crc32c_by_table)(
	    UINT32_MAX, s.data, s.size);
}
