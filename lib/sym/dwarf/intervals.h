/*
 * intervals.h - which of many address ranges an address is in
 *
 * Ranges may overlap, as those of functions inlined in functions do: the one
 * with the highest rank has the address.
 */
#ifndef SYM_DWARF_INTERVALS_H
#define SYM_DWARF_INTERVALS_H

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

/* An empty range is passed over.  False if out of memory. */
bool intervals_add(struct intervals *, uint64_t start, uint64_t end,
    uint32_t rank);

/*
 * After the last range: cuts them so that none overlaps another, sorted.  False
 * if out of memory.
 */
bool intervals_build(struct intervals *);

/* The range that has the address, or NULL. */
const struct interval *intervals_find(const struct intervals *, uint64_t);

void intervals_free(struct intervals *);

#endif
