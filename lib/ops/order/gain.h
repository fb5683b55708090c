/*
 * ops/order/gain.h - what groups become more one-sided by if a node changes
 * sides
 */
#ifndef OPS_ORDER_GAIN_H
#define OPS_ORDER_GAIN_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/order/partition.h"

/* A node and what is gained if it changes sides. */
struct gain {
	float gain;
	uint32_t node;
};

/* Groups of up to that many nodes are small. */
enum { GAIN_SMALL = 128 };

/* The gains of small groups, if a node leaves the left or the right side. */
struct gain_table {
	uint32_t largest;		/* nodes of a group that is in it */
	float gains[2][(GAIN_SMALL + 1) * (GAIN_SMALL + 2) / 2];
};

/* A group that is not small. */
struct gain_large {
	uint32_t left, size;		/* nodes on the left, and all */
};

/*
 * The groups of a range of nodes.  What a small group gains depends on its size
 * and on how many nodes are on the left: both are one code, which is also the
 * place of the gain.  So sums of gains read a code for each group, and floats
 * that the cache of the processor has.  Large groups have places behind these.
 */
struct gain_groups {
	uint32_t count;
	/*
	 * Of each group: nodes on the left, and all, while groups are counted;
	 * then the code in place of the first.
	 */
	uint32_t *codes, *sizes;
	float *gains[2];
	uint32_t first_large, large_count;
	struct gain_large *large;
};

/*
 * Rounds to single precision.  Where registers hold more bits (x87), only a
 * store to memory does.
 */
static inline float
gain_round(float x)
{
#if FLT_EVAL_METHOD == 0
	return x;
#else
	volatile float in_memory = x;

	return in_memory;
#endif
}

/* Groups without nodes.  False if out of memory. */
bool gain_groups_make(struct gain_groups *, uint32_t count);
void gain_groups_free(struct gain_groups *);

/* costs[n] is the cost of n nodes of a group on one side. */
void gain_fill_costs(float *costs, size_t count);

/* Fills the table for ranges of up to that many nodes. */
void gain_table_fill(struct gain_table *, const float *costs, uint32_t nodes);

/* Ends the counting of nodes.  False if out of memory. */
bool gain_groups_start(struct gain_groups *, const struct gain_table *);

/* Adds to the nodes on the left of a group: 1 or -1. */
static inline void
gain_move(struct gain_groups *g, uint32_t group, uint32_t more)
{
	uint32_t *code = &g->codes[group];

	if (*code < g->first_large)
		*code += more;
	else
		g->large[*code - g->first_large].left += more;
}

/* Computes the gains of the large groups first <= i < end. */
void gain_update(struct gain_groups *, const float *costs, uint32_t first,
    uint32_t end);

/*
 * Sets the gain of each of `size` nodes of the list: the sum of the gains of
 * its groups, rounded after each addition in the order of the groups.
 */
void gain_sum(const struct gain_groups *, const struct partition_node *nodes,
    const uint8_t *sides, struct gain *list, size_t size);

#endif
