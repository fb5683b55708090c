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
#include "ops/order/nth_element.h"

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

/* Groups without nodes.  False if out of memory. */
static bool
gain_groups_make(struct gain_groups *g, uint32_t count)
{
	size_t n = (size_t)count + 1;
	uint32_t *m = n > SIZE_MAX / 2 ? NULL :
	    calloc(n * 2, sizeof(*m));

	*g = (struct gain_groups){ .count = count, .codes = m };
	if (m == NULL)
		return false;
	g->sizes = m + n;
	return true;
}

static void
gain_groups_free(struct gain_groups *g)
{
	free(g->codes);
	free(g->gains[0]);
	free(g->large);
	*g = (struct gain_groups){ 0 };
}

/* The cost of a group with so many nodes on the left and on the right. */
static inline float
gain_cost(const float *costs, uint32_t left, uint32_t right)
{
	return -gain_round(costs[left] + costs[right]);
}

/* Sets the gains of a group at a place. */
static inline void
gain_compute(const float *costs, uint32_t left, uint32_t right,
    float *const gains[2], size_t place)
{
	float now = gain_cost(costs, left, right);

	/* No node can leave an empty side. */
	gains[0][place] = left == 0 ? 0 :
	    gain_round(now - gain_cost(costs, left - 1, right + 1));
	gains[1][place] = right == 0 ? 0 :
	    gain_round(now - gain_cost(costs, left + 1, right - 1));
}

/* The code of a small group without nodes on the left. */
static uint32_t
gain_first_code(uint32_t size)
{
	return size * (size + 1) / 2;
}

/* Fills the table for ranges of up to that many nodes. */
static void
gain_table_fill(struct gain_table *t, const float *costs, uint32_t nodes)
{
	float *const gains[2] = { t->gains[0], t->gains[1] };
	uint32_t code = 0;

	t->largest = nodes < GAIN_SMALL ? nodes : GAIN_SMALL;
	for (uint32_t size = 0; size <= t->largest; size++) {
		for (uint32_t left = 0; left <= size; left++)
			gain_compute(costs, left, size - left, gains, code++);
	}
}

static bool
gain_make_places(struct gain_groups *g, const struct gain_table *t,
    uint32_t largest)
{
	size_t places = (size_t)g->first_large + g->large_count;

	g->large = reallocarray(NULL, (size_t)g->large_count + 1,
	    sizeof(*g->large));
	g->gains[0] = reallocarray(NULL, places, 2 * sizeof(**g->gains));
	if (g->large == NULL || g->gains[0] == NULL)
		return false;
	g->gains[1] = g->gains[0] + places;
	for (size_t i = 0; i < 2; i++)
		memcpy(g->gains[i], t->gains[i],
		    gain_first_code(largest + 1) * sizeof(**g->gains));
	return true;
}

/* Ends the counting of nodes.  False if out of memory. */
static bool
gain_groups_start(struct gain_groups *g, const struct gain_table *t)
{
	uint32_t largest = 0, n = 0;

	for (uint32_t i = 0; i < g->count; i++) {
		if (g->sizes[i] > t->largest)
			g->large_count++;
		else if (g->sizes[i] > largest)
			largest = g->sizes[i];
	}
	g->first_large = gain_first_code(largest + 1);
	if (!gain_make_places(g, t, largest))
		return false;
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->sizes[i] <= largest) {
			g->codes[i] += gain_first_code(g->sizes[i]);
			continue;
		}
		g->large[n] = (struct gain_large){ g->codes[i], g->sizes[i] };
		g->codes[i] = g->first_large + n++;
	}
	return true;
}

/* Computes the gains of the large groups first <= i < end. */
static void
gain_update(struct gain_groups *g, const float *costs, uint32_t first,
    uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		struct gain_large l = g->large[i];

		gain_compute(costs, l.left, l.size - l.left, g->gains,
		    g->first_large + (size_t)i);
	}
}

/* A node whose gain is being summed up. */
struct lane {
	const float *gains;		/* of its side, by code */
	const uint32_t *groups;
	uint32_t left;			/* groups that are to be added */
	float sum;
	struct gain *out;
};

enum { LANES = 4 };

static void
gain_finish(struct lane *l, const uint32_t *codes)
{
	for (uint32_t i = 0; i < l->left; i++)
		l->sum = gain_round(l->sum + l->gains[codes[l->groups[i]]]);
	l->out->gain = l->sum;
}

/* Adds n groups of each lane: sums of one lane would wait for each other. */
static void
gain_advance(struct lane *l, const uint32_t *codes, uint32_t n)
{
	const uint32_t *a = l[0].groups, *b = l[1].groups;
	const uint32_t *c = l[2].groups, *d = l[3].groups;
	float s = l[0].sum, t = l[1].sum, u = l[2].sum, v = l[3].sum;

	for (uint32_t i = 0; i < n; i++) {
		s = gain_round(s + l[0].gains[codes[a[i]]]);
		t = gain_round(t + l[1].gains[codes[b[i]]]);
		u = gain_round(u + l[2].gains[codes[c[i]]]);
		v = gain_round(v + l[3].gains[codes[d[i]]]);
	}
	l[0].sum = s;
	l[1].sum = t;
	l[2].sum = u;
	l[3].sum = v;
	for (size_t k = 0; k < LANES; k++) {
		l[k].groups += n;
		l[k].left -= n;
	}
}

/* Advances LANES lanes until at least one is done; gives how many are not. */
static size_t
gain_run(struct lane *l, const uint32_t *codes)
{
	uint32_t least = l[0].left;
	size_t used = LANES;

	for (size_t k = 1; k < LANES; k++)
		least = l[k].left < least ? l[k].left : least;
	gain_advance(l, codes, least);
	for (size_t k = LANES; k-- > 0;) {
		if (l[k].left != 0)
			continue;
		gain_finish(&l[k], codes);
		l[k] = l[--used];
	}
	return used;
}

/*
 * Sets the gain of each of `size` nodes of the list: the sum of the gains of
 * its groups, rounded after each addition in the order of the groups.
 */
static void
gain_sum(const struct gain_groups *g, const struct partition_node *nodes,
    const uint8_t *sides, struct gain *list, size_t size)
{
	struct lane lanes[LANES];
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		const struct partition_node *n = &nodes[list[i].node];

		if (used == LANES)
			used = gain_run(lanes, g->codes);
		lanes[used++] = (struct lane){
		    g->gains[sides[list[i].node]], n->groups, n->size, 0,
		    &list[i] };
	}
	for (size_t k = 0; k < used; k++)
		gain_finish(&lanes[k], g->codes);
}

/* BalancedPartitioning.h, BalancedPartitioningConfig. */
enum { MAX_DEPTH = 18, MAX_ROUNDS = 40 };
#define STAY_PROBABILITY 0.1f

/*
 * A range of fewer nodes is not worth a thread, nor a part of fewer groups or
 * nodes; and the most parts.
 */
enum { FEWEST_FOR_THREAD = 64, FEWEST_IN_PART = 4096, PARTS_MAX = 16 };

/* Sizes from which on another way to sort is faster. */
enum { FEWEST_TO_MERGE = 16, FEWEST_FOR_DIGITS = 256 };

struct partition {
	enum partition_rule rule;
	struct partition_node *nodes;
	uint8_t *sides;			/* of each node: 0 left, 1 right */
	float *costs;			/* by nodes of a group on one side */
	struct gain_table *table;
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
	struct gain_groups groups;
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

static void
partition_insert_gains(struct gain *g, size_t size)
{
	for (size_t i = 1; i < size; i++) {
		struct gain x = g[i];
		size_t k = i;

		for (; k > 0 && x.gain > g[k - 1].gain; k--)
			g[k] = g[k - 1];
		g[k] = x;
	}
}

/* Digits of a sort by digits, in base 256. */
enum { DIGITS = 4 };

/* A number that is less for larger gains, and equal for 0 and -0. */
static uint32_t
partition_gain_key(float gain)
{
	uint32_t bits;

	gain = gain == 0 ? 0 : gain;
	memcpy(&bits, &gain, sizeof(bits));
	return bits >> 31 != 0 ? bits : ~bits & INT32_MAX;
}

static void
partition_sort_digits(struct gain *g, size_t size, struct gain *scratch)
{
	uint32_t count[DIGITS][256] = { { 0 } };
	struct gain *from = g, *to = scratch;

	for (size_t i = 0; i < size; i++) {
		uint32_t key = partition_gain_key(g[i].gain);

		for (unsigned d = 0; d < DIGITS; d++)
			count[d][key >> 8 * d & 255]++;
	}
	for (unsigned d = 0; d < DIGITS; d++) {
		struct gain *was = from;
		uint32_t place = 0;

		for (unsigned i = 0; i < 256; i++) {
			uint32_t n = count[d][i];

			count[d][i] = place;
			place += n;
		}
		for (size_t i = 0; i < size; i++)
			to[count[d][partition_gain_key(from[i].gain) >> 8 * d &
			    255]++] = from[i];
		from = to;
		to = was;
	}
}

/* A stable sort, largest gain first: by insertion, merging or by digits. */
static void
partition_sort_gains(struct gain *g, size_t size, struct gain *scratch)
{
	size_t half = size / 2;

	if (size < FEWEST_TO_MERGE) {
		partition_insert_gains(g, size);
		return;
	}
	if (size >= FEWEST_FOR_DIGITS) {
		partition_sort_digits(g, size, scratch);
		return;
	}
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
		gain_move(&e->groups, n->groups[i], more);
	return true;
}

static void
partition_update_gains(struct exchange *e, uint32_t first, uint32_t end)
{
	gain_update(&e->groups, e->p->costs, first, end);
}

static void
partition_sum_gains(struct exchange *e, uint32_t first, uint32_t end)
{
	gain_sum(&e->groups, e->p->nodes, e->p->sides, e->left + first,
	    end - first);
}

/* Work on the groups or nodes first <= i < end of a range. */
struct part {
	void (*work)(struct exchange *, uint32_t first, uint32_t end);
	struct exchange *e;
	uint32_t first, end;
	pthread_t thread;
};

static void *
partition_run_part(void *arg)
{
	struct part *p = arg;

	p->work(p->e, p->first, p->end);
	atomic_fetch_add(&p->e->p->idle, 1);
	return NULL;
}

/*
 * Does work on `count` groups or nodes, each of which is independent of the
 * others, with the help of idle threads.
 */
static void
partition_share(struct exchange *e, uint32_t count,
    void (*work)(struct exchange *, uint32_t first, uint32_t end))
{
	struct part parts[PARTS_MAX];
	int idle = atomic_load(&e->p->idle);
	uint32_t most = count / FEWEST_IN_PART, size, first = 0, started = 0;

	if (idle > 0 && most > 1) {
		if (most > PARTS_MAX)
			most = PARTS_MAX;
		if (most > (uint32_t)idle + 1)
			most = (uint32_t)idle + 1;
		size = count / most;
		while (started + 1 < most) {
			struct part *p = &parts[started];

			*p = (struct part){ .work = work, .e = e,
			    .first = first, .end = first + size };
			if (!partition_start_thread(e->p, partition_run_part,
			    p, &p->thread))
				break;
			first += size;
			started++;
		}
	}
	work(e, first, count);
	while (started-- > 0)
		pthread_join(parts[started].thread, NULL);
}

/* Exchanges the pairs of nodes that gain most; false if none has moved. */
static bool
partition_exchange(struct exchange *e, const uint32_t *nodes)
{
	struct gain *left = e->left, *right;
	size_t lefts, rights;
	bool any = false;

	partition_share(e, e->groups.large_count, partition_update_gains);
	for (uint32_t i = 0; i < e->size; i++)
		left[i].node = nodes[i];
	partition_share(e, e->size, partition_sum_gains);
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

/* Makes the groups of a range, whose number changes. */
static bool
partition_regroup(struct range *r, struct gain_groups *g)
{
	const struct partition *p = r->p;
	const uint32_t *range = p->order + r->first;
	uint32_t *counts = calloc((size_t)r->group_count + 1, sizeof(*counts));
	uint32_t *numbers = calloc((size_t)r->group_count + 1,
	    sizeof(*numbers));
	bool done = counts != NULL && numbers != NULL;

	for (uint32_t i = 0; done && i < r->size; i++) {
		const struct partition_node *n = &p->nodes[range[i]];

		for (uint32_t k = 0; k < n->size; k++)
			counts[n->groups[k]]++;
	}
	if (done)
		r->group_count = partition_renumber(r, counts, numbers);
	free(counts);
	free(numbers);
	done = done && gain_groups_make(g, r->group_count);
	for (uint32_t i = 0; done && i < r->size; i++) {
		const struct partition_node *n = &p->nodes[range[i]];
		uint32_t left = p->sides[range[i]] == 0;

		for (uint32_t k = 0; k < n->size; k++) {
			g->codes[n->groups[k]] += left;
			g->sizes[n->groups[k]]++;
		}
	}
	return done && gain_groups_start(g, p->table);
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

	if (r->p->rule == PARTITION_SORT)
		qsort(range, r->size, sizeof(*range), partition_by_number);
	else if (half < r->size)
		nth_element(range, r->size, half);
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
	bool done;

	partition_split(r);
	done = partition_regroup(r, &e.groups);
	if (done && r->group_count != 0) {
		mt19937_seed(&e.random, r->number);
		for (unsigned i = 0; i < MAX_ROUNDS; i++) {
			if (!partition_exchange(&e, p->order + r->first))
				break;
		}
	}
	gain_groups_free(&e.groups);
	return done;
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
partition(struct partition_how how, struct partition_node *nodes,
    uint32_t count, uint32_t group_count, uint32_t *order)
{
	struct arena arena = { 0 };
	struct partition p = {
		.rule = how.rule,
		.nodes = nodes,
		.sides = arena_array(&arena, count, sizeof(*p.sides)),
		/* Gains are computed for one node more on either side. */
		.costs = arena_array(&arena, (size_t)count + 2,
		    sizeof(*p.costs)),
		.table = arena_alloc(&arena, sizeof(*p.table)),
		.order = order,
		.gains = arena_array(&arena, count, sizeof(*p.gains)),
		.sorted = arena_array(&arena, count, sizeof(*p.sorted)),
	};
	struct range all = { .p = &p, .size = count, .number = 1,
	    .group_count = group_count };
	bool done = false;

	atomic_init(&p.idle, how.threads <= 1 ? 0 : (int)how.threads - 1);
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (p.sides != NULL && p.costs != NULL && p.table != NULL &&
	    p.gains != NULL && p.sorted != NULL) {
		gain_fill_costs(p.costs, (size_t)count + 2);
		gain_table_fill(p.table, p.costs, count);
		done = partition_bisect(&all);
	}
	arena_free(&arena);
	return done;
}
