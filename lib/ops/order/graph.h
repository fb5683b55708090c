/* ops/order/graph.h - the groups of the functions of traces */
#ifndef OPS_ORDER_GRAPH_H
#define OPS_ORDER_GRAPH_H

#include "ops/order/partition.h"

#define ORDER_NO_NODE UINT32_MAX

struct order_trace {
	size_t first, size;		/* range in what all traces enter */
};

struct order_traces {
	const struct order_trace *traces;
	size_t count;
	const uint32_t *entered;	/* numbers of functions */
	const uint32_t *nodes;		/* by number; or ORDER_NO_NODE */
	uint32_t node_count;
};

/* All zero is empty. */
struct order_graph {
	struct partition_node *nodes;
	uint32_t *groups;		/* those of all nodes */
	uint32_t group_count;
};

/*
 * Finds the groups of each node, ascending.  A trace has a group of its first
 * function, of its first 2, 4, 8 and so on, up to all of them.  Groups of one
 * function, or of more than half of all, do not help and are left out.
 * False if out of memory, or if there are more groups than 32 bits can number.
 */
bool order_graph_build(struct order_graph *, const struct order_traces *);
void order_graph_free(struct order_graph *);

#endif
