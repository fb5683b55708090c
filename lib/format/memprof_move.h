/*
 * memprof_move.h - the heap profile (MemProf) of an indexed file, moved
 *
 * It is a section with tables of its own.  Offsets in it count from the
 * beginning of the file, so that it cannot be copied to another place as it is.
 * What is not an offset stays as it is, and is not looked at
 * (IndexedMemProfData.cpp; section versions 0: LLVM 15, 1 to 3: 19, 4: 21).
 */
#ifndef FORMAT_MEMPROF_MOVE_H
#define FORMAT_MEMPROF_MOVE_H

#include "base/bytes.h"

/* What its readers have to know. */
struct memprof_needs {
	unsigned version;
	unsigned field;		/* largest of its schema (MIBEntryDef.inc) */
};

/* PROF_E_VERSION if the section's version is none that is known. */
enum prof_status memprof_look(const struct prof_heap *,
    struct memprof_needs *, struct prof_error *);

/*
 * Appends the section to out as it has to be at the offset `to` of a file.
 * PROF_E_CORRUPT if one of its offsets leads elsewhere.
 */
enum prof_status memprof_move(const struct prof_heap *, uint64_t to,
    struct buf *out, struct prof_error *);

#endif
