/* merge/spill/engine.h - what merge_spill*.c share */
#ifndef MERGE_SPILL_ENGINE_H
#define MERGE_SPILL_ENGINE_H

#include "merge/engine.h"
#include "merge/spill/runs.h"

struct merge_spill {
	const struct merge_files *files;
	size_t limit;			/* bytes */
	bool any;			/* something was spilled */
	struct merge_runs functions;
	struct merge_run *traces;	/* as they came, or NULL */
	struct merge *nameless;		/* functions known by their guids */
	struct merge *less;		/* to be subtracted, or NULL; lent */
	/* Guids without name in one run; a name may be in another. */
	struct symtab wanted;
	size_t unknown;			/* those that have none yet */
	struct arena arena;		/* of their names */
};

/* merge/spill/names.c: finds the names that are wanted in all that is there. */
enum prof_status merge_spill_names(struct merge *, struct prof_error *);

#endif
