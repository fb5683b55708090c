/*
 * sym/elf_names.h - names of functions that an ELF file may have
 *
 * For names that are looked up by their guid: no address is needed, and a name
 * that is no function's is no harm.  So neither libelf nor libdw is, which a
 * program that shows small profiles would load at each start.
 */
#ifndef SYM_ELF_NAMES_H
#define SYM_ELF_NAMES_H

#include "prof.h"

/* Called with a name, borrowed from the file.  False ends the visit. */
typedef bool elf_name_visit(void *arg, struct prof_span name);

/*
 * Visits names of functions in symbol tables, and each string of .debug_str,
 * which has the names of inlined functions.  A compressed .debug_str is passed
 * over.  The file is of either class and byte order.  PROF_END if a call
 * returned false.
 */
enum prof_status elf_names_visit(struct prof_span file, elf_name_visit *,
    void *arg, struct prof_error *);

/*
 * The same for a path.  PROF_END if the file is no ELF file, or no regular one:
 * nothing was read then.  A call that returns false means: memory is out.
 */
enum prof_status elf_names_of_file(const char *path, elf_name_visit *,
    void *arg, struct prof_error *);

#endif
