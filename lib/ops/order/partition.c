#include "ops/order/partition.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/numbers.h"

/* A node and what is gained if it changes sides. */
struct gain {
	float gain;
	uint32_t node;
};

/* A group of a range of nodes; what is gained if one leaves its side. */
struct group {
	uint32_t left, size;		/* nodes on the left, and all */
	float gains[2];			/* of the left and the right side */
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

/* n * log2(n + 1), rounded after each step as in LLVM. */
static void
gain_fill_costs(float *costs, size_t count)
{
	for (size_t n = 0; n < count; n++) {
		volatile float bits = (float)log2((double)n + 1);
		volatile float cost = (float)n * bits;

		costs[n] = cost;
	}
}

/* The cost of a group with so many nodes on the left and on the right. */
static inline float
gain_cost(const float *costs, uint32_t left, uint32_t right)
{
	return -gain_round(costs[left] + costs[right]);
}

static void
gain_compute(const float *costs, struct group *g)
{
	uint32_t left = g->left, right = g->size - left;
	float now = gain_cost(costs, left, right);

	/* No node can leave an empty side. */
	g->gains[0] = left == 0 ? 0 :
	    gain_round(now - gain_cost(costs, left - 1, right + 1));
	g->gains[1] = right == 0 ? 0 :
	    gain_round(now - gain_cost(costs, left + 1, right - 1));
}

/* BalancedPartitioning.h, BalancedPartitioningConfig. */
enum { MAX_DEPTH = 18, MAX_ROUNDS = 40 };
#define STAY_PROBABILITY 0.1f

/* A range of fewer nodes is not worth a thread. */
enum { FEWEST_FOR_THREAD = 64 };

struct partition {
	struct partition_node *nodes;
	uint8_t *sides;			/* of each node: 0 left, 1 right */
	float *costs;			/* by nodes of a group on one side */
	uint32_t *order;		/* nodes */
	struct gain *gains, *sorted;	/* of the same places of the order */
	atomic_int idle;		/* threads that may still be started */
};

/*
 * A part of the order.  number is 1 for all nodes, 2n and 2n + 1 for the halves
 * of n: it seeds the random numbers, and its highest bit is the depth.
 */
struct range {
	struct partition *p;
	uint32_t first, size;
	uint32_t number;
	uint32_t group_count;		/* numbers of groups are below */
	bool done;			/* result of a thread */
};

/* What changes while nodes of a range change sides. */
struct exchange {
	struct partition *p;
	struct group *groups;
	struct gain *left, *sorted;	/* of the range */
	uint32_t size;
	struct mt19937 random;
};

/*
 * Starts a thread if one more may be; it is to count as idle when it ends.
 * Signals are handled by other threads.  False: no thread was started.
 */
static bool
partition_start_thread(struct partition *p, void *(*run)(void *), void *arg,
    pthread_t *thread)
{
	sigset_t all, old;
	bool started;

	if (atomic_fetch_sub(&p->idle, 1) <= 0) {
		atomic_fetch_add(&p->idle, 1);
		return false;
	}
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = pthread_create(thread, NULL, run, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!started)
		atomic_fetch_add(&p->idle, 1);
	return started;
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

/* A stable sort, largest gain first. */
static void
partition_sort_gains(struct gain *g, size_t size, struct gain *scratch)
{
	size_t half = size / 2, i = 0, k = half;

	if (size < 2)
		return;
	partition_sort_gains(g, half, scratch);
	partition_sort_gains(g + half, size - half, scratch);
	memcpy(scratch, g, half * sizeof(*g));
	for (size_t to = 0; i < half; to++)
		g[to] = k < size && g[k].gain > scratch[i].gain ? g[k++] :
		    scratch[i++];
}

/*
 * Moves a node to the other side, or leaves it by chance, which helps out of
 * local optima.  False if it stays.
 */
static bool
partition_move(struct exchange *e, uint32_t node)
{
	const struct partition_node *n = &e->p->nodes[node];
	uint8_t *side = &e->p->sides[node];
	uint32_t more = *side == 0 ? UINT32_MAX : 1;

	if (gain_round((float)mt19937_next(&e->random)) / 0x1p32f <=
	    STAY_PROBABILITY)
		return false;
	*side = *side == 0;
	for (uint32_t i = 0; i < n->size; i++)
		e->groups[n->groups[i]].left += more;
	return true;
}

/* Exchanges the pairs of nodes that gain most; false if none has moved. */
static bool
partition_exchange(struct exchange *e, const uint32_t *nodes,
    uint32_t group_count)
{
	struct gain *left = e->left, *right;
	size_t lefts, rights;
	bool any = false;

	for (uint32_t i = 0; i < group_count; i++)
		gain_compute(e->p->costs, &e->groups[i]);
	/* Rounded after each addition, in the order of the groups. */
	for (uint32_t i = 0; i < e->size; i++) {
		const struct partition_node *n = &e->p->nodes[nodes[i]];
		const uint8_t side = e->p->sides[nodes[i]];
		float sum = 0;

		for (uint32_t k = 0; k < n->size; k++)
			sum = gain_round(sum +
			    e->groups[n->groups[k]].gains[side]);
		left[i] = (struct gain){ sum, nodes[i] };
	}
	lefts = partition_left_first(e->p, left, e->size);
	rights = e->size - lefts;
	right = left + lefts;
	partition_sort_gains(left, lefts, e->sorted);
	partition_sort_gains(right, rights, e->sorted);
	for (size_t i = 0; i < lefts && i < rights; i++) {
		if (gain_round(left[i].gain + right[i].gain) <= 0)
			break;
		any |= partition_move(e, left[i].node);
		any |= partition_move(e, right[i].node);
	}
	return any;
}

/*
 * Drops groups that have all nodes of the range, or only one, and numbers the
 * others from 0.  Gives their number.  counts[g] is how many nodes of the range
 * group g has; numbers[g] becomes one above its new number, or stays 0.
 */
static uint32_t
partition_renumber(const struct range *r, uint32_t *counts, uint32_t *numbers)
{
	const uint32_t *range = r->p->order + r->first;
	uint32_t group_count = 0;

	for (uint32_t i = 0; i < r->size; i++) {
		struct partition_node *n = &r->p->nodes[range[i]];
		uint32_t kept = 0;

		for (uint32_t k = 0; k < n->size; k++) {
			uint32_t g = n->groups[k];

			if (counts[g] == 1 || counts[g] == r->size)
				continue;
			if (numbers[g] == 0)
				numbers[g] = ++group_count;
			n->groups[kept++] = numbers[g] - 1;
		}
		n->size = kept;
	}
	return group_count;
}

/*
 * Makes the groups of a range, whose number changes.  NULL if out of memory.
 */
static struct group *
partition_regroup(struct range *r)
{
	const struct partition *p = r->p;
	const uint32_t *range = p->order + r->first;
	uint32_t *counts = calloc((size_t)r->group_count + 1, sizeof(*counts));
	uint32_t *numbers = calloc((size_t)r->group_count + 1,
	    sizeof(*numbers));
	bool done = counts != NULL && numbers != NULL;
	struct group *groups = NULL;

	for (uint32_t i = 0; done && i < r->size; i++) {
		const struct partition_node *n = &p->nodes[range[i]];

		for (uint32_t k = 0; k < n->size; k++)
			counts[n->groups[k]]++;
	}
	if (done)
		r->group_count = partition_renumber(r, counts, numbers);
	free(counts);
	free(numbers);
	if (done)
		groups = calloc((size_t)r->group_count + 1, sizeof(*groups));
	for (uint32_t i = 0; groups != NULL && i < r->size; i++) {
		const struct partition_node *n = &p->nodes[range[i]];
		uint32_t left = p->sides[range[i]] == 0;

		for (uint32_t k = 0; k < n->size; k++) {
			groups[n->groups[k]].left += left;
			groups[n->groups[k]].size++;
		}
	}
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
partition_split(const struct range *r)
{
	uint32_t *range = r->p->order + r->first, half = (r->size + 1) / 2;

	qsort(range, r->size, sizeof(*range), partition_by_number);
	for (uint32_t i = 0; i < r->size; i++)
		r->p->sides[range[i]] = i >= half;
}

/* Moves the nodes of the left side to the front; gives their number. */
static uint32_t
partition_divide(const struct range *r)
{
	uint32_t *range = r->p->order + r->first;
	struct gain *gains = r->p->gains + r->first;
	size_t lefts;

	for (uint32_t i = 0; i < r->size; i++)
		gains[i].node = range[i];
	lefts = partition_left_first(r->p, gains, r->size);
	for (uint32_t i = 0; i < r->size; i++)
		range[i] = gains[i].node;
	return (uint32_t)lefts;
}

/* Splits a range, and exchanges nodes as long as that gains something. */
static bool
partition_improve(struct range *r)
{
	struct partition *p = r->p;
	struct exchange e = { .p = p, .left = p->gains + r->first,
	    .sorted = p->sorted + r->first, .size = r->size };

	partition_split(r);
	e.groups = partition_regroup(r);
	if (e.groups == NULL)
		return false;
	if (r->group_count != 0) {
		mt19937_seed(&e.random, r->number);
		for (unsigned i = 0; i < MAX_ROUNDS; i++) {
			if (!partition_exchange(&e, p->order + r->first,
			    r->group_count))
				break;
		}
	}
	free(e.groups);
	return true;
}

static bool partition_bisect(struct range *);

static void *
partition_run_thread(void *arg)
{
	struct range *r = arg;

	r->done = partition_bisect(r);
	atomic_fetch_add(&r->p->idle, 1);
	return NULL;
}

/*
 * Orders both halves of a range.  Another thread may take the second; one that
 * waits for it counts as idle.
 */
static bool
partition_halves(struct range *left, struct range *right)
{
	pthread_t thread;
	bool done;

	if (right->size < FEWEST_FOR_THREAD || !partition_start_thread(
	    right->p, partition_run_thread, right, &thread))
		return partition_bisect(left) && partition_bisect(right);
	done = partition_bisect(left);
	atomic_fetch_add(&left->p->idle, 1);
	pthread_join(thread, NULL);
	atomic_fetch_sub(&left->p->idle, 1);
	return done && right->done;
}

/* Orders a range. */
static bool
partition_bisect(struct range *r)
{
	struct range left, right;
	uint32_t lefts;

	if (r->size <= 1 || r->number >= 1u << MAX_DEPTH) {
		qsort(r->p->order + r->first, r->size, sizeof(*r->p->order),
		    partition_by_number);
		return true;
	}
	if (!partition_improve(r))
		return false;
	lefts = partition_divide(r);
	left = right = *r;
	left.number = r->number * 2;
	left.size = lefts;
	right.number = r->number * 2 + 1;
	right.first += lefts;
	right.size -= lefts;
	return partition_halves(&left, &right);
}

bool
partition(unsigned threads, struct partition_node *nodes, uint32_t count,
    uint32_t group_count, uint32_t *order)
{
	struct arena arena = { 0 };
	struct partition p = {
		.nodes = nodes,
		.sides = arena_array(&arena, count, sizeof(*p.sides)),
		/* Gains are computed for one node more on either side. */
		.costs = arena_array(&arena, (size_t)count + 2,
		    sizeof(*p.costs)),
		.order = order,
		.gains = arena_array(&arena, count, sizeof(*p.gains)),
		.sorted = arena_array(&arena, count, sizeof(*p.sorted)),
	};
	struct range all = { .p = &p, .size = count, .number = 1,
	    .group_count = group_count };
	bool done = false;

	atomic_init(&p.idle, threads <= 1 ? 0 : (int)threads - 1);
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (p.sides != NULL && p.costs != NULL && p.gains != NULL &&
	    p.sorted != NULL) {
		gain_fill_costs(p.costs, (size_t)count + 2);
		done = partition_bisect(&all);
	}
	arena_free(&arena);
	return done;
}
