#include "config.h"

#include "cmd/show/options.h"

#include <stdlib.h>
#include <string.h>

enum { SITES = 10, TOP_LIMIT = 1000000 };

/* Of callers, as long as no option says how many. */
#define CALLER_DEPTH 8
#define CALLER_SHARE 1.0

static void
select_name(const struct cli_given *g, const char *name, size_t size,
    bool listed)
{
	struct show_options *o = g->run;

	if (!show_selection_add(&o->wanted, (struct prof_span){
	    (const uint8_t *)name, size }, listed))
		cli_out_of_memory(g->cli);
}

static void
select_listed_name(void *given, const char *line, size_t size)
{
	select_name(given, line, size, true);
}

static void
option_add_function(const struct cli_given *g)
{
	select_name(g, g->argument, strlen(g->argument), false);
}

static void
option_add_list(const struct cli_given *g)
{
	struct show_options *o = g->run;
	struct cli_given given = *g;

	o->wanted.any = true;
	cli_lines(g->cli, g->argument, select_listed_name, &given);
}

static void
option_add_pattern(const struct cli_given *g)
{
	struct show_options *o = g->run;
	struct prof_error err = { 0 };

	o->has_patterns = true;
	if ((g->option->value == 'g' ?
	    filter_glob(o->patterns, FILTER_KEEP, g->argument, &err) :
	    filter_regex(o->patterns, FILTER_KEEP, g->argument, &err)) !=
	    PROF_OK)
		cli_usage_error(g->cli, "%s", err.reason);
}

/* Read before the profiles that are shown. */
static void
option_add_names_file(const struct cli_given *g)
{
	struct show_options *o = g->run;

	o->has_names = true;
	cli_add_input(g->cli, &(struct cli_input){ .path = g->argument,
	    .weight = { 1, 1 }, .names = true });
}

#define FIRST(member) \
	CLI_SETS_NUMBER(struct show_options, member, 1, TOP_LIMIT)

const struct cli_option show_option_rows[] = {
	{ 0, "functions", NULL, "print all functions, one per line",
	    CLI_SETS(struct show_options, functions) },
	{ 0, "function", "NAME",
	    "print the functions of this name; may be repeated",
	    CLI_CALLS(option_add_function) },
	{ 0, "functions-from", "LIST",
	    "print the functions in LIST, one name per line",
	    CLI_CALLS(option_add_list) },
	{ 0, "glob", "PATTERN", "print functions that match a shell pattern",
	    CLI_CALLS(option_add_pattern), .value = 'g' },
	{ 0, "regex", "REGEX", "... or an extended regular expression",
	    CLI_CALLS(option_add_pattern), .value = 'r' },
	{ 0, "min-count", "N",
	    "print only functions with a counter of N or more",
	    CLI_SETS_NUMBER(struct show_options, min_count, 0, UINT64_MAX),
	    CLI_MARKS(struct show_options, has_floor) },
	{ 0, "min-share", "P", "print only those with P% of the total or more",
	    CLI_SETS(struct show_options, min_share) },
	{ 0, "limit", "N", "print only the first N",
	    FIRST(limit) },
	{ 0, "top", "N",
	    "print the N functions or sites with the largest values",
	    FIRST(top) },
	{ 0, "sort", "VALUE",
	    "sort functions by count, share, name or size; sites by\n"
	    "bytes (default), count, lifetime or accesses",
	    CLI_SETS(struct show_options, sort) },
	{ 0, "counts", NULL, "print the counters of functions, too",
	    CLI_SETS(struct show_options, style.counts) },
	{ 0, "values", NULL, "print the value sites of functions, too",
	    CLI_SETS(struct show_options, style.values) },
	{ 0, "cutoffs", NULL,
	    "print how few counters make up how much of the total",
	    CLI_SETS(struct show_options, style.cutoffs) },
	{ 0, "binary-ids", NULL, "print the build ids of the binaries",
	    CLI_SETS(struct show_options, binary_ids) },
	{ 0, "heap", NULL,
	    "print where memory was allocated: the top 10 sites",
	    CLI_SETS(struct show_options, heap) },
	{ 0, "stacks", NULL, "heap: print all call stacks of each site",
	    CLI_SETS(struct show_options, heap_style.stacks) },
	{ 0, "callers", NULL,
	    "heap: print the callers of each site, as a tree",
	    CLI_SETS(struct show_options, heap_style.callers) },
	{ 0, "depth", "N", "callers: print only the nearest N",
	    FIRST(depth) },
	{ 0, "names-from", "FILE",
	    "heap: take names of functions known by their hash\n"
	    "from a profile or a binary of the program",
	    CLI_CALLS(option_add_names_file) },
	{ 0, "histograms", NULL,
	    "heap: print the access histogram of each stack",
	    CLI_SETS(struct show_options, heap_style.histograms) },
	{ 0, "hot", NULL,
	    "heap: classify contexts as hot, not only cold or warm",
	    CLI_SETS(struct show_options, heap_style.hot) },
	{ 0, "json", NULL, "print JSON, one object per line",
	    CLI_SETS(struct show_options, json) },
	CLI_OUTPUT_ROW,
	CLI_TERMINAL_ROWS,
	/* The same under the names that llvm-profdata show has for them. */
	{ 0, "all-functions", NULL, NULL,
	    CLI_SETS(struct show_options, functions) },
	{ 'n', "topn", "N", NULL, FIRST(top) },
	{ 0, "ic-targets", NULL, NULL,
	    CLI_SETS(struct show_options, style.values) },
	{ 0, "memop-sizes", NULL, NULL,
	    CLI_SETS(struct show_options, style.values) },
	{ 0, "detailed-summary", NULL, NULL,
	    CLI_SETS(struct show_options, style.cutoffs) },
	{ 'C', "demangle", NULL, "demangle names of C++ and Rust functions",
	    CLI_SETS(struct show_options, style.demangle) },
	{ 0 }
};

static enum top_order
option_parse_order(const struct cli *c, const char *word)
{
	static const char *const words[] = {
		[TOP_COUNT] = "count", [TOP_SHARE] = "share",
		[TOP_NAME] = "name", [TOP_SIZE] = "size", NULL
	};

	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(word, words[i]) == 0)
			return (enum top_order)i;
	}
	cli_usage_error(c, "--sort accepts count, share, name or size; with "
	    "--heap, bytes, count, lifetime or accesses");
}

/* Without options, a tree of callers is cut so that it fits the screen. */
static void
settle_heap_limits(struct show_options *o)
{
	struct show_heap_style *h = &o->heap_style;
	bool any = o->depth != 0 || o->min_share >= 0 || o->limit != SIZE_MAX;

	h->terminal = &o->style.terminal;
	h->fits = h->callers && !o->json && !any;
	h->depth = o->depth != 0 ? o->depth : h->fits ? CALLER_DEPTH :
	    SIZE_MAX;
	h->min_share = o->min_share >= 0 ? o->min_share : h->fits ?
	    CALLER_SHARE : 0;
	h->limit = o->limit;
}

static void
settle_heap_options(const struct cli *c, struct show_options *o)
{
	struct show_heap_style *h = &o->heap_style;

	h->name = o->style.demangle ? show_demangled : NULL;
	h->top = o->top != 0 || o->json || o->limit != SIZE_MAX ||
	    o->min_share >= 0 ? o->top : SITES;
	settle_heap_limits(o);
	if (o->functions || o->style.cutoffs || o->binary_ids)
		cli_usage_error(c, "--heap cannot be used with functions, "
		    "--cutoffs or --binary-ids");
	if (o->depth != 0 && !h->callers)
		cli_usage_error(c, "--depth needs --callers");
	if (o->sort != NULL && !heap_value_named(o->sort, &h->by))
		cli_usage_error(c, "--sort accepts bytes, count, lifetime or "
		    "accesses");
}

static void
settle_function_options(const struct cli *c, struct show_options *o)
{
	const struct show_heap_style *h = &o->heap_style;

	if (h->stacks || h->callers || h->histograms || h->hot ||
	    o->depth != 0 || o->has_names)
		cli_usage_error(c, "--stacks, --callers, --depth, "
		    "--histograms, --hot and --names-from need --heap");
	o->functions = o->functions || o->top != 0 || o->sort != NULL ||
	    o->min_share >= 0 || o->limit != SIZE_MAX;
	o->sorted = o->top != 0 || o->sort != NULL || o->min_share >= 0;
	if (o->sort != NULL)
		o->order = option_parse_order(c, o->sort);
	else if (o->top == 0)
		o->order = TOP_SHARE;
	o->style.shares = o->min_share >= 0 ||
	    (o->sort != NULL && o->order == TOP_SHARE);
	if (o->top != 0 && o->top < o->limit)
		o->limit = o->top;
	if ((o->style.cutoffs || o->binary_ids) && o->functions)
		cli_usage_error(c, "--%s the summary, not functions",
		    o->binary_ids ? "binary-ids needs" : "cutoffs needs");
}

void
show_settle_options(const struct cli *c, struct show_options *o)
{
	if (o->has_floor)
		filter_min_count(o->floor, o->min_count);
	o->functions = o->functions || o->wanted.any || o->has_patterns ||
	    o->has_floor || o->style.counts || o->style.values;
	if (o->heap)
		settle_heap_options(c, o);
	else
		settle_function_options(c, o);
}
