/* mutate.h - damage to files, the same for the same seed */
#ifndef MUTATE_H
#define MUTATE_H

#include "base/bytes.h"

/* All zero is as good a seed as any. */
struct chance {
	uint64_t state;
};

/* A number from 0 to below - 1; 0 if below is 0. */
uint64_t chance(struct chance *, uint64_t below);

/*
 * A damaged copy of `file` into out, which is emptied first; parts of `other`
 * may be in it.
 */
void mutate(struct chance *, struct prof_span file, struct prof_span other,
    struct buf *out);

#endif
