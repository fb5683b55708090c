/* mutate.h - damages files, the same way for the same seed */
#ifndef MUTATE_H
#define MUTATE_H

#include "base/bytes.h"

/* A generator of random numbers; any state is a good seed. */
struct chance {
	uint64_t state;
};

/* A number from 0 to below - 1; 0 if below is 0. */
uint64_t chance(struct chance *, uint64_t below);

/* Replaces n bytes by others, if there is memory for them. */
void splice_bytes(struct buf *, size_t at, size_t n, struct prof_span);

/*
 * Replaces the value of a field that the format of an image has (fields.h).
 * False if the format is not known.
 */
bool mutate_field(struct chance *, struct buf *);

/*
 * A damaged copy of `file` into out, which is emptied first; parts of `other`
 * may be in it.
 */
void mutate(struct chance *, struct prof_span file, struct prof_span other,
    struct buf *out);

/*
 * Changes a file, or one of a pair of files (pair.h), by its format, if that is
 * known.  The bytes are not empty.
 */
void mutate_file(struct chance *, struct buf *);

#endif
