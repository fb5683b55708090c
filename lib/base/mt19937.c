#include "base/mt19937.h"

enum { SIZE = MT19937_SIZE, MIDDLE = 397 };

void
mt19937_seed(struct mt19937 *r, uint32_t seed)
{
	r->state[0] = seed;
	for (uint32_t i = 1; i < SIZE; i++) {
		uint32_t before = r->state[i - 1];

		r->state[i] = 1812433253 * (before ^ before >> 30) + i;
	}
	r->used = SIZE;
}

/* Computes each number of the state from three numbers of the last round. */
static void
mt19937_renew(uint32_t *s)
{
	for (size_t i = 0; i < SIZE; i++) {
		uint32_t mixed = (s[i] & 0x80000000) |
		    (s[(i + 1) % SIZE] & 0x7fffffff);

		s[i] = s[(i + MIDDLE) % SIZE] ^ mixed >> 1 ^
		    ((mixed & 1) != 0 ? 0x9908b0df : 0);
	}
}

uint32_t
mt19937_next(struct mt19937 *r)
{
	uint32_t x;

	if (r->used == SIZE) {
		mt19937_renew(r->state);
		r->used = 0;
	}
	x = r->state[r->used++];
	x ^= x >> 11;
	x ^= x << 7 & 0x9d2c5680;
	x ^= x << 15 & 0xefc60000;
	return x ^ x >> 18;
}
