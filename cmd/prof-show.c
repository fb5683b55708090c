/* prof-show - what is in a profile, for people */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "cmd/show/show.h"
#include "io/output.h"
#include "model/record.h"
#include "ops/filter.h"
#include "ops/heap/view.h"
#include "ops/top.h"
#include "prof.h"
#include "sym/symbolizer.h"

enum { TOP_LIMIT = 1000000 };

/* All zero, but for the filters, before cli_parse. */
struct show_options {
	bool functions, json, heap, binary_ids;
	bool mismatched;		/* --list mismatched */
	struct show_style style;
	struct show_heap_style heap_style;
	struct filter *chosen;		/* names, patterns and hashes */
	struct filter *floor;		/* --min-count */
	uint64_t min_count;
	bool has_names, has_patterns, has_floor;
	struct prof_span *spans;	/* the names, as prof_select wants */

	struct heap_names names;	/* --binary */
	struct symbolizer symbolizer;
	bool has_binary;
	bool heap_if_any;		/* --binary without --heap */

	const char *sort;		/* the word of --sort, or NULL */
	enum top_order order;		/* of functions, if `sorted` */
	bool sorted;			/* they are printed at the end */
	size_t top;			/* --top; 0: not given */
};

enum { SITES = 10 };

/* Of callers, as long as no option says how many. */
#define CALLER_DEPTH 8
#define CALLER_SHARE 1.0

static void
select_name(const struct cli_given *g, const char *name, size_t size,
    bool listed)
{
	struct show_options *o = g->run;

	o->has_names = true;
	if (filter_name(o->chosen, FILTER_KEEP, (struct prof_span){
	    (const uint8_t *)name, size }, listed, NULL) != PROF_OK)
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
	struct show_options *o = g->run;

	o->style.decimal = true;
	select_name(g, g->argument, strlen(g->argument), false);
}

static void
option_add_list(const struct cli_given *g)
{
	struct show_options *o = g->run;
	struct cli_given given = *g;

	o->has_names = true;
	filter_begin(o->chosen, FILTER_KEEP);
	cli_lines(g->cli, g->argument, select_listed_name, &given);
}

static void
option_add_pattern(const struct cli_given *g)
{
	struct show_options *o = g->run;
	struct prof_error err = { 0 };

	o->has_patterns = true;
	if ((g->option->value == 'h' ?
	    filter_hash(o->chosen, FILTER_KEEP, cli_parse_hash(g), &err) :
	    g->option->value == 'g' ?
	    filter_glob(o->chosen, FILTER_KEEP, g->argument, &err) :
	    filter_regex(o->chosen, FILTER_KEEP, g->argument, &err)) !=
	    PROF_OK)
		cli_usage_error(g->cli, "%s", err.reason);
	if (g->option->value == 'h')
		o->style.decimal = true;
}

/* Read before the profiles that are shown. */
static void
option_add_names_file(const struct cli_given *g)
{
	struct show_options *o = g->run;

	o->has_binary = true;
	cli_add_input(g->cli, &(struct cli_input){ .path = g->argument,
	    .weight = { 1, 1 }, .names = true });
}

#define FIRST(member) \
	CLI_SETS_NUMBER(struct show_options, member, 1, TOP_LIMIT)

static const struct cli_option options[] = {
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
	{ 0, "hash", "HASH",
	    "... or functions of this hash, decimal or 0x...",
	    CLI_CALLS(option_add_pattern), .value = 'h' },
	{ 0, "min-count", "N",
	    "print only functions with a counter of N or more",
	    CLI_SETS_NUMBER(struct show_options, min_count, 0, UINT64_MAX),
	    CLI_MARKS(struct show_options, has_floor) },
	{ 0, "list", "mismatched",
	    "print the functions whose name has several hashes",
	    CLI_SETS_WORD(struct show_options, mismatched, "mismatched"),
	    CLI_MARKS(struct show_options, style.decimal), .value = 1 },
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
	{ 0, "callers", "[=N]",
	    "heap: print the callers of each site, as a tree, or\n"
	    "only the nearest N", FIRST(heap_style.depth),
	    CLI_MARKS(struct show_options, heap_style.callers) },
	{ 0, "binary", "FILE",
	    "take functions from a binary of the program; names of\n"
	    "those known by their hash, also from a profile",
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
	CLI_DEMANGLE_ROW(struct show_options, style.demangle),
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

static void
settle_heap_options(const struct cli *c, struct show_options *o)
{
	struct show_heap_style *h = &o->heap_style;

	h->name = o->style.demangle ? show_demangled : NULL;
	h->top = o->top != 0 || o->json ? o->top : SITES;
	/* Without a number, only the larger callers are printed for people. */
	if (h->callers && !o->json && h->depth == TOP_LIMIT) {
		h->depth = CALLER_DEPTH;
		h->min_share = CALLER_SHARE;
	}
	if (o->functions || o->style.cutoffs || o->binary_ids)
		cli_usage_error(c, "--heap cannot be used with functions, "
		    "--cutoffs or --binary-ids");
	if (o->sort != NULL && !heap_value_named(o->sort, &h->by))
		cli_usage_error(c, "--sort accepts bytes, count, lifetime or "
		    "accesses");
}

static void
settle_function_options(const struct cli *c, struct show_options *o)
{
	const struct show_heap_style *h = &o->heap_style;

	if (h->stacks || h->callers || h->histograms || h->hot)
		cli_usage_error(c, "--stacks, --callers, --histograms and "
		    "--hot need --heap");
	o->functions = o->functions || o->top != 0 || o->sort != NULL;
	o->sorted = o->top != 0 || o->sort != NULL;
	if (o->mismatched && o->sorted)
		cli_usage_error(c, "--list cannot be used with --top or "
		    "--sort");
	if (o->sort != NULL)
		o->order = option_parse_order(c, o->sort);
	else if (o->top == 0)
		o->order = TOP_SHARE;
	o->style.shares = o->sort != NULL && o->order == TOP_SHARE;
	if ((o->style.cutoffs || o->binary_ids) && o->functions)
		cli_usage_error(c, "--%s the summary, not functions",
		    o->binary_ids ? "binary-ids needs" : "cutoffs needs");
}

/* Exits if options do not go together; decides what depends on several. */
static void
show_settle_options(const struct cli *c, struct show_options *o)
{
	if (o->has_floor)
		filter_min_count(o->floor, o->min_count);
	o->functions = o->functions || o->has_names || o->has_patterns ||
	    o->has_floor || o->mismatched || o->style.counts ||
	    o->style.values;
	/* A binary is given for the heap, or for counters without names. */
	if (o->has_binary && !o->heap && !o->functions && o->top == 0 &&
	    o->sort == NULL && !o->style.cutoffs && !o->binary_ids)
		o->heap = o->heap_if_any = true;
	if (o->heap)
		settle_heap_options(c, o);
	else
		settle_function_options(c, o);
}

/* prof-show - what is in a profile, for people */

enum { FLUSH_SIZE = 65536 };

struct show {
	struct cli cli;
	struct show_options options;
	const struct show_face *face;

	/* Of the profile being read. */
	struct prof_header header;	/* copied to header_arena */
	struct arena header_arena;
	struct figures figures;
	struct buf ids;			/* as for the face's summary */
	struct name_hashes hashes;	/* --list mismatched */
	struct arena waiting_arena;
	/* Of the name at hand, and its context-sensitive one: the first. */
	struct prof_function waiting[2];
	bool waits[2];
	struct top top;			/* functions printed at the end */
	struct heap_view *view;
	bool heap;			/* its contexts are shown */
	size_t listed;			/* functions printed */
	bool found;
	bool any;			/* a profile was read */
	struct buf text;
};

static enum prof_status
show_write_text(void *arg, struct prof_error *err)
{
	struct show *s = arg;
	int e;

	if (s->text.failed)
		return err_memory(err);
	e = output_write(s->cli.output.file, s->text.data, s->text.size);
	s->text.size = 0;
	if (e == 0)
		return PROF_OK;
	s->cli.output.failed = true;
	return err_system(err, e, "write");
}

/* The share is a percentage of the total, or below 0 if it is not printed. */
static void
show_list_function(struct show *s, const struct prof_function *f, double share)
{
	const struct show_style *style = &s->options.style;

	if (s->listed++ == 0)
		s->face->heading(&s->text, style, &s->header);
	s->face->function(&s->text, style, &s->header, f, share);
}

/* Of a function that is not shown, only the counters' sum matters. */
static void
show_pass_function(struct show *s, const struct prof_function *f)
{
	if (s->options.sorted)
		top_pass(&s->top, f);
}

static enum prof_status
show_chosen_function(struct show *s, const struct prof_function *f,
    struct prof_error *err)
{
	enum prof_status status = filter_function(s->options.floor, f, NULL,
	    err);

	if (status == PROF_END)
		show_pass_function(s, f);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	s->found = true;
	if (s->options.sorted && s->options.top != 0 && prof_is_pseudo(f))
		return PROF_OK;
	if (s->options.sorted)
		return top_add(&s->top, f) ? PROF_OK : err_memory(err);
	show_list_function(s, f, -1);
	return s->text.size < FLUSH_SIZE ? PROF_OK : show_write_text(s, err);
}

static enum prof_status
show_function(struct show *s, const struct prof_function *f,
    struct prof_error *err)
{
	bool waits;
	enum prof_status status = filter_function(s->options.chosen, f, &waits,
	    err);

	if (status == PROF_OK)
		return show_chosen_function(s, f, err);
	if (status == PROF_END && !waits)
		show_pass_function(s, f);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* The first function of a name is shown when one of another hash comes. */
static enum prof_status
show_mismatched(struct show *s, const struct prof_function *f,
    struct prof_error *err)
{
	bool cs = record_context_sensitive(s->header.level, f->hash);
	enum prof_status status = PROF_OK;
	bool several = name_hashes_add(&s->hashes, s->header.level, f);

	if (s->hashes.name.failed)
		return err_memory(err);
	if (s->hashes.next) {
		arena_reset(&s->waiting_arena);
		memset(s->waits, 0, sizeof(s->waits));
	}
	if (several) {
		if (s->waits[cs])
			status = show_function(s, &s->waiting[cs], err);
		s->waits[cs] = false;
		return status != PROF_OK ? status : show_function(s, f, err);
	}
	s->waiting[cs] = *f;
	s->waits[cs] = record_copy(&s->waiting_arena, PROF_REC_FUNCTION,
	    &s->waiting[cs]);
	return s->waits[cs] ? PROF_OK : err_memory(err);
}

/* Shows the functions that waited for the end of the profile. */
static enum prof_status
show_held_functions(struct show *s, struct prof_error *err)
{
	enum prof_status status = filter_end(s->options.chosen, err);
	const struct prof_record *held;
	size_t place = 0;
	bool kept;

	while (status == PROF_OK && (held = filter_next(s->options.chosen,
	    &place, &kept)) != NULL) {
		if (kept)
			status = show_chosen_function(s, &held->u.function,
			    err);
		else
			show_pass_function(s, &held->u.function);
	}
	return status;
}

/* Whether the hottest functions are printed below the summary. */
static bool
show_has_hottest(const struct show *s)
{
	return !s->options.functions && !s->heap && !s->options.json &&
	    (s->header.flags & PROF_BYTE_COVERAGE) == 0;
}

static void
show_prepare_top(struct show *s)
{
	const struct show_options *o = &s->options;

	top_clear(&s->top);
	s->top.order = o->order;
	s->top.limit = o->top != 0 ? o->top : SIZE_MAX;
	s->top.values = o->style.values;
	if (show_has_hottest(s))
		s->top = (struct top){ .order = TOP_SHARE, .limit = HOTTEST };
}

static enum prof_status
show_begin_profile(struct show *s, const struct prof_record *r,
    struct prof_error *err)
{
	/* The header and its source are printed at the profile's end. */
	arena_reset(&s->header_arena);
	s->header = r->u.profile;
	if (!record_copy(&s->header_arena, PROF_REC_PROFILE, &s->header))
		return err_memory(err);
	s->any = true;
	s->heap = s->options.heap && (!s->options.heap_if_any ||
	    s->header.kind != PROF_INSTR);
	s->listed = 0;
	name_hashes_free(&s->hashes);
	s->ids.size = 0;
	show_prepare_top(s);
	filter_begin_profile(s->options.chosen);
	figures_free(&s->figures);
	s->figures.summary.totals_only = !s->options.style.cutoffs &&
	    !show_has_hottest(s);
	heap_view_free(s->view);
	s->view = NULL;
	if (!s->options.functions && (s->view =
	    heap_view_new(s->options.heap_style.histograms)) == NULL)
		return err_memory(err);
	return s->view == NULL ? PROF_OK : heap_view_add(s->view, r, err);
}

static enum prof_status
show_end_heap(struct show *s, struct prof_error *err)
{
	struct show_heap h = { .text = &s->text, .header = &s->header,
	    .style = &s->options.heap_style, .others = &s->figures };
	enum heap_naming naming = heap_view_name(s->view, &s->options.names);

	if (!s->options.json)
		heap_naming_warn(&s->cli, s->cli.inputs.file, naming);
	h.heap = heap_view_get(s->view);
	heap_saturated_warn(&s->cli, s->cli.inputs.file, s->view);
	s->found = s->found || h.heap.contexts_size != 0;
	return show_heap(&h, s->options.json ? &show_heap_json :
	    &show_heap_people, show_write_text, s, err);
}

/* Adds up the heap contexts.  False if the profile has no heap data. */
static bool
show_sum_heap(const struct show *s, struct heap_figures *g)
{
	struct heap heap = heap_view_get(s->view);

	*g = heap_figures_of(&heap, false);
	return g->contexts != 0 || s->header.kind != PROF_INSTR;
}

/* Prints the functions that were kept. */
static enum prof_status
show_end_functions(struct show *s, struct prof_error *err)
{
	const struct show_options *o = &s->options;
	enum prof_status status = show_held_functions(s, err);

	top_sort(&s->top, o->order);
	for (size_t i = 0; status == PROF_OK && i < s->top.size; i++) {
		const struct top_entry *e = s->top.entries[i];
		double share = s->top.total == 0 ? 0 : 100 * (double)e->sum /
		    s->top.total;

		show_list_function(s, &e->function,
		    o->style.shares ? share : -1);
		if (s->text.size >= FLUSH_SIZE)
			status = show_write_text(s, err);
	}
	return status == PROF_OK ? show_write_text(s, err) : status;
}

static enum prof_status
show_end_summary(struct show *s, struct prof_error *err)
{
	const struct show_style *style = &s->options.style;
	struct summary_entry entries[SUMMARY_CUTOFFS];
	struct summary_thresholds thresholds;
	struct heap_figures heap;

	if (style->cutoffs && !summary_entries(&s->figures.summary,
	    summary_cutoffs, SUMMARY_CUTOFFS, entries))
		return err_memory(err);
	s->face->summary(&s->text, &s->header, &s->figures,
	    show_sum_heap(s, &heap) ? &heap : NULL,
	    style->cutoffs ? entries : NULL,
	    s->options.binary_ids ? &s->ids : NULL);
	if (show_has_hottest(s)) {
		if (!summary_thresholds(&s->figures.summary, &thresholds))
			return err_memory(err);
		top_sort(&s->top, TOP_SHARE);
		show_hottest(&s->text, style, s->header.level, &s->top,
		    &thresholds);
	}
	return show_write_text(s, err);
}

static enum prof_status
show_end_profile(struct show *s, struct prof_error *err)
{
	enum prof_status status = s->options.functions ?
	    show_end_functions(s, err) : s->heap ?
	    show_end_heap(s, err) : show_end_summary(s, err);

	top_clear(&s->top);
	return status;
}

static bool
show_add_id(struct show *s, struct prof_span id)
{
	digits_append_hex(&s->ids, id);
	buf_u8(&s->ids, '\n');
	return !s->ids.failed;
}

static enum prof_status
show_add_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct show *s = arg;

	if (s->cli.inputs.current->names)
		return heap_names_add_record(&s->options.names, r) ? PROF_OK :
		    err_memory(err);
	if (r->kind == PROF_REC_PROFILE)
		return show_begin_profile(s, r, err);
	if (r->kind == PROF_REC_END)
		return show_end_profile(s, err);
	if (s->options.functions && r->kind == PROF_REC_RAW_COUNTERS) {
		err_set(&why, PROF_E_UNSUPPORTED, "functions of a correlated "
		    "profile are known only from its binary (--binary)");
		cli_warn(&s->cli, &why);
	}
	if (s->options.functions)
		return r->kind != PROF_REC_FUNCTION ? PROF_OK :
		    s->options.mismatched ?
		    show_mismatched(s, &r->u.function, err) :
		    show_function(s, &r->u.function, err);
	if (r->kind == PROF_REC_BINARY && s->options.binary_ids &&
	    !show_add_id(s, r->u.build_id))
		return err_memory(err);
	if (heap_view_add(s->view, r, err) != PROF_OK)
		return PROF_FAIL;
	if (!figures_add(&s->figures, &s->header, r) ||
	    (r->kind == PROF_REC_FUNCTION && show_has_hottest(s) &&
	    !top_add(&s->top, &r->u.function)))
		return err_memory(err);
	return PROF_OK;
}

static const struct cli_program program = { "prof-show", NULL,
"usage: prof-show [options] [FILE...]\n"
"Prints a summary, functions or heap contexts of profiles of any kind.\n",
	.examples =
"  prof-show --top 20 a.profraw\n"
"  prof-show --heap --callers heap.ndjson\n",
	.tables = { options, cli_options }
};

/* Forgets a profile that ended too early, and shows the next one. */
static bool
show_pass(void *arg, struct cli *c)
{
	struct show *s = arg;
	struct prof_error err = c->err;

	top_clear(&s->top);
	/* Messages stand behind the text before them. */
	if (show_write_text(s, &c->err) != PROF_OK ||
	    output_flush(s->cli.output.file) != 0)
		return false;
	c->err = err;
	return cli_damage_pass(c);
}

/* Reads the files of --binary that are ELF files; profiles are inputs. */
static enum prof_status
show_read_binaries(struct show *s)
{
	struct cli_inputs *in = &s->cli.inputs;
	enum prof_status status = PROF_OK;
	size_t kept = 0;

	for (size_t i = 0; i < in->size && status != PROF_FAIL; i++) {
		status = !in->items[i].names ? PROF_END :
		    cli_add_binary(&s->cli, &s->options.symbolizer,
		    in->items[i].path, &s->options.names);
		if (status == PROF_END)
			in->items[kept++] = in->items[i];
	}
	in->size = kept;
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

/* Indexed files look names up in their hash table. */
static bool
show_select_names(struct show *s)
{
	struct show_options *o = &s->options;
	size_t count;
	const struct filter_name *names = filter_names(o->chosen, FILTER_KEEP,
	    &count);

	/* A share is of the sum of all functions, so that all are read. */
	if (!o->has_names || o->has_patterns || o->style.shares)
		return true;
	o->spans = calloc(count + 1, sizeof(*o->spans));
	for (size_t i = 0; o->spans != NULL && i < count; i++)
		o->spans[i] = names[i].text;
	s->cli.options.select = o->spans;
	s->cli.options.select_size = count;
	return o->spans != NULL;
}

static enum prof_status
show_run(struct show *s)
{
	enum prof_status status;
	struct output *out;

	if (!s->options.style.values)
		prof_context_without_targets(s->cli.context);
	prof_context_frame_numbers(s->cli.context);
	filter_all_forms(s->options.chosen, match_demangled);
	if (!show_select_names(s))
		return err_memory(&s->cli.err);
	if (show_read_binaries(s) != PROF_OK ||
	    cli_open_bytes(&s->cli, false) != PROF_OK)
		return PROF_FAIL;
	status = cli_read_passing(&s->cli, show_add_record, show_pass, s);
	if (status == PROF_OK)
		status = symbolizer_finish(&s->options.symbolizer,
		    &s->cli.err);
	if (status == PROF_OK && !s->any && !s->cli.report.trouble)
		status = err_set(&s->cli.err, PROF_E_FORMAT, ERR_NO_PROFILE);
	if (status != PROF_OK) {
		show_write_text(s, &s->cli.err);
		return status;
	}
	out = s->cli.output.file;
	/* A file that lacks an input is not whole: cli_end discards it. */
	if (s->cli.report.trouble && output_target(out) != NULL)
		return PROF_OK;
	s->cli.output.file = NULL;
	status = output_commit(out, &s->cli.err);
	s->cli.output.failed = status != PROF_OK;
	return status;
}

/*
 * Reports the names that were not found: those of lists, and the others if no
 * name at all was found.  False if there are any, or if a list has no names.
 */
static bool
show_check_names(const struct show *s)
{
	const struct cli *c = &s->cli;
	bool any = false, all = true;
	char name[ERR_NAME_SIZE];
	size_t count;
	const struct filter_name *names = filter_names(s->options.chosen,
	    FILTER_KEEP, &count);

	for (size_t i = 0; i < count; i++)
		any = any || names[i].found;
	for (size_t i = 0; i < count; i++) {
		if (names[i].found || (any && !names[i].listed))
			continue;
		all = false;
		if (!c->options.quiet)
			message_print("%s: no %sfunction %s\n", c->name,
			    s->options.mismatched ? "mismatched " : "",
			    err_name(name, names[i].text));
	}
	if (s->options.has_names && count == 0 && !c->options.quiet)
		message_print("%s: the list has no functions\n", c->name);
	return all && (any || !s->options.has_names);
}

/* Whether all that was asked for is there; says what is not. */
static bool
show_found(const struct show *s)
{
	const struct show_options *o = &s->options;
	const struct cli *c = &s->cli;

	if (o->heap && !o->heap_if_any && !s->found && !c->options.quiet)
		message_print("%s: no heap contexts\n", c->name);
	if ((o->has_patterns || o->has_floor) && !s->found) {
		if (!c->options.quiet)
			message_print("%s: no such function\n", c->name);
		return false;
	}
	return show_check_names(s) &&
	    (!o->heap || o->heap_if_any || s->found);
}

int
main(int argc, char **argv)
{
	struct show s = { .options = { .chosen = filter_new(),
	    .floor = filter_new() } };
	struct show_options *o = &s.options;
	int exit_status;

	cli_start(&s.cli, &program);
	if (o->chosen == NULL || o->floor == NULL)
		cli_out_of_memory(&s.cli);
	cli_parse(&s.cli, o, &argc, &argv);
	show_settle_options(&s.cli, o);
	s.face = o->json ? &show_json : &show_people;
	cli_operands(&s.cli, argc, argv);
	if (!o->json)
		show_fit_terminal(&s.cli);
	cli_restrict(&s.cli, NULL);

	exit_status = cli_end(&s.cli, show_run(&s));
	show_warn_of_names(&s.cli);
	figures_free(&s.figures);
	name_hashes_free(&s.hashes);
	arena_free(&s.waiting_arena);
	top_clear(&s.top);
	heap_view_free(s.view);
	arena_free(&s.header_arena);
	buf_free(&s.ids);
	buf_free(&s.text);
	if (exit_status != CLI_TROUBLE && !show_found(&s))
		exit_status = CLI_NO;
	free(o->spans);
	heap_names_free(&o->names);
	symbolizer_free(&o->symbolizer);
	filter_free(o->chosen);
	filter_free(o->floor);
	return exit_status;
}
