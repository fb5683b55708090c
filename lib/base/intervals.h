/*
 * base/intervals.h - finds the address range that contains an address
 *
 * Ranges may overlap, as those of inlined functions do: an address belongs to
 * the range with the highest rank.
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

/* All zero is empty. */
struct intervals {
	struct interval *items;
	size_t size, room;
};

/* Adds a range; an empty one is ignored.  False if out of memory. */
bool intervals_add(struct intervals *, uint64_t start, uint64_t end,
    uint32_t rank);

/*
 * To be called before intervals_find: sorts the ranges and cuts them so that
 * none overlaps another.  Ranges may be added afterwards, and this called
 * again. False if out of memory.
 */
bool intervals_build(struct intervals *);

/* The range that contains the address, or NULL. */
const struct interval *intervals_find(const struct intervals *, uint64_t);

void intervals_free(struct intervals *);

#endif
