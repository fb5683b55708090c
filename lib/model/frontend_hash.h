/*
 * model/frontend_hash.h - hashes that clang computes of a function's source
 *
 * clang gives each node of the source a code of 6 bits.  Up to 10 codes, packed
 * into a word, are the hash; of more codes the hash is an MD5 digest
 * (CodeGenPGO.cpp, PGOHash).
 */
#ifndef MODEL_FRONTEND_HASH_H
#define MODEL_FRONTEND_HASH_H

#include "model/releases.h"

/*
 * Whether the other rule is certain to give the function the same hash and the
 * same counters.  A digest may stay as it was by chance, and so may a packed
 * hash of HASH_RULE_3_5, if the function has no node that later rules count:
 * false.
 */
bool frontend_hash_survives(uint64_t hash, enum hash_rule own,
    enum hash_rule other);

#endif
