#include "base/number_row.h"

#include "base/swar.h"

#ifdef __SSE2__
#include <emmintrin.h>

/* Bytes that each of the two steps reads. */
enum { DIGITS = 16, WINDOW = 32, LONGEST = 8 };

/* Bits of a window: bytes that end a number, and which of them are commas. */
struct number_ends {
	uint32_t ends, commas;
};

static inline __m128i
number_row_load(const uint8_t *p)
{
	__m128i v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Stores eight words of 16 bits as numbers. */
static inline void
number_row_store(uint64_t *numbers, __m128i words)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i low = _mm_unpacklo_epi16(words, zero);
	__m128i high = _mm_unpackhi_epi16(words, zero);
	__m128i *to = (__m128i *)(void *)numbers;

	_mm_storeu_si128(to, _mm_unpacklo_epi32(low, zero));
	_mm_storeu_si128(to + 1, _mm_unpackhi_epi32(low, zero));
	_mm_storeu_si128(to + 2, _mm_unpacklo_epi32(high, zero));
	_mm_storeu_si128(to + 3, _mm_unpackhi_epi32(high, zero));
}

/*
 * How many of the first eight numbers have one digit and a comma.  Eight are
 * stored all the same, which spares a branch that cannot be predicted.
 */
static inline size_t
number_row_digits(const uint8_t *p, uint64_t *numbers)
{
	const __m128i zeros = _mm_set1_epi16(',' << 8 | '0');
	const __m128i most = _mm_set1_epi16(9);
	__m128i v = _mm_xor_si128(number_row_load(p), zeros);
	__m128i above = _mm_subs_epu8(v, most);
	int same = _mm_movemask_epi8(_mm_cmpeq_epi8(above,
	    _mm_setzero_si128()));

	number_row_store(numbers, v);
	return (size_t)__builtin_ctz(~(unsigned)same) / 2;
}

static inline uint32_t
number_row_sixteen(const uint8_t *p, uint32_t *commas)
{
	__m128i v = number_row_load(p);
	__m128i digits = _mm_sub_epi8(v, _mm_set1_epi8('0'));
	__m128i within = _mm_cmpeq_epi8(digits, _mm_min_epu8(digits,
	    _mm_set1_epi8(9)));

	*commas = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v,
	    _mm_set1_epi8(',')));
	return ~(uint32_t)_mm_movemask_epi8(within) & 0xffff;
}

static inline struct number_ends
number_row_ends(const uint8_t *p)
{
	struct number_ends e;
	uint32_t commas, ends;

	e.ends = number_row_sixteen(p, &e.commas);
	ends = number_row_sixteen(p + 16, &commas);
	e.ends |= ends << 16;
	e.commas |= commas << 16;
	return e;
}

/*
 * Reads the numbers that end in the window and have a comma behind them.
 * Returns how many bytes they take.
 */
static inline size_t
number_row_longer(const uint8_t *p, uint64_t *numbers, size_t n, size_t *i)
{
	struct number_ends e = number_row_ends(p);
	uint32_t others = e.ends & ~e.commas, ends = e.ends;
	size_t start = 0;

	if (others != 0)
		ends &= (others & -others) - 1;
	for (; ends != 0 && *i < n; ends &= ends - 1) {
		size_t end = (size_t)__builtin_ctz(ends), size = end - start;

		if (size - 1 >= LONGEST || (size > 1 && p[start] == '0'))
			break;
		numbers[(*i)++] = swar_decimal(swar_load(p + start), size);
		start = end + 1;
	}
	return start;
}

#else
enum { DIGITS = 8, WINDOW = 1, LONGEST = 8 };

/* The same for any processor: up to four numbers, and one longer number. */
static inline size_t
number_row_digits(const uint8_t *p, uint64_t *numbers)
{
	uint64_t v = swar_load(p) ^ UINT64_C(0x2c302c302c302c30);
	uint64_t above = (v & UINT64_C(0xfff0fff0fff0fff0)) |
	    ((v + UINT64_C(0x0006000600060006)) &
	    UINT64_C(0x0010001000100010));

	for (size_t i = 0; i < 4; i++)
		numbers[i] = v >> 16 * i & 0xff;
	return above == 0 ? 4 : swar_first(above) / 2;
}

static inline size_t
number_row_longer(const uint8_t *p, uint64_t *numbers, size_t n, size_t *i)
{
	uint64_t v = swar_load(p), others = swar_not_digits(v);
	size_t size = others == 0 ? LONGEST : swar_first(others);

	if (*i == n || size == 0 || (size > 1 && *p == '0') || p[size] != ',')
		return 0;
	numbers[(*i)++] = swar_decimal(v, size);
	return size + 1;
}
#endif

size_t
number_row_get(const uint8_t **text, const uint8_t *end, uint64_t *numbers,
    size_t n)
{
	const uint8_t *p = *text;
	size_t i = 0, step;

	while (i < n && end - p >= DIGITS) {
		step = number_row_digits(p, numbers + i);
		if (step > n - i)
			step = n - i;
		i += step;
		p += 2 * step;
		if (step == DIGITS / 2 || i == n)
			continue;
		if (end - p < WINDOW + LONGEST ||
		    (step = number_row_longer(p, numbers, n, &i)) == 0)
			break;
		p += step;
	}
	*text = p;
	return i;
}
