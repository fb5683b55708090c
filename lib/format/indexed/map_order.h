/*
 * format/indexed/map_order.h - the orders in which LLVM's hash maps give back their keys
 *
 * The bytes of an indexed profile follow them; readers do not care.
 */
#ifndef FORMAT_INDEXED_ORDER_H
#define FORMAT_INDEXED_ORDER_H

#include "base/arena.h"

/*
 * Each fills order[0 .. n-1] with indices into hashes, given in the order of
 * insertion.  False if out of memory; the arena holds what is needed meanwhile.
 */

/* llvm/ADT/StringMap.h and llvm/lib/Support/StringMap.cpp, LLVM 3.4 to 16. */
bool string_map_order(struct arena *, const uint32_t *hashes, size_t n,
    uint32_t *order);

/* llvm/ADT/DenseMap.h, a SmallDenseMap of 4, LLVM 3.6 to 22. */
bool dense_map_order(struct arena *, const uint32_t *hashes, size_t n,
    uint32_t *order);

/* Hash of a string map's key: djbHash with seed 0, until LLVM 16. */
uint32_t string_map_hash(struct prof_span name);

/* Hash of a dense map's key (DenseMapInfo.h): until LLVM 16, since LLVM 19. */
uint32_t dense_map_hash_times_37(uint64_t key);
uint32_t dense_map_hash_mixed(uint64_t key);

#endif
