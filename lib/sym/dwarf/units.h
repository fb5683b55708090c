/*
 * units.h - the functions of a module by address: compilation units of DWARF
 *
 * Units are listed at once; the functions of one are read when an address of it
 * is asked for.
 */
#ifndef SYM_DWARF_UNITS_H
#define SYM_DWARF_UNITS_H

#include <elfutils/libdw.h>

#include "prof.h"
#include "sym/dwarf/intervals.h"

#define NO_FUNCTION UINT32_MAX

/* A function, or one inlined in the one that is its parent. */
struct function {
	Dwarf_Die die;
	uint32_t parent;		/* index, or NO_FUNCTION */
	bool inlined;
};

struct unit {
	Dwarf_Die die;			/* has the line table */
	Dwarf_Die tree;			/* has the functions: die or split */
	uint16_t version;		/* of DWARF */
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
	uint64_t budget;		/* of ranges */
	/*
	 * The first thing that was wrong: what was read before it is good, what
	 * comes after is not known.
	 */
	struct prof_error damage;
	size_t split_missing;		/* units whose .dwo is not there */
};

/* All zero at first.  PROF_FAIL only if memory is short. */
enum prof_status units_read(struct units *, Dwarf *, struct prof_error *);

/*
 * The innermost function at that address, index in *unit; NO_FUNCTION if there
 * is none.  PROF_FAIL only if memory is short.
 */
enum prof_status units_find(struct units *, uint64_t address,
    struct unit **unit, uint32_t *function, struct prof_error *);

void units_free(struct units *);

#endif
