/*
 * sym/dwarf/walk.h - the entries of a DWARF unit, one after the other
 *
 * Reads each byte of a unit once.  dwarf_child and dwarf_siblingof of libdw
 * read the children of an entry again for each entry above it, and on some
 * damaged files they do not end.
 */
#ifndef SYM_DWARF_WALK_H
#define SYM_DWARF_WALK_H


#include "prof.h"
#include "sym/dwarf/libdw.h"

struct walk {
	Dwarf_Die die;			/* the entry at hand */
	size_t depth;			/* of die; the unit's own is 0 */
	int tag;			/* of die, DW_TAG_... */
	bool begun, has_children;
	uint8_t address_size, offset_size;
	uint16_t version;
	const uint8_t *end;		/* of the unit */
	uint64_t attributes_left;	/* that may still be read */
};

/*
 * Begins a unit, whose own entry is the first that die_walk_next gives.
 * PROF_E_CORRUPT if its header is damaged.
 */
enum prof_status die_walk_begin(struct walk *, Dwarf_Die *unit,
    struct prof_error *);

/*
 * Moves to the next entry, parents before children; PROF_END after the last.
 * PROF_FAIL if the entry is damaged: the rest of the unit cannot be read.
 */
enum prof_status die_walk_next(struct walk *, struct prof_error *);

#endif
