#include "model/frontend_hash.h"

/* Codes as in CodeGenPGO.cpp, PGOHash::HashType. */
enum {
	CODE_BITS = 6, CODES = 10,
	CODE_AND = 14, CODE_OR = 15,	/* operators */
	CODE_LAST_3_5 = 16, CODE_LAST = 32
};

/*
 * Whether a node with that code has the same code and counters by both rules:
 * from LLVM 12 on the operators have a counter more.
 */
static bool
code_is_shared(unsigned code, enum hash_rule own, enum hash_rule other)
{
	if (code == CODE_AND || code == CODE_OR)
		return (own < HASH_RULE_12) == (other < HASH_RULE_12);
	return code != 0 &&
	    code <= (other == HASH_RULE_3_5 ? CODE_LAST_3_5 : CODE_LAST);
}

bool
frontend_hash_survives(uint64_t hash, enum hash_rule own, enum hash_rule other)
{
	const unsigned mask = (1U << CODE_BITS) - 1;

	if (own == other)
		return true;
	if (own == HASH_RULE_3_5 || hash >> (CODE_BITS * CODES) != 0)
		return false;
	for (; hash != 0; hash >>= CODE_BITS) {
		if (!code_is_shared((unsigned)hash & mask, own, other))
			return false;
	}
	return true;
}
