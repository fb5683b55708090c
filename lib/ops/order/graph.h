/* ops/order/graph.h - the groups of the functions of traces */
#ifndef OPS_ORDER_GRAPH_H
#define OPS_ORDER_GRAPH_H

#include "model/symtab.h"
#include "ops/order/partition.h"

struct order_trace {
	size_t first, size;		/* range in the guids of all traces */
};

/* All zero is empty. */
struct order_graph {
	struct partition_node *nodes;	/* as the nodes of the symtab */
	uint32_t *groups;		/* those of all nodes */
	uint32_t group_count;
};

/*
 * Finds the groups of each node, ascending.  A trace has a group of its first
 * function, of its first 2, 4, 8 and so on, up to all of them.  Groups of one
 * function, or of more than half of all, do not help and are left out.
 * `entered` has the guids of all traces.  False if out of memory, or if there
 * are more groups than 32 bits can number.
 */
bool order_graph_build(struct order_graph *, const struct symtab *nodes,
    const uint64_t *entered, const struct order_trace *traces,
    size_t trace_count);
void order_graph_free(struct order_graph *);

#endif
