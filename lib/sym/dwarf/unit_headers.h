/*
 * sym/dwarf/unit_headers.h - a bound for what libdw makes of units
 *
 * For each unit libdw has a structure, and a table of the abbreviations that
 * its entries use, also if units share one.  A small file could have very many
 * units of few bytes, or units that share a large table.
 */
#ifndef SYM_DWARF_UNIT_HEADERS_H
#define SYM_DWARF_UNIT_HEADERS_H

#include "prof.h"
#include "sym/dwarf/libdw.h"

/*
 * Reads the headers of all units of .debug_info and .debug_types, which are not
 * compressed.  PROF_E_LIMIT, with a reason that begins with the path, if there
 * are more units, or more abbreviations in all units, than sound files have for
 * their size.  Damage is left to libdw.
 */
enum prof_status unit_headers_check(Elf *, const char *path,
    struct prof_error *);

#endif
