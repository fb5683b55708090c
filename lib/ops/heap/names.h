/*
 * ops/heap/names.h - names for functions that a heap profile has guids of only
 *
 * Indexed heap profiles name no function: a frame has the guid of its linkage
 * name (model/memprof_guid.h), which any profile of the program may tell.
 */
#ifndef OPS_HEAP_NAMES_H
#define OPS_HEAP_NAMES_H

#include "base/arena.h"
#include "model/heap_contexts.h"
#include "model/symtab.h"

/* All zero: no names. */
struct heap_names {
	struct symtab table;
	struct arena arena;
};

/*
 * Adds a linkage name, which is copied; of a local function of an IR profile,
 * "file;name", the part behind the file.  False if out of memory.
 */
bool heap_names_add(struct heap_names *, struct prof_span name);

/* Adds the names of functions in a record.  False if out of memory. */
bool heap_names_add_record(struct heap_names *, const struct prof_record *);

/*
 * The name of a frame's function, if the frame has a guid only and the name is
 * there; else a span with data NULL.
 */
struct prof_span heap_names_find(const struct heap_names *,
    const struct prof_frame *);

void heap_names_free(struct heap_names *);

#endif
