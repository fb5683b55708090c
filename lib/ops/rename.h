/*
 * rename.h - other names in all places of a record
 *
 * Functions, vtables, targets of values and traces refer to each other by name
 * or by its guid, so that all of them change or none.
 */
#ifndef OPS_RENAME_H
#define OPS_RENAME_H

#include "base/arena.h"
#include "prof.h"

/*
 * Changes a name and its guid, or leaves them as they are; the name may be
 * unknown.  New bytes come from the arena.  False if out of memory.
 */
typedef bool rename_name(void *arg, struct arena *, struct prof_span *name,
    uint64_t *guid);

/* One that leaves the guid only; its argument is not used. */
rename_name rename_to_guid;

/*
 * The record with all of its names changed.  *out points into *in and into the
 * arena.
 */
enum prof_status rename_record(const struct prof_record *in,
    struct prof_record *out, struct arena *, rename_name *, void *arg,
    struct prof_error *);

/*
 * A record of heap data without the names of functions and files: frames and
 * functions keep the guids that compilers look for.  *out points into *in and
 * into the arena.  Symbols of data have no guid and stay.
 */
enum prof_status rename_heap_to_guids(const struct prof_record *in,
    struct prof_record *out, struct arena *, struct prof_error *);

#endif
