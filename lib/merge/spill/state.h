/* merge/spill/state.h - what the files of a spill share */
#ifndef MERGE_SPILL_STATE_H
#define MERGE_SPILL_STATE_H

#include "merge/core/core.h"
#include "merge/spill/runs.h"

struct merge_spill {
	const struct merge_files *files;
	size_t limit;			/* bytes */
	bool any;			/* something was spilled */
	struct merge_runs functions;
	struct merge_run *traces;	/* in the order they came, or NULL */
	struct merge *nameless;		/* sum of functions without name */
	struct merge *less;		/* to be subtracted, or NULL */
	/* Guids without name in one run, whose names may be in another. */
	struct symtab wanted;
	size_t unnamed;			/* of these, that have no name yet */
	struct arena arena;		/* of their names */
};

/*
 * merge/spill/names.c: searches all runs for the names that are wanted, also
 * for those of nameless functions.
 */
enum prof_status merge_spill_names(struct merge *, struct prof_error *);

#endif
