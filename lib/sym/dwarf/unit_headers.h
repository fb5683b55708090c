/*
 * sym/dwarf/unit_headers.h - a bound for what libdw makes of units
 *
 * For each unit libdw has a structure, and a table of the abbreviations that
 * its entries use, also if units share one.  A small file could have very many
 * units of few bytes, or units that share a large table.  Another file that it
 * names may be opened for each of its units, and has such units, too.
 */
#ifndef SYM_DWARF_UNIT_HEADERS_H
#define SYM_DWARF_UNIT_HEADERS_H

#include "prof.h"
#include "sym/dwarf/libdw.h"

/* Of a binary and the files that it names; all zero at first. */
struct unit_totals {
	uint64_t units, units_max;
	uint64_t cost, cost_max;	/* of abbreviations */
};

/* Raises the limits by the size of a file; by less for one opened before. */
void unit_headers_allow(Elf *, bool again, struct unit_totals *);

/*
 * Reads the headers of all units of .debug_info and .debug_types, under all
 * names that libdw takes for these, which are not compressed.  PROF_E_LIMIT,
 * with a reason that begins with the path, if there are more units, or more
 * abbreviations in all units, than sound files have for their size.  Damage is
 * left to libdw.
 */
enum prof_status unit_headers_check(Elf *, const char *path,
    struct unit_totals *, struct prof_error *);

#endif
