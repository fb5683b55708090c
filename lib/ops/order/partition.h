/*
 * ops/order/partition.h - balanced partitioning of nodes that share groups
 *
 * Finds an order in which the nodes of a group are near each other.  The nodes
 * are split into two halves, and pairs of them change sides as long as that
 * makes the groups more one-sided; then each half is split in the same way.
 * Dhulipala and others, "Compressing Graphs and Indexes with
 * Recursive Graph Bisection", 2016; Hoag and others, "Optimizing Function
 * Layout for Mobile Applications", 2022.
 *
 * The order is the same, to the node, as that of
 * llvm/lib/Support/BalancedPartitioning.cpp, LLVM 20 to 22, built with
 * libstdc++: numbers are of single precision and rounded at the same places,
 * ties have the order in which libstdc++'s algorithms leave them, and the same
 * random numbers keep nodes from moving.
 */
#ifndef OPS_ORDER_PARTITION_H
#define OPS_ORDER_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct partition_node {
	uint32_t *groups;		/* each once; overwritten */
	uint32_t size;
};

/*
 * Writes the indices of the nodes in their new order.  Groups are numbers from
 * 0 to group_count - 1.  The number of threads (0: 1) does not change the
 * order.  Returns false if out of memory.
 */
bool partition(unsigned threads, struct partition_node *nodes, uint32_t count,
    uint32_t group_count, uint32_t *order);

#endif
