/*
 * pair.h - two files as one input
 *
 * Both files one behind the other, the size of the second as 4 bytes, least
 * first, and the letters PAIR.
 */
#ifndef FUZZ_PAIR_H
#define FUZZ_PAIR_H

#include "base/bytes.h"

struct pair {
	struct prof_span first, second;
};

/* False if the bytes are not a pair.  The files are parts of the bytes. */
bool pair_split(struct prof_span, struct pair *);

void pair_join(const struct pair *, struct buf *out);

#endif
