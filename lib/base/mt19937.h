/*
 * base/mt19937.h - the Mersenne Twister of 32 bits (Matsumoto and Nishimura,
 * 1998)
 *
 * The same numbers as C++'s std::mt19937.  Not for secrets: they can be
 * guessed.
 */
#ifndef BASE_MT19937_H
#define BASE_MT19937_H

#include <stddef.h>
#include <stdint.h>

enum { MT19937_SIZE = 624 };

struct mt19937 {
	uint32_t state[MT19937_SIZE];
	size_t used;			/* numbers returned so far */
};

void mt19937_seed(struct mt19937 *, uint32_t seed);
uint32_t mt19937_next(struct mt19937 *);

#endif
