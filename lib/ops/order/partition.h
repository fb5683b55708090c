/*
 * partition.h - balanced partitioning: what is used together comes together
 *
 * Nodes are in groups, and an order is wanted in which the nodes of a group are
 * near each other.  The nodes are cut in two halves and pairs of them change
 * sides as long as that makes the groups more one-sided; then each half is cut
 * in the same way.  Dhulipala and others, "Compressing Graphs and Indexes with
 * Recursive Graph Bisection", 2016; Hoag and others, "Optimizing Function
 * Layout for Mobile Applications", 2022.
 *
 * The order is that of LLVM, to the node
 * (llvm/lib/Support/BalancedPartitioning.cpp, built with libstdc++): figures
 * are single precision and rounded where they are rounded there, ties are in
 * the order that its algorithms leave them in, and nodes stay where they are at
 * times by the same random numbers.
 */
#ifndef OPS_ORDER_PARTITION_H
#define OPS_ORDER_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How nodes are cut in halves, in the order in which they came. */
enum partition_rule {
	PARTITION_SORT,			/* LLVM 22 */
	PARTITION_SELECT,		/* LLVM 19: unsorted in each half */
};

struct partition_node {
	uint32_t *groups;		/* each once; spoiled in the course */
	uint32_t size;
};

/*
 * The nodes in their new order, as indices.  Groups are numbered from 0 and
 * below group_count.  False if out of memory.
 */
bool partition(enum partition_rule, struct partition_node *nodes,
    uint32_t count, uint32_t group_count, uint32_t *order);

#endif
