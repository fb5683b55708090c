/* cmd/profdata/merge_run.h - a merge that is going on, and what it takes of inputs */
#ifndef CMD_PROFDATA_MERGE_RUN_H
#define CMD_PROFDATA_MERGE_RUN_H

#include "model/symtab.h"
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
	struct profdata_conflicts conflicts;
	struct list_pool checked_blocks;		/* blocks whose functions all fit */
	struct duplicate_sizes duplicate_sizes;
	bool hint_printed;
	struct trace_reservoir traces;
	bool temporal, any;
	bool text_drops_heap, has_data;
	uint64_t weight;		/* of the input */
	uint64_t excess;		/* its first counter too large */
	struct prof_header header;	/* of the profile being read */
	uint64_t profile_traces;
	uint64_t bad;
};

/* Takes a record of an input: the run is the argument. */
profdata_record profdata_merge_record;

/* Looks through an input without taking anything of it. */
struct profdata_precheck {
	struct profdata_merge_run *run;
	struct prof_header header;
	bool functions;
};

profdata_record profdata_precheck_record;		/* its argument is such */

#endif
