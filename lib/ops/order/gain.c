#include "ops/order/gain.h"

#include <math.h>
#include <stdlib.h>

/* n * log2(n + 1), rounded after each step as in LLVM. */
void
gain_fill_costs(float *costs, size_t count)
{
	for (size_t n = 0; n < count; n++) {
		volatile float bits = (float)log2((double)n + 1);
		volatile float cost = (float)n * bits;

		costs[n] = cost;
	}
}

bool
gain_groups_make(struct gain_groups *g, uint32_t count)
{
	size_t n = (size_t)count + 1;
	uint32_t *m = n > SIZE_MAX / 2 ? NULL :
	    calloc(n * 2, sizeof(*m));
	float *gains = reallocarray(NULL, n, 2 * sizeof(*gains));

	*g = (struct gain_groups){ .count = count, .left = m,
	    .gains = { gains } };
	if (m == NULL || gains == NULL)
		return false;
	g->size = m + n;
	g->gains[1] = gains + n;
	return true;
}

void
gain_groups_free(struct gain_groups *g)
{
	free(g->left);
	free(g->gains[0]);
	*g = (struct gain_groups){ 0 };
}

/* The cost of a group with so many nodes on the left and on the right. */
static inline float
gain_cost(const float *costs, uint32_t left, uint32_t right)
{
	return -gain_round(costs[left] + costs[right]);
}

/*
 * All are computed: a test of which have changed is mispredicted as often as
 * not, and that takes longer.
 */
void
gain_update(struct gain_groups *g, const float *costs)
{
	float *from_left = g->gains[0], *from_right = g->gains[1];

	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t left = g->left[i], right = g->size[i] - left;
		float now = gain_cost(costs, left, right);
		/* No node can leave an empty side: its number is not used. */
		uint32_t less = left - (left != 0);
		uint32_t fewer = right - (right != 0);
		float a = gain_round(now - gain_cost(costs, less, right + 1));
		float b = gain_round(now - gain_cost(costs, left + 1, fewer));

		from_left[i] = left == 0 ? 0 : a;
		from_right[i] = right == 0 ? 0 : b;
	}
}

/* A node whose gain is being summed up. */
struct lane {
	const float *gains;		/* of its side */
	const uint32_t *groups;
	uint32_t left;			/* groups that are to be added */
	float sum;
	struct gain *out;
};

enum { LANES = 4 };

static void
gain_finish(struct lane *l)
{
	for (uint32_t i = 0; i < l->left; i++)
		l->sum = gain_round(l->sum + l->gains[l->groups[i]]);
	l->out->gain = l->sum;
}

/* Adds n groups of each lane: sums of one lane would wait for each other. */
static void
gain_advance(struct lane *l, uint32_t n)
{
	const uint32_t *a = l[0].groups, *b = l[1].groups;
	const uint32_t *c = l[2].groups, *d = l[3].groups;
	float s = l[0].sum, t = l[1].sum, u = l[2].sum, v = l[3].sum;

	for (uint32_t i = 0; i < n; i++) {
		s = gain_round(s + l[0].gains[a[i]]);
		t = gain_round(t + l[1].gains[b[i]]);
		u = gain_round(u + l[2].gains[c[i]]);
		v = gain_round(v + l[3].gains[d[i]]);
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
gain_run(struct lane *l)
{
	uint32_t least = l[0].left;
	size_t used = LANES;

	for (size_t k = 1; k < LANES; k++)
		least = l[k].left < least ? l[k].left : least;
	gain_advance(l, least);
	for (size_t k = LANES; k-- > 0;) {
		if (l[k].left != 0)
			continue;
		gain_finish(&l[k]);
		l[k] = l[--used];
	}
	return used;
}

void
gain_sum(const struct gain_groups *g, const struct partition_node *nodes,
    const uint8_t *sides, struct gain *list, size_t size)
{
	struct lane lanes[LANES];
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		const struct partition_node *n = &nodes[list[i].node];

		if (used == LANES)
			used = gain_run(lanes);
		lanes[used++] = (struct lane){
		    g->gains[sides[list[i].node]], n->groups, n->size, 0,
		    &list[i] };
	}
	for (size_t k = 0; k < used; k++)
		gain_finish(&lanes[k]);
}
