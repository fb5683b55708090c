/* order_graph.h - which functions come early in which traces */
#ifndef OPS_ORDER_GRAPH_H
#define OPS_ORDER_GRAPH_H

#include "model/symtab.h"
#include "ops/order/partition.h"

struct order_trace {
	size_t first, size;		/* in the guids of all traces */
};

/* All zero is empty. */
struct order_graph {
	struct partition_node *nodes;
	uint32_t *groups;		/* of all nodes */
	uint32_t group_count;
};

/*
 * The groups of each node, ascending: of the functions that a trace enters
 * first, of the first 2, 4, 8 and so on, up to all of them.  Groups of one
 * function, or of more than half of all, tell nothing and are left out.
 * entered is the guids of all traces.  False if out of memory, or if there are
 * more groups than 32 bits can number.
 */
bool order_graph_build(struct order_graph *, const struct symtab *nodes,
    const uint64_t *entered, const struct order_trace *traces,
    size_t trace_count);
void order_graph_free(struct order_graph *);

#endif
