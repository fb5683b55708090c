/*
 * linked_files.h - files that libdw opens by itself, without a bound of memory
 *
 * Debug information names other files: those of its units that were split off
 * (.dwo), and one that files of dwz share (.gnu_debugaltlink).
 */
#ifndef SYM_LINKED_FILES_H
#define SYM_LINKED_FILES_H

#include "base/id_map.h"
#include "sym/dwarf/elf_bounds.h"
#include "sym/dwarf/unit_headers.h"

/* The file that names others. */
struct linked_files {
	Dwarf *dwarf;
	const char *path;
	int fd;
	struct elf_unpacked *unpacked;	/* of the file; others are added */
	struct unit_totals *units;	/* of the file; others are added */
	uint64_t opened;		/* bytes of files so far; 0 at first */
	struct id_map seen;		/* i-nodes; empty before and after */
};

/*
 * Checks the files that are named, where libdw will look for them (elfutils
 * 0.188: libdw_find_split_unit.c, dwarf_getalt.c).  Files that are missing, or
 * are not ELF, pass: libdw does without them.  It opens a .dwo file for each
 * unit that names the file: its bytes, units and abbreviations are counted as
 * often, but the limit of abbreviations grows less for a file that comes again.
 *
 * PROF_E_LIMIT if these are too many for the size of the files, or decompress
 * to more than sections of a file may; PROF_E_FORMAT if one is a pipe or a
 * device, which libdw would wait for; PROF_E_CORRUPT if its sections overlap or
 * cannot be decompressed, or if it names another file.
 */
enum prof_status linked_files_check(struct linked_files *,
    struct prof_error *);

#endif
