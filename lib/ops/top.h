/* ops/top.h - the functions of a profile that come first in some order */
#ifndef OPS_TOP_H
#define OPS_TOP_H

#include "base/arena.h"
#include "prof.h"

/*
 * By the largest counter, by the sum of the counters, by name, or by the number
 * of counters; the largest first, names in ascending order.  Ties are broken by
 * name, then by hash.  Pseudo counts (prof.h) are 0 here.
 */
enum top_order { TOP_COUNT, TOP_SHARE, TOP_NAME, TOP_SIZE };

struct top_entry {
	/* A copy without uniform counts and extra keys. */
	struct prof_function function;
	uint64_t max, sum;		/* of its counters */
	uint64_t entries;		/* the first counter, or 0 */
};

/*
 * A binary heap, whose root is the last of the functions in it.  All zero is
 * empty, but for order, limit and values, which the caller sets.
 */
struct top {
	enum top_order order;
	size_t limit;			/* functions; SIZE_MAX: all */
	bool values;			/* functions keep values and bitmap */
	double total;			/* of counters of all functions */
	size_t size, room;
	struct top_entry **entries;
	struct arena arena;		/* of the entries, and dropped ones */
};

/*
 * Adds a copy of a function; the last one is dropped if there are more than
 * `limit`.  False if out of memory.
 */
bool top_add(struct top *, const struct prof_function *);

/* As prof_is_pseudo. */
static inline bool
top_is_pseudo(const struct top_entry *e)
{
	return e->entries >= PROF_COUNT_WARM;
}

/* Adds the counters of a function that is not wanted to the total. */
void top_pass(struct top *, const struct prof_function *);

/* Sorts the functions, the first first; none can be added after that. */
void top_sort(struct top *, enum top_order);

/* Frees the functions; limit, order and values stay as they are. */
void top_clear(struct top *);

#endif
