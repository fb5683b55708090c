/* cmd/profdata/merge_run.h - the state of llvm-profdata merge */
#ifndef CMD_PROFDATA_MERGE_RUN_H
#define CMD_PROFDATA_MERGE_RUN_H

#include "model/symtab.h"
#include "base/intern.h"
#include "base/list_pool.h"
#include "ops/filter.h"
#include "merge/merge.h"
#include "cmd/profdata/inputs.h"
#include "cmd/profdata/remap.h"
#include "cmd/profdata/conflicts.h"
#include "cmd/profdata/resolver.h"
#include "cmd/profdata/traces.h"
#include "cmd/profdata/duplicate_sizes.h"

struct profdata_merge_run {
	struct profdata *p;
	struct profdata_inputs inputs;
	struct profdata_resolver *resolver;
	struct merge *sum;
	struct filter *filter;		/* or NULL */
	struct profdata_remap *remap;	/* or NULL */
	struct symtab names, dropped;	/* guids only */
	struct intern held_ids;		/* of the image being read */
	struct profdata_conflicts conflicts;
	struct list_pool checked_blocks;	/* without conflicts */
	struct duplicate_sizes duplicate_sizes;
	bool hint_printed[CONFLICTS];	/* that builds differ */
	struct trace_reservoir traces;
	bool temporal;			/* a profile has traces */
	bool any;			/* a profile was read */
	bool text_drops_heap;		/* heap records were left out */
	bool has_data;			/* a profile has data accesses */
	uint64_t weight;		/* of the input */
	uint64_t excess;		/* first counter above the maximum */
	struct prof_header header;	/* of the profile being read */
	uint64_t profile_traces;
	uint64_t read, bad;		/* inputs */
};

/* Adds a record of an input to the sum; the argument is the run. */
profdata_record profdata_merge_record;

/* Looks through an input before any of it is added to the sum. */
struct profdata_precheck {
	struct profdata_merge_run *run;
	struct prof_header header;
	bool functions;
};

profdata_record profdata_precheck_record; /* argument: profdata_precheck */

#endif
