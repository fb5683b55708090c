/* cmd/profdata/show.h - the parts of what llvm-profdata show prints */
#ifndef CMD_PROFDATA_SHOW_H
#define CMD_PROFDATA_SHOW_H

#include "base/arena.h"
#include "model/summary.h"
#include "cmd/profdata/profdata.h"

/* The sites of one value kind, counted by how many values they have. */
struct profdata_sites {
	uint64_t sites, with_values, values;
	uint64_t *histogram;		/* [n]: sites of n + 1 values */
	size_t size;
};

struct profdata_hot {
	struct prof_span name;
	uint64_t max;
};

struct profdata_show_state {
	struct profdata *p;
	struct profdata_out *out;
	struct prof_header header;	/* of the first profile */
	bool any;			/* a profile was read */
	struct summary summary;
	uint64_t shown;			/* functions */
	uint64_t below;			/* functions below --value-cutoff */
	struct profdata_sites sites[PROF_VALUE_KINDS];
	struct arena arena;		/* names */
	struct profdata_hot *hot;	/* in the order of the file */
	size_t hot_size, hot_room;
	struct buf ids, traces;		/* text to be printed at the end */
	uint64_t trace_count, traces_seen;
	bool has_traces_seen;
};

/* The lines of one function. */
void profdata_show_function(struct profdata_show_state *,
    const struct prof_function *);
void profdata_show_head(struct profdata_show_state *,
    const struct prof_function *);
void profdata_show_text(struct profdata_show_state *,
    const struct prof_function *);

/* Notes a function for --topn and --hot-func-list, which print them. */
void profdata_hot_add(struct profdata_show_state *,
    const struct prof_function *, uint64_t max);
void profdata_show_top(struct profdata_show_state *);
void profdata_show_hot(struct profdata_show_state *);

/* The lines behind the functions. */
void profdata_show_statistics(struct profdata_show_state *);
void profdata_show_summary(struct profdata_show_state *);
void profdata_show_detailed(struct profdata_show_state *);

/* show --memory */
int profdata_show_memory(struct profdata *);

/* show --debug-info */
int profdata_show_correlation(struct profdata *);

/* cmd/profdata/probes.c: the same with --show-format=yaml. */
int profdata_show_probes(struct profdata *);

#endif
