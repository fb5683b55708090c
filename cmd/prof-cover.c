/* prof-cover - which lines ran, from profiles and binaries */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/numbers.h"
#include "cmd/cover/run.h"
#include "cmd/print/print.h"
#include "format/codec.h"
#include "io/input.h"
#include "io/output.h"
#include "merge/merge.h"

/* The words of --to. */
enum cover_format { COVER_TEXT, COVER_MARKDOWN, COVER_COBERTURA, COVER_HTML,
    COVER_LCOV, COVER_JSON, COVER_STREAM, COVER_FORMATS };

struct cover_run {
	struct cli cli;
	unsigned to;			/* enum cover_format + 1, or 0 */
	enum cover_format format;
	struct cover_options options;
	struct cover_page_options page;
	struct cover_profiles profiles;
	struct cover_binaries binaries;
	bool any_stream;		/* of coverage, was read */
	struct cover_selection selection;
	struct cover cover;
	struct cover_report report;
	struct cover_table_options table;
	double least[COVER_METRICS];	/* percent; 0: no limit */
	bool limited, compared;		/* compared: with an older coverage */
	struct cover base;
	struct cover_report base_report;
};

/* The format that was asked for, or that of the suffix of the output. */
static enum cover_format
cover_choose_format(const struct cover_run *r)
{
	static const char *const suffixes[COVER_FORMATS] = { ".txt", ".md",
	    ".xml", ".html", ".info", ".json", ".ndjson" };
	const char *path = r->cli.output.path;
	const char *suffix = path == NULL ? NULL : strrchr(path, '.');

	if (r->to != 0)
		return (enum cover_format)(r->to - 1);
	for (unsigned i = 0; i < COVER_FORMATS && suffix != NULL; i++) {
		if (strcmp(suffix, suffixes[i]) == 0)
			return (enum cover_format)i;
	}
	return COVER_TEXT;
}

/* What a terminal can show. */
static void
cover_set_terminal(struct cover_run *r)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (r->cli.output.path != NULL || !isatty(STDOUT_FILENO))
		return;
	r->table.colours = (no_color == NULL || *no_color == '\0') &&
	    term != NULL && strcmp(term, "dumb") != 0;
	r->table.width = show_terminal_width(&r->cli);
}

/* Names end with their lines in a tracefile, where '?' is written for these. */
static void
cover_warn_of_controls(const struct cover_run *r)
{
	const struct cover *c = &r->cover;
	char shown[ERR_NAME_SIZE];

	for (size_t i = 0, at = 0; i < c->sorted_size; i++, at = 0) {
		struct prof_span path = c->paths.items[c->sorted[i]];

		while (at < path.size && path.data[at] >= ' ')
			at++;
		if (at < path.size)
			warn_set(r->cli.context, "control characters of a path "
			    "are written as '?': %s", err_name(shown, path));
	}
}

static enum prof_status
cover_write_format(struct cover_run *r)
{
	struct cover_cobertura_options cobertura = { show_demangled, ".", 0 };
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	struct output *out = r->cli.output.file;
	struct prof_error *err = &r->cli.err;

	switch (r->format) {
	case COVER_COBERTURA:
		if (epoch != NULL)
			cli_is_number(epoch, 0, UINT64_MAX, &cobertura.time);
		return cover_write_cobertura(&r->report, &cobertura,
		    output_write, out, err);
	case COVER_HTML:
		show_short_names();
		r->page.changed = r->selection.diffs.size == 0 ? NULL :
		    r->selection.changed;
		return cover_page_write(&r->report, &r->page, output_write,
		    out, err);
	case COVER_LCOV:
		cover_warn_of_controls(r);
		return cover_write_lcov(&r->cover, &(struct
		    cover_lcov_options){ .join = true }, output_write, out,
		    err);
	case COVER_JSON:
		return cover_write_json(&r->cover, &(struct
		    cover_json_options){ 0 }, output_write, out, err);
	case COVER_STREAM:
		return cover_write_stream(&r->cover, output_write, out, err);
	default:
		r->table.markdown = r->format == COVER_MARKDOWN;
		if (r->format == COVER_TEXT)
			cover_set_terminal(r);
		return cover_write_table(&r->report, &r->table, output_write,
		    out, err);
	}
}

/* The words of --fail-under. */
static const char *const limit_words[COVER_METRICS] = {
	[COVER_LINES] = "line", [COVER_FUNCTIONS] = "function",
	[COVER_REGIONS] = "region", [COVER_BRANCHES] = "branch",
	[COVER_MCDC] = "mcdc",
};

/*
 * Takes WORD=PERCENTAGE; returns the text behind it, or NULL if the text does
 * not begin with such a limit.
 */
static const char *
limit_set(double least[COVER_METRICS], const char *text)
{
	size_t size = strcspn(text, "=");
	const char *number = text + size + 1;
	unsigned m = 0;
	char *end;

	while (m < COVER_METRICS && (strlen(limit_words[m]) != size ||
	    memcmp(limit_words[m], text, size) != 0))
		m++;
	if (m == COVER_METRICS || text[size] == '\0')
		return NULL;
	least[m] = strtod(number, &end);
	if (end == number || end != number + strspn(number, "0123456789.") ||
	    !(least[m] <= 100))
		return NULL;
	return *end == '%' ? end + 1 : end;
}

static void
cover_set_limits(const struct cli_given *g)
{
	struct cover_run *r = g->run;
	const char *text = g->argument;

	while ((text = limit_set(r->least, text)) != NULL && *text == ',')
		text++;
	if (text == NULL || *text != '\0')
		cli_usage_error(g->cli, "--%s needs percentages of line, "
		    "function, region, branch or mcdc, such as line=80,"
		    "branch=72.5, not '%s'", g->option->name, g->argument);
}

/* A binary, or the coverage to compare with if the row's value is 1. */
static void
cover_add_input(const struct cli_given *g)
{
	cli_add_input(g->cli, &(struct cli_input){ .path = g->argument,
	    .weight = { 1, 1 }, .subtracted = g->option->value == 1 });
}

static void
cover_add_test(const struct cli_given *g)
{
	struct cli_list *l = &((struct cover_run *)g->run)->selection.tests;
	char *path = strchr(g->argument, '=');

	if (path == NULL || path == g->argument || path[1] == '\0')
		cli_usage_error(g->cli, "--test needs NAME=PROFILE");
	*path = '\0';
	if (!ARRAY_ADD(l->items, l->size, l->room, g->argument))
		cli_out_of_memory(g->cli);
	cli_add_input(g->cli, &(struct cli_input){ .path = path + 1,
	    .weight = { 1, 1 }, .label = g->argument });
}

static const struct cli_option options[] = {
	CLI_OUTPUT_ROW,
	{ 0, "to", "FORMAT",
	    "write text, markdown, cobertura, html, lcov, llvm-json or ndjson",
	    CLI_SETS_WORD(struct cover_run, to, "text", "markdown",
	    "cobertura", "html", "lcov", "llvm-json", "ndjson"), .value = 1 },
	{ 0, "source-less", NULL, "write a page without sources",
	    CLI_SETS(struct cover_run, page.source_less) },
	{ 0, "sort", "ORDER",
	    "sort a table by name, least covered or most missed",
	    CLI_SETS_WORD(struct cover_run, table.order, "name", "covered",
	    "missed") },
	{ 0, "instances", "HOW",
	    "count instances of a function together or apart",
	    CLI_SETS_WORD(struct cover_run, options.apart, "together",
	    "apart") },
	{ 0, "base", "FILE", "compare with coverage that was written to FILE",
	    CLI_CALLS(cover_add_input), .value = 1,
	    CLI_MARKS(struct cover_run, compared) },
	{ 0, "fail-under", "LIMITS",
	    "exit with 1 if less is covered: line=80,branch=70",
	    CLI_CALLS(cover_set_limits),
	    CLI_MARKS(struct cover_run, limited) },
	{ 'b', "binary", "FILE", "read a program, library or object",
	    CLI_CALLS(cover_add_input) },
	{ 0, "arch", "ARCH", "read that part of universal files",
	    CLI_SETS(struct cover_run, binaries.arch) },
	{ 0, "debug-dir", "DIR",
	    "look for binaries by build id in DIR/.build-id",
	    CLI_SETS(struct cover_run, binaries.dirs) },
	{ 0, "debuginfod", NULL,
	    "ask the servers of DEBUGINFOD_URLS for binaries",
	    CLI_SETS(struct cover_run, binaries.debuginfod) },
	{ 0, "include", "GLOB", "look at files that match only",
	    CLI_SETS(struct cover_run, selection.include) },
	{ 0, "exclude", "GLOB", "do not look at files that match",
	    CLI_SETS(struct cover_run, selection.exclude) },
	{ 0, "path-map", "FROM=TO", "take the folder FROM for TO",
	    CLI_SETS(struct cover_run, selection.maps) },
	{ 0, "markers", "[=WORD]",
	    "leave out lines that LCOV_EXCL_... or WORD_... marks",
	    CLI_SETS(struct cover_run, selection.word),
	    CLI_MARKS(struct cover_run, selection.markers) },
	{ 0, "diff", "FILE", "look at lines only that a diff adds",
	    CLI_SETS(struct cover_run, selection.diffs) },
	{ 0, "fail-under-diff", "PERCENT",
	    "exit with 1 if fewer of these lines ran",
	    CLI_SETS(struct cover_run, selection.least),
	    CLI_MARKS(struct cover_run, selection.has_least) },
	{ 0, "test", "NAME=PROFILE", "keep what a test ran apart",
	    CLI_CALLS(cover_add_test) },
	{ 0, "covering", "PATH:LINE", "only name the tests that ran a line",
	    CLI_SETS(struct cover_run, selection.covering) },
	{ 0 }
};

static const struct cli_program program = { "prof-cover", NULL,
"usage: prof-cover [options] PROFILE... BINARY...\n"
"Writes which lines ran, from profiles and the binaries that left them.\n",
	.limits_counts = true,
	.examples =
"  prof-cover -o app.html words.o frequent.profraw\n"
"  prof-cover --diff change.diff words.o frequent.profraw\n",
	.tables = { options, cli_options }
};

/* A prof_pull of the bytes of a span. */
static ssize_t
streams_pull(void *span, void *data, size_t size)
{
	struct prof_span *left = span;
	size_t n = left->size < size ? left->size : size;

	if (n > 0)
		memcpy(data, left->data, n);
	left->data += n;
	left->size -= n;
	return (ssize_t)n;
}

/* Adds a member that is a stream of coverage: under --keep-going as a whole. */
static enum prof_status
cover_add_stream(struct cover *c, struct cli *cli, struct input *in,
    const struct input_member *m, struct prof_error *err)
{
	struct prof_span image, left;
	struct cover trial;

	cli->inputs.member = m->name;
	/* Nothing of a bad input is counted, which a trial shows. */
	if (!cover_init(&trial, &c->options)) {
		err_memory(err);
	} else if (!cli->report.damage.keep_going) {
		if (cover_read_stream(c, cli->context, input_pull, in, err) !=
		    PROF_OK && input_failure(in)->code != PROF_E_NONE)
			*err = *input_failure(in);
	} else if (input_image(in, &image, err) == PROF_OK) {
		left = image;
		if (cover_read_stream(&trial, NULL, streams_pull, &left, err) ==
		    PROF_OK)
			cover_read_stream(c, cli->context, streams_pull,
			    &image, err);
	}
	cli->inputs.member = NULL;
	cover_free(&trial);
	return err->code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
}

/* Binaries and coverage are read here, profiles by the pipeline. */
static enum cli_action
cover_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct cover_run *r = arg;
	bool older = c->inputs.current->subtracted;

	(void)ordinal;
	if (item->status != PROF_OK)
		return CLI_READ_MEMBER;
	if (!cli_wants(c, m))
		return CLI_SKIP_MEMBER;
	if (cover_is_stream(m->start)) {
		r->any_stream |= !older;
		item->status = cover_add_stream(older ? &r->base : &r->cover,
		    c, item->in, m, &item->err);
		r->cli.report.damage.used += item->status == PROF_OK;
	} else if (older) {
		item->status = err_set(&item->err, PROF_E_FORMAT, "not a "
		    "stream of coverage, which --base needs");
	} else if (cover_binaries_want(m->start)) {
		item->status = cover_binaries_add(&r->binaries, c, item->in, m,
		    &item->err);
	} else {
		return cli_classify_member(c, m);
	}
	return item->status == PROF_OK ? CLI_SKIP_MEMBER : CLI_READ_MEMBER;
}

static enum prof_status
cover_add_record(void *arg, const struct prof_record *record,
    struct prof_error *err)
{
	struct cover_run *r = arg;
	const char *test = r->cli.inputs.current->label;

	if (record->kind == PROF_REC_PROFILE && r->profiles.tests != NULL)
		r->profiles.test = test == NULL ? 0 : intern_find(
		    &r->cover.tests, test, strlen(test));
	return cover_profiles_add(&r->profiles, record, err);
}

static enum prof_status
cover_add_binaries(struct cover_run *r)
{
	struct cli *c = &r->cli;
	bool any, found = false;

	/* What a stream has cannot be told from what a test adds to it. */
	if (r->any_stream && r->selection.tests.size > 0)
		return err_set(&c->err, PROF_E_USE, "--test cannot be used "
		    "with streams of coverage");
	if (cover_binaries_find(&r->binaries, c, &r->profiles) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < r->binaries.size; i++) {
		const struct cover_binary *b = &r->binaries.items[i];
		const char *lack = cover_binaries_lack(&r->binaries, i);

		c->inputs.file = b->file;
		c->inputs.member = b->member;
		if (lack != NULL)
			warn_set(c->context, "has no %s: its coverage is left "
			    "out", lack);
		else
			cover_profiles_claim(&r->profiles,
			    b->sections.build_id);
	}
	for (size_t i = 0; i < r->binaries.size; i++) {
		const struct cover_binary *b = &r->binaries.items[i];
		struct cover_sums sums = cover_profiles_choose(&r->profiles,
		    b->sections.build_id);

		c->inputs.file = b->file;
		c->inputs.member = b->member;
		if (cover_binary_add(b, &r->cover, &sums, &any, &c->err) !=
		    PROF_OK)
			return PROF_FAIL;
		found |= any;
	}
	c->inputs.file = c->inputs.member = NULL;
	if (!found && (!r->any_stream || r->profiles.size > 0))
		return err_set(&c->err, PROF_E_FORMAT, "no binary with "
		    "coverage among the inputs");
	if (cover_finish(&r->cover, &c->err) != PROF_OK)
		return PROF_FAIL;
	if (!r->compared)
		return PROF_OK;
	r->report.base = &r->base_report;
	return cover_finish(&r->base, &c->err) == PROF_OK &&
	    cover_select_base(&r->selection, c, &r->base) == PROF_OK ?
	    cover_report_make(&r->base_report, &c->err) : PROF_FAIL;
}

enum { LOSSES_SHOWN = 5 };

/* Whether the loss of that number, from 0, is named in its list. */
static bool
cover_names_loss(const struct cover_run *r, size_t number)
{
	return number < LOSSES_SHOWN || r->cli.options.verbose;
}

/* Warns of how many losses of a list, of `size` in all, were not named. */
static void
cover_warn_others(const struct cover_run *r, const char *what, size_t size)
{
	if (size > LOSSES_SHOWN && !r->cli.options.verbose)
		warn_set(r->cli.context, "other %s: %zu (-v names them)",
		    what, size - LOSSES_SHOWN);
}

/* Profiles whose binary is not there. */
static void
cover_print_unclaimed(const struct cover_run *r)
{
	const struct cover_profiles *p = &r->profiles;
	struct buf id = { 0 };
	size_t lost = 0;

	for (size_t i = 0; i < p->size; i++) {
		struct prof_span ids = p->sums[i].ids;

		if (ids.size == 0 || p->sums[i].claimed ||
		    !cover_names_loss(r, lost++))
			continue;
		id.size = 0;
		digits_append_hex(&id, (struct prof_span){ ids.data + 1,
		    ids.data[0] });
		warn_set(r->cli.context, "no binary has the build id %.*s of "
		    "a profile: its counts are %s", (int)id.size,
		    (const char *)id.data, p->any_claimed ? "left out" :
		    "taken by the names and hashes of functions");
	}
	cover_warn_others(r, "profiles whose ids no binary has", lost);
	buf_free(&id);
}

/* The name of a function in a message. */
static const char *
cover_name(char *shown, struct prof_span name)
{
	struct buf b = { 0 };

	show_demangled(&b, name);
	err_name(shown, b.failed ? name : buf_span(&b));
	buf_free(&b);
	return shown;
}

/* Functions that are left out, and counts that were wrong. */
static void
cover_print_losses(const struct cover_run *r)
{
	const struct cover *c = &r->cover;
	char shown[ERR_NAME_SIZE];

	for (size_t i = 0; i < c->stale_size && cover_names_loss(r, i); i++)
		warn_set(r->cli.context, "stale: %s: the profile has it of "
		    "another build", cover_name(shown, c->stale[i].name));
	cover_warn_others(r, "stale functions", c->stale_size);
	for (size_t i = 0; i < c->wrong_size && cover_names_loss(r, i); i++)
		warn_set(r->cli.context, "%s: counts below 0, such as %lld at "
		    "line %u, are taken as 0: %zu", cover_name(shown,
		    c->wrong[i].name), (long long)c->wrong[i].count,
		    c->wrong[i].line, c->wrong[i].size);
	cover_warn_others(r, "functions with counts below 0", c->wrong_size);
}

/*
 * Prints the limits that do not hold; false if there is one, or no line at all,
 * though a diff may have none with code.
 */
static bool
cover_limits_hold(const struct cover_run *r)
{
	const struct cover_summary *total = &r->report.total;
	bool hold = r->selection.diffs.size != 0 || total->lines.size > 0;
	const struct cli *c = &r->cli;

	/* No line is left if no file matches, or if all functions are stale. */
	if (!hold)
		message_print("%s: there is no line to be covered\n", c->name);
	for (unsigned m = 0; m < COVER_METRICS; m++) {
		struct cover_part p = cover_metric(total, m);
		unsigned share = cover_share(p, 10000);

		if ((double)p.covered * 100 >= r->least[m] *
		    (double)p.size)
			continue;
		message_print("%s: %s: %u.%02u%% covered, %g%% are wanted\n",
		    c->name, limit_words[m], share / 100, share % 100,
		    r->least[m]);
		hold = false;
	}
	return hold;
}

static enum prof_status
cover_write(struct cover_run *r)
{
	bool sums = r->format <= COVER_HTML || r->limited;
	struct cli *c = &r->cli;
	struct buf names = { 0 };
	enum prof_status status;

	if (r->selection.covering != NULL) {
		status = cover_put_covering(&r->selection, c, &r->cover,
		    &names);
		if (status == PROF_OK)
			status = cli_write_text(c, &names);
		buf_free(&names);
		return status;
	}
	if (cover_measure_changes(&r->selection, c, &r->cover) != PROF_OK ||
	    (sums && cover_report_make(&r->report, &c->err) != PROF_OK))
		return PROF_FAIL;
	if (cover_write_format(r) != PROF_OK) {
		c->output.failed = true;
		return PROF_FAIL;
	}
	if (r->limited && !cover_limits_hold(r))
		c->report.unclean = true;
	/* Below a table for people are the changed lines that did not run. */
	return cli_write_text(c, r->format == COVER_TEXT ?
	    &r->selection.missed : &names);
}

int
main(int argc, char **argv)
{
	struct cover_run r = { .options.release = 22,
	    .binaries.distinct = true,
	    .page.title = "Coverage", .report.cover = &r.cover,
	    .base_report.cover = &r.base };
	struct cli *c = &r.cli;
	enum prof_status status;
	int exit_status;

	cli_start(c, &program);
	cli_parse(c, &r, &argc, &argv);
	cli_operands(c, argc, argv);
	r.format = cover_choose_format(&r);
	if (r.compared && r.format > COVER_MARKDOWN)
		cli_usage_error(c, "--base is for text and markdown only");
	if (r.selection.covering != NULL && (r.limited || r.compared ||
	    r.selection.has_least || r.to != 0))
		cli_usage_error(c, "--covering only names tests: no limits, "
		    "--base or --to");
	if (r.compared && r.selection.diffs.size != 0)
		cli_usage_error(c, "--base has no lines that --diff adds");
	if (!cover_init(&r.cover, &r.options) ||
	    !cover_init(&r.base, &r.options) ||
	    (r.selection.tests.size > 0 &&
	    (r.profiles.tests = cover_counts_new()) == NULL))
		cli_out_of_memory(c);
	cover_select_begin(&r.selection, c, &r.cover);
	r.base.options = r.cover.options;
	if (r.binaries.debuginfod)
		cli_need_servers(c);
	cli_restrict(c, &(struct cli_writes){
	    .servers = r.binaries.debuginfod });
	status = cli_open_bytes(c, r.format == COVER_HTML);
	if (status == PROF_OK)
		status = cover_select_read_diff(&r.selection, c);
	if (status == PROF_OK)
		status = cli_pipeline_run(c, &(struct cli_pipeline){
		    .arg = &r, .serial = true, .classify = cover_classify,
		    .add = cover_add_record });
	if (status == PROF_OK)
		status = cover_profiles_finish(&r.profiles, &c->err);
	if (status == PROF_OK)
		status = cover_add_binaries(&r);
	if (status == PROF_OK)
		status = cover_select(&r.selection, c, &r.cover,
		    r.format == COVER_HTML);
	if (status == PROF_OK) {
		cover_print_unclaimed(&r);
		cover_print_losses(&r);
		status = cover_write(&r);
	}
	exit_status = cli_end(c, status);
	show_warn_of_names(c);
	free(r.report.sums);
	free(r.base_report.sums);
	cover_free(&r.base);
	cover_free(&r.cover);
	cover_selection_free(&r.selection);
	cover_binaries_free(&r.binaries);
	cover_profiles_free(&r.profiles);
	return exit_status;
}
