/*
 * walk.h - the entries of a DWARF unit, one after the other
 *
 * dwarf_child and dwarf_siblingof of libdw read what is below an entry again
 * for each entry above it, and some damaged files make them read without end.
 * This reads each byte once.
 */
#ifndef SYM_DWARF_WALK_H
#define SYM_DWARF_WALK_H

#include <elfutils/libdw.h>

#include "prof.h"

struct walk {
	Dwarf_Die die;			/* where it is */
	size_t depth;			/* of die; the unit's own is 0 */
	int tag;
	bool begun, has_children;
	uint8_t address_size, offset_size;
	uint16_t version;
	const uint8_t *end;		/* of the unit */
	uint64_t attributes_left;	/* that it may have */
};

/* Begins at the entry of a unit, which is the first that walk_next gives. */
enum prof_status walk_begin(struct walk *, Dwarf_Die *unit,
    struct prof_error *);

/* The next entry, from parent to child; PROF_END after the last. */
enum prof_status walk_next(struct walk *, struct prof_error *);

#endif
