#include "ops/order/partition.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mt19937.h"
#include "ops/order/nth_element.h"

/* BalancedPartitioning.h, BalancedPartitioningConfig. */
enum { MAX_DEPTH = 18, MAX_ROUNDS = 40 };
#define STAY_PROBABILITY 0.1f

struct group {
	uint32_t sides[2];		/* nodes on the left, on the right */
	float gains[2];			/* if a node leaves that side */
	bool stale;			/* the gains are out of date */
};

/* A node and what is gained if it changes sides. */
struct gain {
	float gain;
	uint32_t node;
};

struct partition {
	enum partition_rule rule;
	struct partition_node *nodes;
	uint8_t *sides;			/* of each node: 0 left, 1 right */
	float *costs;			/* by nodes of a group on one side */
	struct gain *gains, *sorted;
	struct mt19937 random;
};

/*
 * Rounds to single precision.  Where registers hold more bits (x87), only a
 * store to memory does.
 */
static inline float
partition_round(float x)
{
#if FLT_EVAL_METHOD == 0
	return x;
#else
	volatile float in_memory = x;

	return in_memory;
#endif
}

/* n * log2(n + 1), rounded after each step as in LLVM. */
static void
partition_fill_costs(float *costs, size_t count)
{
	for (size_t n = 0; n < count; n++) {
		volatile float bits = (float)log2((double)n + 1);
		volatile float cost = (float)n * bits;

		costs[n] = cost;
	}
}

/* The cost of a group with so many nodes on the left and on the right. */
static float
partition_cost(const struct partition *p, uint32_t left, uint32_t right)
{
	return -partition_round(p->costs[left] + p->costs[right]);
}

static void
partition_compute_gains(const struct partition *p, struct group *g)
{
	uint32_t left = g->sides[0], right = g->sides[1];
	float now = partition_cost(p, left, right);

	g->gains[0] = left == 0 ? 0 :
	    partition_round(now - partition_cost(p, left - 1, right + 1));
	g->gains[1] = right == 0 ? 0 :
	    partition_round(now - partition_cost(p, left + 1, right - 1));
	g->stale = false;
}

static float
partition_gain(const struct partition *p, const struct group *groups,
    uint32_t node)
{
	const struct partition_node *n = &p->nodes[node];
	unsigned side = p->sides[node];
	float gain = 0;

	for (uint32_t i = 0; i < n->size; i++)
		gain = partition_round(gain + groups[n->groups[i]].gains[side]);
	return gain;
}

/*
 * Moves nodes of the left side to the front and gives their number.  Exchanges
 * the same elements as std::partition of libstdc++, which determines the order
 * of equal gains.
 */
static size_t
partition_left_first(const struct partition *p, struct gain *g, size_t size)
{
	size_t first = 0, last = size;

	for (;;) {
		struct gain swap;

		while (first < last && p->sides[g[first].node] == 0)
			first++;
		if (first < last)
			last--;
		while (first < last && p->sides[g[last].node] != 0)
			last--;
		if (first == last)
			return first;
		swap = g[first];
		g[first++] = g[last];
		g[last] = swap;
	}
}

static void
partition_merge_gains(const struct gain *a, const struct gain *a_end,
    const struct gain *b, const struct gain *b_end, struct gain *out)
{
	while (a < a_end && b < b_end)
		*out++ = b->gain > a->gain ? *b++ : *a++;
	while (a < a_end)
		*out++ = *a++;
	while (b < b_end)
		*out++ = *b++;
}

/* A stable sort, largest gain first. */
static void
partition_sort_gains(struct gain *g, size_t size, struct gain *scratch)
{
	size_t half = size / 2;

	if (size < 2)
		return;
	partition_sort_gains(g, half, scratch);
	partition_sort_gains(g + half, size - half, scratch);
	memcpy(scratch, g, half * sizeof(*g));
	partition_merge_gains(scratch, scratch + half, g + half, g + size, g);
}

/*
 * Moves a node to the other side, or leaves it by chance, which helps out of
 * local optima.  False if it stays.
 */
static bool
partition_move(struct partition *p, struct group *groups, uint32_t node)
{
	const struct partition_node *n = &p->nodes[node];
	unsigned from = p->sides[node];

	if (partition_round((float)mt19937_next(&p->random)) / 0x1p32f <=
	    STAY_PROBABILITY)
		return false;
	p->sides[node] = !from;
	for (uint32_t i = 0; i < n->size; i++) {
		struct group *g = &groups[n->groups[i]];

		g->sides[from]--;
		g->sides[!from]++;
		g->stale = true;
	}
	return true;
}

/* Exchanges the pairs of nodes that gain most; false if none has moved. */
static bool
partition_exchange(struct partition *p, const uint32_t *range, uint32_t size,
    struct group *groups, uint32_t group_count)
{
	struct gain *left = p->gains, *right;
	size_t lefts, rights;
	bool any = false;

	for (uint32_t i = 0; i < group_count; i++) {
		if (groups[i].stale)
			partition_compute_gains(p, &groups[i]);
	}
	for (uint32_t i = 0; i < size; i++)
		left[i] = (struct gain){ partition_gain(p, groups, range[i]),
		    range[i] };
	lefts = partition_left_first(p, left, size);
	rights = size - lefts;
	right = left + lefts;
	partition_sort_gains(left, lefts, p->sorted);
	partition_sort_gains(right, rights, p->sorted);
	for (size_t i = 0; i < lefts && i < rights; i++) {
		if (partition_round(left[i].gain + right[i].gain) <= 0)
			break;
		any |= partition_move(p, groups, left[i].node);
		any |= partition_move(p, groups, right[i].node);
	}
	return any;
}

/*
 * Drops groups that have all nodes of the range, or only one, and numbers the
 * others from 0.  Gives their number.  counts[g] is how many nodes of the range
 * group g has; numbers[g] becomes one above its new number, or stays 0.
 */
static uint32_t
partition_renumber(struct partition *p, const uint32_t *range, uint32_t size,
    uint32_t *counts, uint32_t *numbers)
{
	uint32_t group_count = 0;

	for (uint32_t i = 0; i < size; i++) {
		struct partition_node *n = &p->nodes[range[i]];
		uint32_t kept = 0;

		for (uint32_t k = 0; k < n->size; k++) {
			uint32_t g = n->groups[k];

			if (counts[g] == 1 || counts[g] == size)
				continue;
			if (numbers[g] == 0)
				numbers[g] = ++group_count;
			n->groups[kept++] = numbers[g] - 1;
		}
		n->size = kept;
	}
	return group_count;
}

/* Makes the groups of a range; *group_count is their old, then new number. */
static struct group *
partition_regroup(struct partition *p, const uint32_t *range, uint32_t size,
    uint32_t *group_count)
{
	uint32_t *counts = calloc((size_t)*group_count + 1, sizeof(*counts));
	uint32_t *numbers = calloc((size_t)*group_count + 1, sizeof(*numbers));
	struct group *groups = NULL;

	if (counts == NULL || numbers == NULL)
		goto out;
	for (uint32_t i = 0; i < size; i++) {
		const struct partition_node *n = &p->nodes[range[i]];

		for (uint32_t k = 0; k < n->size; k++)
			counts[n->groups[k]]++;
	}
	*group_count = partition_renumber(p, range, size, counts, numbers);
	groups = calloc((size_t)*group_count + 1, sizeof(*groups));
	for (uint32_t i = 0; groups != NULL && i < size; i++) {
		const struct partition_node *n = &p->nodes[range[i]];

		for (uint32_t k = 0; k < n->size; k++) {
			groups[n->groups[k]].sides[p->sides[range[i]]]++;
			groups[n->groups[k]].stale = true;
		}
	}
out:
	free(counts);
	free(numbers);
	return groups;
}

static int
partition_by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The first half of the nodes goes left, and the middle one of odd numbers. */
static void
partition_split(struct partition *p, uint32_t *range, uint32_t size)
{
	uint32_t half = (size + 1) / 2;

	if (p->rule == PARTITION_SORT)
		qsort(range, size, sizeof(*range), partition_by_number);
	else if (half < size)
		nth_element(range, size, half);
	for (uint32_t i = 0; i < size; i++)
		p->sides[range[i]] = i >= half;
}

/* Moves the nodes of the left side to the front; gives their number. */
static uint32_t
partition_divide(struct partition *p, uint32_t *range, uint32_t size)
{
	size_t lefts;

	for (uint32_t i = 0; i < size; i++)
		p->gains[i].node = range[i];
	lefts = partition_left_first(p, p->gains, size);
	for (uint32_t i = 0; i < size; i++)
		range[i] = p->gains[i].node;
	return (uint32_t)lefts;
}

/*
 * Orders a range.  number is 1 for all nodes, 2n and 2n + 1 for the halves of
 * n: it seeds the random numbers, and its highest bit is the depth.
 */
static bool
partition_bisect(struct partition *p, uint32_t *range, uint32_t size,
    uint32_t group_count, uint32_t number)
{
	struct group *groups;
	uint32_t lefts;

	if (size <= 1 || number >= 1u << MAX_DEPTH) {
		qsort(range, size, sizeof(*range), partition_by_number);
		return true;
	}
	partition_split(p, range, size);
	groups = partition_regroup(p, range, size, &group_count);
	if (groups == NULL)
		return false;
	mt19937_seed(&p->random, number);
	for (unsigned i = 0; i < MAX_ROUNDS; i++) {
		if (!partition_exchange(p, range, size, groups, group_count))
			break;
	}
	free(groups);
	lefts = partition_divide(p, range, size);
	return partition_bisect(p, range, lefts, group_count, number * 2) &&
	    partition_bisect(p, range + lefts, size - lefts, group_count,
	    number * 2 + 1);
}

bool
partition(enum partition_rule rule, struct partition_node *nodes,
    uint32_t count, uint32_t group_count, uint32_t *order)
{
	struct arena arena = { 0 };
	struct partition p = {
		.rule = rule,
		.nodes = nodes,
		.sides = arena_array(&arena, count, sizeof(*p.sides)),
		/* Gains are computed for one node more on either side. */
		.costs = arena_array(&arena, (size_t)count + 2,
		    sizeof(*p.costs)),
		.gains = arena_array(&arena, count, sizeof(*p.gains)),
		.sorted = arena_array(&arena, count, sizeof(*p.sorted)),
	};
	bool done = false;

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (p.sides != NULL && p.costs != NULL && p.gains != NULL &&
	    p.sorted != NULL) {
		partition_fill_costs(p.costs, (size_t)count + 2);
		done = partition_bisect(&p, order, count, group_count, 1);
	}
	arena_free(&arena);
	return done;
}
