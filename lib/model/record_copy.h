/* model/record_copy.h - copies of all that a record points to */
#ifndef MODEL_RECORD_COPY_H
#define MODEL_RECORD_COPY_H

#include "base/arena.h"
#include "prof.h"

/*
 * Replaces all that the structure of a record, a member of prof_record.u,
 * points to by copies in the arena.  NULL stays NULL, and an empty array does
 * not become NULL, but a copy of a stack has no frame_numbers.  Kinds without a
 * table of members (model/record_members.h) must not be passed.  False if out
 * of memory.
 */
bool record_copy(struct arena *, enum prof_record_kind, void *structure);

#endif
