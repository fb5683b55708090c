/*
 * sym/dwarf/code.h - where a module has code
 *
 * Debug information also describes functions that the linker discarded, or
 * folded into identical ones: these begin at 0, 1 or -1, and their other
 * addresses, which count from there, may be those of code that was kept.
 */
#ifndef SYM_DWARF_CODE_H
#define SYM_DWARF_CODE_H

#include "base/intervals.h"
#include "prof.h"
#include "sym/dwarf/libdw.h"

/* Lists the sections with code.  *code is all zero before. */
enum prof_status code_read(struct intervals *code, Dwarf *,
    struct prof_error *);

/* Whether a section has code there; true if no section has any. */
static inline bool
code_is_at(const struct intervals *code, uint64_t address)
{
	return code->size == 0 || intervals_find(code, address) != NULL;
}

#endif
