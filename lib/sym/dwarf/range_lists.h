/*
 * sym/dwarf/range_lists.h - the length of a list of address ranges
 *
 * dwarf_ranges reads lists, but passes over entries that only set the base of
 * others: a caller does not see how much it reads.
 */
#ifndef SYM_DWARF_RANGE_LISTS_H
#define SYM_DWARF_RANGE_LISTS_H

#include "base/bytes.h"
#include "prof.h"
#include "sym/dwarf/libdw.h"

/* The sections of one file, borrowed from libelf.  All zero has no file. */
struct range_lists {
	Dwarf *dwarf;
	bool big_endian;
	struct prof_span ranges;	/* .debug_ranges, before DWARF 5 */
	struct prof_span rnglists;	/* .debug_rnglists, or with .dwo */
	struct Dwarf_CU *unit;		/* the last one with this base */
	uint64_t base;			/* of its offsets in .debug_rnglists */
};

/*
 * Entries of the list that is the DW_AT_ranges of `die`, up to its end or to
 * damage, with those that only set a base.  0 if there is no such attribute or
 * no section of lists: a .dwo file of DWARF 4 has its lists in another file.
 */
uint64_t range_list_entries(struct range_lists *, Dwarf_Die *die);

/* The same for a list at the cursor; addresses have as many bytes. */
uint64_t range_list_count(struct cursor *, bool rnglists,
    uint8_t address_size);

#endif
