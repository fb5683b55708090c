/* merge/heap/order.h - ids that do not depend on what came when */
#ifndef MERGE_HEAP_ORDER_H
#define MERGE_HEAP_ORDER_H

#include "merge/heap/engine.h"

/*
 * Numbers of contexts by id and of modules by order.  Both arrays are to be
 * freed.
 */
struct mheap_order {
	uint32_t *contexts, *modules;
};

/*
 * Sets digest, order and id of modules, frames and contexts.  PROF_E_LIMIT if
 * the ids do not suffice.
 */
enum prof_status mheap_set_order(struct merge_heap *, struct mheap_order *,
    struct prof_error *);

/*
 * Ids are hashes, or the next free one behind what comes before in order: *id,
 * not below *last unless it is the first, becomes one, and *last too.  False if
 * there is none left.
 */
bool mheap_next_id(uint64_t *last, bool first, uint64_t *id);

#endif
