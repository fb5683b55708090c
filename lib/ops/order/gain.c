#include "ops/order/gain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

	*g = (struct gain_groups){ .count = count, .codes = m };
	if (m == NULL)
		return false;
	g->sizes = m + n;
	return true;
}

void
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

void
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

bool
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

void
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

void
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
