/*
 * format/indexed/run.h - functions in a row as a block without layout
 *
 * Of a program that was not seen before, functions are returned in blocks too:
 * many at a time take less time than one by one, and the names of their targets
 * are not looked up unless somebody asks for them.
 */
#ifndef FORMAT_INDEXED_RUN_H
#define FORMAT_INDEXED_RUN_H

#include "format/indexed/walk.h"
#include "format/program.h"

/* The functions of the last block, without counts and values. */
struct indexed_run {
	struct prof_function *functions;
	size_t size;
	struct prof_block_values *values;
	size_t values_size;
	uint64_t *counts;
	size_t counts_size;
	uint64_t any_bits, repeated_names;	/* as in struct prof_block */
};

/*
 * The functions at the position as a block, whose member `reader` the caller
 * sets.  False, and the position is as before, if there is none, or if the next
 * function is damaged or cannot be in a block: it is then to be read by itself.
 */
bool indexed_run_next(struct indexed_run *, struct indexed_walk *,
    struct arena *, struct prof_block *);

#endif
