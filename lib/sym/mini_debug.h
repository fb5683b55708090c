/*
 * sym/mini_debug.h - the symbols that distributions leave in stripped binaries
 *
 * The section .gnu_debugdata is an ELF file, compressed as xz, with a symbol
 * table of the functions that .dynsym does not have (GDB, "MiniDebugInfo").
 */
#ifndef SYM_MINI_DEBUG_H
#define SYM_MINI_DEBUG_H

#include "prof.h"

struct buf;

/*
 * Appends the decompressed section.  PROF_E_LIMIT if it is larger than 16 MiB
 * and 50 times the section: symbols and their names take a fifth to a tenth of
 * their size when compressed.
 */
enum prof_status mini_debug_read(struct prof_span section, struct buf *,
    struct prof_error *);

#endif
