/*
 * sym/dwarf/frames.h - from an address of a module to frames of the source
 *
 * The frames are those of llvm-symbolizer and llvm-profdata
 * (DWARFContext.cpp, getInliningInfoForAddress, with linkage names and absolute
 * paths), except that functions which the linker discarded never hide others.
 */
#ifndef SYM_DWARF_FRAMES_H
#define SYM_DWARF_FRAMES_H

#include "prof.h"

struct arena;
struct Dwarf;
struct frames;

/* The debug information is borrowed.  NULL if out of memory. */
struct frames *frames_new(struct Dwarf *, struct prof_error *);

/* The frames of an address, innermost first. */
struct frame_list {
	const struct prof_frame *frames;
	size_t count;			/* 0: it is in no function */
	bool known;	/* false: debug information is missing or damaged */
};

/*
 * Gives the frames of an address, in the arena; names and paths point into the
 * debug information or are owned by struct frames.  The count is 0 if no
 * function with a name is there.  PROF_FAIL only if out of memory.
 */
enum prof_status frames_find(struct frames *, uint64_t address, struct arena *,
    struct frame_list *, struct prof_error *);

/* The first damage found so far; its code is PROF_E_NONE if there is none. */
const struct prof_error *frames_damage(const struct frames *);

/* Number of units whose functions are in a .dwo file that is missing. */
size_t frames_split_missing(const struct frames *);

void frames_free(struct frames *);	/* NULL is fine */

#endif
