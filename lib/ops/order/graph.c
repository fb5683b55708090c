#include "config.h"

#include "ops/order/graph.h"

#include <stdlib.h>

/* A function in a trace: it is in the groups from first to last. */
struct visit {
	uint32_t node, first, last;
};

struct build {
	const struct order_traces *of;
	struct visit *visits;
	size_t visit_count;
	uint32_t *visited;		/* for each node, the last trace */
	uint32_t *sizes;		/* nodes of each group */
	struct order_graph *graph;
};

/*
 * How many groups of a trace end before a place, from 0, in it: 0, 1, 2, 2, 3,
 * 3, 3, 3, 4 and so on.
 */
static uint32_t
graph_groups_before(size_t place)
{
	uint32_t n = 0;

	for (; place != 0; place /= 2)
		n++;
	return n;
}

/* Number of the last group of a trace, from 0; each trace has one. */
static uint32_t
graph_last_group(const struct order_trace *t)
{
	return t->size == 0 ? 0 : graph_groups_before(t->size - 1);
}

static bool
graph_count_groups(const struct build *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->of->count; i++)
		n += 1 + graph_last_group(&b->of->traces[i]);
	b->graph->group_count = (uint32_t)n;
	return n < UINT32_MAX;
}

/*
 * Adds the visits of a trace.  Only the first entry of a function counts.  mark
 * is one above the number of the trace: it fits 32 bits, since numbers of
 * groups do and there are more of them.
 */
static void
graph_add_visits(struct build *b, const struct order_trace *t, uint32_t group,
    uint32_t mark)
{
	uint32_t last = group + graph_last_group(t);

	for (size_t i = 0; i < t->size; i++) {
		uint32_t node = b->of->nodes[b->of->entered[t->first + i]];
		struct visit v = { node, group + graph_groups_before(i), last };

		if (node == ORDER_NO_NODE || b->visited[node] == mark)
			continue;
		b->visited[node] = mark;
		b->visits[b->visit_count++] = v;
		for (uint32_t k = v.first; k <= last; k++)
			b->sizes[k]++;
	}
}

static bool
graph_collect_visits(struct build *b)
{
	size_t most = 0;
	uint32_t group = 0;

	for (size_t i = 0; i < b->of->count; i++)
		most += b->of->traces[i].size;
	b->visits = reallocarray(NULL, most + 1, sizeof(*b->visits));
	b->visited = calloc((size_t)b->of->node_count + 1, sizeof(*b->visited));
	b->sizes = calloc((size_t)b->graph->group_count + 1,
	    sizeof(*b->sizes));
	if (b->visits == NULL || b->visited == NULL || b->sizes == NULL)
		return false;
	for (size_t i = 0; i < b->of->count; i++) {
		graph_add_visits(b, &b->of->traces[i], group, (uint32_t)i + 1);
		group += 1 + graph_last_group(&b->of->traces[i]);
	}
	return true;
}

static bool
graph_is_useful(const struct build *b, uint32_t group)
{
	return b->sizes[group] > 1 &&
	    2 * (uint64_t)b->sizes[group] <= b->of->node_count;
}

/* Counts the groups of each node, then gives each its part of the array. */
static void
graph_count_links(const struct build *b)
{
	struct partition_node *nodes = b->graph->nodes;
	uint32_t *groups = b->graph->groups;

	for (size_t i = 0; i < b->visit_count; i++) {
		const struct visit *v = &b->visits[i];

		for (uint32_t k = v->first; k <= v->last; k++)
			nodes[v->node].size += graph_is_useful(b, k);
	}
	for (size_t i = 0; i < b->of->node_count; i++) {
		nodes[i].groups = groups;
		groups += nodes[i].size;
		nodes[i].size = 0;
	}
}

static bool
graph_link_groups(const struct build *b)
{
	struct order_graph *g = b->graph;
	size_t links = 0;

	for (uint32_t i = 0; i < g->group_count; i++)
		links += graph_is_useful(b, i) ? b->sizes[i] : 0;
	g->nodes = calloc((size_t)b->of->node_count + 1, sizeof(*g->nodes));
	g->groups = reallocarray(NULL, links + 1, sizeof(*g->groups));
	if (g->nodes == NULL || g->groups == NULL)
		return false;
	graph_count_links(b);
	for (size_t i = 0; i < b->visit_count; i++) {
		const struct visit *v = &b->visits[i];
		struct partition_node *n = &g->nodes[v->node];

		for (uint32_t k = v->first; k <= v->last; k++) {
			if (graph_is_useful(b, k))
				n->groups[n->size++] = k;
		}
	}
	return true;
}

bool
order_graph_build(struct order_graph *g, const struct order_traces *of)
{
	struct build b = { .of = of, .graph = g };
	bool done = graph_count_groups(&b) && graph_collect_visits(&b) &&
	    graph_link_groups(&b);

	free(b.visits);
	free(b.visited);
	free(b.sizes);
	return done;
}

void
order_graph_free(struct order_graph *g)
{
	free(g->nodes);
	free(g->groups);
	*g = (struct order_graph){ 0 };
}
