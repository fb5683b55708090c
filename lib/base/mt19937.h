/*
 * mt19937.h - the Mersenne Twister of 32 bits (Matsumoto and Nishimura, 1998)
 *
 * For numbers that have to be those of C++'s std::mt19937; good for nothing
 * that must not be guessed.
 */
#ifndef BASE_MT19937_H
#define BASE_MT19937_H

#include <stddef.h>
#include <stdint.h>

enum { MT19937_SIZE = 624 };

struct mt19937 {
	uint32_t state[MT19937_SIZE];
	size_t used;			/* numbers of state that were given */
};

void mt19937_seed(struct mt19937 *, uint32_t seed);
uint32_t mt19937_next(struct mt19937 *);

#endif
