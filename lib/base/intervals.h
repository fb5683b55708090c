/*
 * base/intervals.h - finds the address range that contains an address
 *
 * Ranges may overlap, as those of inlined functions do: an address belongs to
 * the range with the highest rank.
 *
 * Adding and finding may alternate, as where segments of a profile follow its
 * stacks.  Sorting all ranges for each new one would take quadratic time, so
 * that the ranges that were added since the last time are a batch of their own.
 * A batch absorbs those before it that have not at least twice as many ranges.
 * Thus no range is sorted often, and few batches have to be searched.
 */
#ifndef BASE_INTERVALS_H
#define BASE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	uint64_t start, end;		/* [start, end) */
	uint32_t rank;
};

struct interval_batch {
	size_t end;			/* in items */
	size_t ranges;			/* before they were cut */
};

/* All zero is empty. */
struct intervals {
	struct interval *items;		/* of the batches, then new ones */
	size_t size, room;
	struct interval_batch *batches;
	size_t batches_size;
};

/* Adds a range; an empty one is ignored.  False if out of memory. */
bool intervals_add(struct intervals *, uint64_t start, uint64_t end,
    uint32_t rank);

/*
 * To be called before intervals_find if ranges were added: sorts the batch, and
 * cuts its ranges so that none overlaps another one of the batch.  False if out
 * of memory; ranges may be missing then until a later call succeeds.
 */
bool intervals_build(struct intervals *);

/*
 * To be called once, in place of intervals_build: an address then belongs to
 * the range that begins last, and of those that begin together, to the one with
 * the highest rank.
 */
bool intervals_nest(struct intervals *);

/*
 * The range that contains the address, or NULL.  If intervals_build was called
 * once only, all addresses from its start to its end belong to its rank.
 */
const struct interval *intervals_find(const struct intervals *, uint64_t);

/* Removes all ranges; the memory is used again. */
void intervals_clear(struct intervals *);
void intervals_free(struct intervals *);

#endif
