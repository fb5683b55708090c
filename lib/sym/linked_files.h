/*
 * linked_files.h - files that libdw opens by itself, without a bound of memory
 *
 * Debug information names other files: those of its units that were split off
 * (.dwo), and one that files of dwz share (.gnu_debugaltlink).
 */
#ifndef SYM_LINKED_FILES_H
#define SYM_LINKED_FILES_H

#include "sym/elf_unpack.h"

/* The file that names others. */
struct linked_files {
	Dwarf *dwarf;
	const char *path;
	int fd;
	struct prof_span alternate;	/* of .gnu_debugaltlink; may be empty */
	struct elf_unpacked *unpacked;	/* its sections that were compressed */
};

/*
 * Checks the files that are named, where libdw will look for them (elfutils
 * 0.188: libdw_find_split_unit.c, dwarf_getalt.c).  Files that are missing or
 * damaged pass: libdw does without them.  PROF_E_LIMIT if their sections, with
 * those of the file, decompress to more than sections of a file may;
 * PROF_E_FORMAT if one is a pipe or a device, which libdw would wait for.
 */
enum prof_status linked_files_check(const struct linked_files *,
    struct prof_error *);

#endif
