/*
 * merge/heap/order.h - canonical order and ids of modules and contexts
 *
 * Both depend on contents only and not on what came when: the id of a context
 * is a digest of its stack, and contexts stand in the order of ids.
 */
#ifndef MERGE_HEAP_ORDER_H
#define MERGE_HEAP_ORDER_H

#include "merge/heap/state.h"

/*
 * The numbers of all contexts by ascending id, and of all modules in their
 * order.  Both arrays are for free().
 */
struct mheap_order {
	uint32_t *contexts, *modules;
};

/*
 * Sets digest, order and id of modules, frames and contexts.  PROF_E_LIMIT if
 * no id is left for a context.
 */
enum prof_status mheap_set_order(struct merge_heap *, struct mheap_order *,
    struct prof_error *);

/*
 * Makes ascending ids unique: *id is the digest of a context, and *last the id
 * of the context before, if there is one.  If *id is not above *last, it
 * becomes *last + 1.  *last becomes *id.  False if no id is left.
 */
bool mheap_next_id(uint64_t *last, bool first, uint64_t *id);

#endif
