#include "model/variants.h"

static const struct {
	unsigned flag;
	uint64_t bit;
} pairs[] = {
	{ PROF_CONTEXT_SENSITIVE, VARIANT_CONTEXT_SENSITIVE },
	{ PROF_ENTRY_FIRST, VARIANT_ENTRY_FIRST },
	{ PROF_LOOP_ENTRIES, VARIANT_LOOP_ENTRIES },
	{ PROF_BYTE_COVERAGE, VARIANT_BYTE_COVERAGE },
	{ PROF_FUNCTION_ENTRY_ONLY, VARIANT_FUNCTION_ENTRY_ONLY },
	{ PROF_TEMPORAL, VARIANT_TEMPORAL },
	{ PROF_DEBUG_INFO_CORRELATED, VARIANT_DEBUG_INFO_CORRELATED },
};

unsigned
variants_to_flags(uint64_t version_word)
{
	unsigned flags = 0;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (version_word & pairs[i].bit)
			flags |= pairs[i].flag;
	}
	return flags;
}

uint64_t
variants_from_flags(unsigned flags)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (flags & pairs[i].flag)
			bits |= pairs[i].bit;
	}
	return bits;
}
