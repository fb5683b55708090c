/*
 * format/indexed/map_order.h - orders in which LLVM's hash maps list their keys
 *
 * LLVM writes records in these orders, so the same bytes need the same orders.
 * Readers accept any order.
 */
#ifndef FORMAT_INDEXED_MAP_ORDER_H
#define FORMAT_INDEXED_MAP_ORDER_H

#include "base/arena.h"

/*
 * Each takes the hashes of n keys in the order of their insertion and fills
 * order[0 .. n-1] with the indices of the keys as the map lists them.  False if
 * out of memory.  Working memory stays in the arena.
 */

/* llvm/ADT/StringMap.h and llvm/lib/Support/StringMap.cpp, LLVM 3.5 to 16. */
bool string_map_order(struct arena *, const uint32_t *hashes, size_t n,
    uint32_t *order);

/* llvm/ADT/DenseMap.h, a SmallDenseMap of 4, LLVM 3.6 to 22. */
bool dense_map_order(struct arena *, const uint32_t *hashes, size_t n,
    uint32_t *order);

/* Hash of a string map's key, until LLVM 16: djbHash with seed 0. */
uint32_t string_map_hash(struct prof_span name);

/*
 * Hashes of a dense map's key (DenseMapInfo.h): the first was checked with
 * releases up to LLVM 16, the second with LLVM 19 to 22.
 */
uint32_t dense_map_hash_times_37(uint64_t key);
uint32_t dense_map_hash_mixed(uint64_t key);

#endif
