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

/*
 * The groups of a range of nodes, an array for each member: sums of gains read
 * one float a group, and a cache holds more of these than of whole groups.
 */
struct gain_groups {
	uint32_t count;
	uint32_t *left, *size;		/* nodes on the left, and all */
	float *gains[2];		/* if a node leaves that side */
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

/* Computes the gains of all groups. */
void gain_update(struct gain_groups *, const float *costs);

/*
 * Sets the gain of each of `size` nodes of the list: the sum of the gains of
 * its groups, rounded after each addition in the order of the groups.
 */
void gain_sum(const struct gain_groups *, const struct partition_node *nodes,
    const uint8_t *sides, struct gain *list, size_t size);

#endif
