/*
 * model/record_names.h - the names that a record has by reference
 *
 * A reference takes a few bytes of an input, and the name that a reader puts in
 * its place may be long, as often as there are references.
 */
#ifndef MODEL_RECORD_NAMES_H
#define MODEL_RECORD_NAMES_H

#include "prof/record.h"

/*
 * Bytes of the names of value targets, vtables, traces and data accesses, and
 * of names and of files of frames as far as those of a call stack are longer
 * than RECORD_FRAME_NAME on average.  Contexts of a heap profile share most of
 * their frames, so that the names of sound ones add up to hundreds of times the
 * bytes of the file: up to that average they do not count, and those of longer
 * ones may still have 250 times the bytes of the file.  A function's own name
 * does not count.  Of a block, names of functions count that are the one before
 * again, and those of targets do not.
 */
enum { RECORD_FRAME_NAME = 256 };

uint64_t record_names_size(const struct prof_record *);

/* Bytes of the names of value targets. */
uint64_t record_names_of_targets(const struct prof_function *);

/* Whether that may be more than 0; false for most functions. */
static inline bool
record_may_have_names(const struct prof_record *r)
{
	const struct prof_sites *sites = r->u.function.values;

	return r->kind != PROF_REC_FUNCTION ||
	    sites[PROF_INDIRECT_CALL_TARGET].size != 0 ||
	    sites[PROF_VTABLE_TARGET].size != 0;
}

#endif
