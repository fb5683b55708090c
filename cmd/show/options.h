/* cmd/show/options.h - the options of prof-show */
#ifndef CMD_SHOW_OPTIONS_H
#define CMD_SHOW_OPTIONS_H

#include "cmd/common/cli.h"
#include "cmd/show/heap.h"
#include "cmd/show/selection.h"
#include "cmd/show/show.h"
#include "ops/filter.h"
#include "ops/heap/names.h"
#include "ops/top.h"

/* All zero, but for the filters, before cli_parse. */
struct show_options {
	bool functions, json, heap, binary_ids;
	struct show_style style;
	struct show_heap_style heap_style;
	struct show_selection wanted;
	struct filter *patterns;	/* functions beside the wanted ones */
	struct filter *floor;		/* --min-count */
	uint64_t min_count;
	bool has_patterns, has_floor;

	struct heap_names names;	/* --names-from */
	bool has_names;

	const char *sort;		/* the word of --sort, or NULL */
	enum top_order order;		/* of functions, if `sorted` */
	bool sorted;			/* they are printed at the end */
	size_t top;			/* --top; 0: not given */
	size_t limit;			/* --limit; SIZE_MAX: not given */
	size_t depth;			/* --depth; 0: not given */
	double min_share;		/* percent; below 0: not given */
};

extern const struct cli_option show_option_rows[];

/* Exits if options do not go together; decides what depends on several. */
void show_settle_options(const struct cli *, struct show_options *);

#endif
