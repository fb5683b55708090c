/*
 * ops/rename.h - changes names in all members of a record
 *
 * Functions, vtables, value targets and traces refer to each other by name or
 * by the guid of the name.  A change has to reach all of them.
 */
#ifndef OPS_RENAME_H
#define OPS_RENAME_H

#include "base/arena.h"
#include "prof.h"

/*
 * Changes a name and its guid, or leaves both.  name->data is NULL if only the
 * guid is known.  New bytes come from the arena.  False if out of memory.
 */
typedef bool rename_name(void *arg, struct arena *, struct prof_span *name,
    uint64_t *guid);

/* A rename_name that removes the name and sets the guid; arg is not used. */
rename_name rename_to_guid;

/* How names are changed. */
struct rename {
	rename_name *name;
	void *arg;			/* its argument */
	struct arena *arena;		/* for new bytes and arrays */
};

/*
 * Gives the record with all of its names changed.  *out points into *in and
 * into the arena.  PROF_FAIL only if out of memory.
 */
enum prof_status rename_record(const struct prof_record *in,
    struct prof_record *out, const struct rename *, struct prof_error *);

/*
 * Gives a record of a heap profile without names of functions and files: frames
 * and functions have memprof_guid of their names instead, which is the guid
 * that compilers look for.  Data symbols have no guid and stay.  *out points
 * into *in and into the arena.
 */
enum prof_status rename_heap_to_guids(const struct prof_record *in,
    struct prof_record *out, struct arena *, struct prof_error *);

#endif
