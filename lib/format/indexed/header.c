#include "format/indexed/header.h"

#include "model/releases.h"
#include "model/variants.h"

uint64_t
indexed_unknown_bits(const struct indexed_image *im)
{
	uint64_t known = UINT32_MAX | VARIANT_IR | variants_from_flags(~0u);

	if (!indexed_has(im, INDEXED_TRACES))
		known &= ~VARIANT_TEMPORAL;
	if (indexed_has(im, INDEXED_MEMPROF))
		known |= VARIANT_MEMPROF;
	return im->version_word & ~known;
}

enum prof_level
indexed_level(const struct indexed_image *im)
{
	if (im->version_word & VARIANT_IR)
		return PROF_LEVEL_IR;
	return im->table.entries != 0 ? PROF_LEVEL_FRONTEND :
	    PROF_LEVEL_UNKNOWN;
}

static unsigned
larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned
smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

void
indexed_set_frontend(const struct indexed_row *row,
    const struct indexed_facts *facts, struct prof_header *h)
{
	enum hash_rule rule = llvm_hash_rule(row->version);
	struct version_range hashes, bitmaps;

	/*
	 * llvm-profdata writes hashes that it read from older files with its
	 * own version: flag bits show that they are of the rule before.
	 */
	if (rule == HASH_RULE_MASKED && facts->any_hash_flags)
		rule = HASH_RULE_MASKED - 1;
	hashes = llvm_hash_versions(rule);
	if (facts->any_bitmap) {
		bitmaps = llvm_bitmap_versions(llvm_bitmap_rule(row->version));
		hashes.first = larger(hashes.first, bitmaps.first);
		hashes.last = smaller(hashes.last, bitmaps.last);
	}
	h->frontend_first = hashes.first;
	h->frontend_last = hashes.last;
}
