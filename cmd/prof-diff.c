/* prof-diff - what changed from one profile to another */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "cmd/print/demangle.h"
#include "cmd/common/columns.h"
#include "cmd/common/restrict.h"
#include "cmd/compare/limits.h"
#include "cmd/compare/sides.h"
#include "cmd/diff/formats.h"

struct diff_run {
	struct cli cli;
	const struct diff_format *format;
	bool top_given;
	struct diff_limits limits;
	struct diff_sides sides;
	struct diff diff;
};

enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON, FORMATS };

static const struct diff_format formats[FORMATS] = {
	[FORMAT_TEXT] = { "text", diff_people },
	[FORMAT_MARKDOWN] = { "markdown", diff_markdown },
	[FORMAT_JSON] = { "json", diff_json },
};

/* Changes that are printed unless the user or the terminal say how many. */
enum { CHANGES = 10 };

static void
diff_set_format(const struct cli_given *g)
{
	const char *words[FORMATS + 1] = { NULL };
	struct diff_run *r = g->run;

	for (size_t i = 0; i < FORMATS; i++)
		words[i] = formats[i].word;
	r->format = &formats[cli_parse_word(g, words)];
}

static void
diff_set_json(const struct cli_given *g)
{
	struct diff_run *r = g->run;

	r->format = &formats[FORMAT_JSON];
}

static void
diff_set_min_share(const struct cli_given *g)
{
	struct diff_run *r = g->run;

	r->diff.min_share = cli_parse_percentage(g) / 100;
}

static void
diff_set_top(const struct cli_given *g)
{
	struct diff_run *r = g->run;
	uint64_t n = 0;

	if (!cli_is_number(g->argument, 0, UINT32_MAX, &n))
		cli_usage_error(g->cli, "--top needs a number");
	r->diff.top = (size_t)n;
	r->top_given = true;
}

static void
diff_set_limit(const struct cli_given *g)
{
	struct diff_run *r = g->run;

	diff_limits_set(&r->limits, (enum diff_limit)g->option->value,
	    g->argument, g->cli);
}

static const struct cli_option options[] = {
	{ 0, "top", "N", "print the N largest changes (10)",
	    CLI_CALLS(diff_set_top) },
	{ 0, "min-share", "P",
	    "print only changes of P percentage points or more",
	    CLI_CALLS(diff_set_min_share) },
	{ 'C', "demangle", NULL, "demangle names of C++ and Rust functions",
	    CLI_SETS(struct diff_run, diff.demangle) },
	{ 0, "format", "FORMAT",
	    "print text (default), markdown or json",
	    CLI_CALLS(diff_set_format) },
	{ 0, "json", NULL, "the same as --format json",
	    CLI_CALLS(diff_set_json) },
	CLI_OUTPUT_ROW,
	CLI_TERMINAL_ROWS,
	{ 0, "for", "LLVM",
	    "use names and hashes as prof-index --for LLVM does",
	    CLI_CALLS(cli_set_release) },
	DIFF_LIMIT_ROWS(diff_set_limit),
	{ 0 }
};

static const struct cli_program program = { "prof-diff", NULL,
"usage: prof-diff [options] A B\n"
"Compares two profiles of any kind: overlap, lost, new and stale functions.\n",
	{ options, cli_options }
};

static enum prof_status
diff_print_result(struct diff_run *r)
{
	struct cli *c = &r->cli;
	struct buf text = { 0 };
	enum prof_status status;

	r->format->put(&text, &r->diff);
	if (text.failed)
		return err_memory(&c->err);
	status = cli_write_text(c, &text);
	buf_free(&text);
	return status;
}

static enum prof_status
diff_run(struct diff_run *r, char **files)
{
	struct cli *c = &r->cli;

	if (c->output.release != NULL &&
	    (c->output.retargeter = retarget_new(&c->output.retarget)) == NULL)
		return err_memory(&c->err);
	if (cli_open_bytes(c, false) != PROF_OK)
		return PROF_FAIL;
	for (int s = 0; s < OVERLAP_SIDES; s++)
		r->diff.file[s] = files[s];
	if (diff_sides_read(&r->sides) != PROF_OK ||
	    diff_sides_compare(&r->sides) != PROF_OK)
		return PROF_FAIL;
	diff_limits_check(&r->limits, &r->diff);
	if (diff_print_result(r) != PROF_OK)
		return PROF_FAIL;
	if (!diff_limits_hold(&r->diff, c))
		c->report.unclean = true;
	return PROF_OK;
}

/*
 * Only text on standard output is for the terminal.  There as many changes are
 * printed as it has lines for, if the user did not say how many.
 */
static void
diff_open_terminal(struct diff_run *r)
{
	struct terminal *t = &r->diff.terminal;
	const char *path = r->cli.output.path;
	bool for_people = r->format == &formats[FORMAT_TEXT] &&
	    (path == NULL || strcmp(path, "-") == 0);

	terminal_open(t, &r->cli, for_people);
	if (!for_people)
		*t = (struct terminal){ .columns = COLUMNS_ANY, .mark = "..." };
	r->diff.fits = t->there && !r->top_given;
	if (r->diff.fits)
		r->diff.top = terminal_rows(t, 0, CHANGES);
}

int
main(int argc, char **argv)
{
	struct diff_run r = { .format = &formats[FORMAT_TEXT],
	    .diff.top = CHANGES };
	int status;

	r.sides.cli = &r.cli;
	r.sides.diff = &r.diff;
	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, argc, argv);
	if (argc - optind != OVERLAP_SIDES || r.cli.inputs.size != 0)
		cli_usage_error(&r.cli, "two profiles are needed, A and B");
	diff_open_terminal(&r);
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, diff_run(&r, argv + optind));
	show_warn_of_names(&r.cli);
	diff_sides_free(&r.sides);
	return status;
}
