/*
 * sym/dwarf/units.h - the functions of a module by address
 *
 * units_read lists the compilation units of .debug_info.  The functions of a
 * unit are read when an address in the unit is first looked up.
 *
 * Functions that the linker discarded are left out.  Where that does not show,
 * in a module with code at 0, their ranges begin there and may cover others.
 * Other ranges are nested.  Therefore, an address belongs to the range that
 * begins last, as in LLVM (DWARFUnit::updateAddressDieMap).
 */
#ifndef SYM_DWARF_UNITS_H
#define SYM_DWARF_UNITS_H

#include "base/intervals.h"
#include "prof.h"
#include "sym/dwarf/libdw.h"
#include "sym/dwarf/range_lists.h"

#define NO_FUNCTION UINT32_MAX

/* A DW_TAG_subprogram, or a DW_TAG_inlined_subroutine in its parent. */
struct function {
	Dwarf_Die die;
	struct function_facts *facts;	/* for frames.c; NULL at first */
	uint32_t parent;		/* index, or NO_FUNCTION */
	bool inlined;
};

struct unit {
	Dwarf_Die die;			/* has the line table */
	Dwarf_Die tree;			/* has the functions: die or its .dwo */
	size_t lines;			/* number of its line table + 1, or 0 */
	bool loaded;
	struct function *functions;
	size_t function_count, function_room;
	struct intervals ranges;	/* rank is index into functions */
};

struct units {
	Dwarf *dwarf;
	struct unit *items;
	size_t size, room;
	struct intervals ranges;	/* rank is UINT32_MAX - index */
	struct intervals code;		/* see code.h */
	struct range_lists lists;	/* of the last entry's file */
	uint64_t budget;		/* entries of lists that may be read */
	uint64_t discarded;		/* ranges without code, so far */
	/*
	 * The first damage that was found.  Functions that were read before are
	 * good; those behind it are missing.
	 */
	struct prof_error damage;
	size_t split_missing;		/* units whose .dwo is missing */
};

/* *units is all zero before.  PROF_FAIL only if out of memory. */
enum prof_status units_read(struct units *, Dwarf *, struct prof_error *);

/*
 * Finds the innermost function at an address, an index into *unit's functions;
 * NO_FUNCTION if there is none.  PROF_FAIL only if out of memory.
 */
enum prof_status units_find(struct units *, uint64_t address,
    struct unit **unit, uint32_t *function, struct prof_error *);

void units_free(struct units *);

#endif
