#include "format/indexed/header.h"

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
	const struct indexed_row *rule = row;

	/* llvm-profdata labels older hashes with its own version. */
	if (row->masked_hashes && facts->any_hash_flags)
		rule = indexed_row(row->version - 1u);
	h->frontend_first = rule->frontend_first;
	h->frontend_last = rule->frontend_last;
	if (facts->any_bitmap) {
		h->frontend_first = larger(h->frontend_first,
		    row->bitmap_first);
		h->frontend_last = smaller(h->frontend_last,
		    row->bitmap_last);
	}
}
