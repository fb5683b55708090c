/*
 * frames.h - an address of a module to frames of the source, as LLVM's
 * symbolizer makes them of DWARF (DWARFContext::getInliningInfoForAddress)
 */
#ifndef SYM_DWARF_FRAMES_H
#define SYM_DWARF_FRAMES_H

#include "prof.h"

struct arena;
struct Dwarf;
struct frames;

/* The debug information is lent.  NULL if out of memory. */
struct frames *frames_new(struct Dwarf *, struct prof_error *);

/*
 * The frames of an address, innermost first, in the arena; their text is that
 * of the debug information.  *count is 0 if no function with a name is there.
 * PROF_FAIL only if memory is short.
 */
enum prof_status frames_find(struct frames *, uint64_t address, struct arena *,
    const struct prof_frame **, size_t *count, struct prof_error *);

/* What was wrong with it so far; code is PROF_E_NONE if nothing was. */
const struct prof_error *frames_damage(const struct frames *);

/* Units whose functions are in another file (.dwo) that is not there. */
size_t frames_split_missing(const struct frames *);

void frames_free(struct frames *);	/* NULL is fine */

#endif
