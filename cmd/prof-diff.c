/* prof-diff - what changed from one profile to another */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/cli.h"
#include "cmd/compare/compare.h"
#include "cmd/print/print.h"

struct diff_run {
	struct cli cli;
	bool json;
	struct diff_limits limits;
	struct diff_sides sides;
	struct diff diff;
};

/* Changes that are printed unless the user says how many. */
enum { CHANGES = 10 };

static void
diff_set_limit(const struct cli_given *g)
{
	struct diff_run *r = g->run;

	diff_limits_set(&r->limits, g->option->value,
	    g->argument, g->cli);
}

static const struct cli_option options[] = {
	{ 0, "top", "N", "print the N largest changes (10; of a binary, all)",
	    CLI_SETS_NUMBER(struct diff_run, diff.top, 0, UINT32_MAX) },
	{ 0, "sort", "ORDER",
	    "sort changes by share (default), count or ratio",
	    CLI_SETS_WORD(struct diff_run, diff.sort, "share", "count",
	    "ratio") },
	CLI_DEMANGLE_ROW(struct diff_run, diff.demangle),
	{ 0, "json", NULL, "print JSON, one object per line",
	    CLI_SETS(struct diff_run, json) },
	CLI_OUTPUT_ROW,
	{ 0, "for", "LLVM",
	    "use names and hashes as prof-index --for LLVM does",
	    CLI_CALLS(cli_set_release) },
#define DIFF_SETS_LIMIT diff_set_limit
	DIFF_LIMIT_ROWS
	{ 0 }
};

static const struct cli_program program = { "prof-diff", NULL,
"usage: prof-diff [options] OLD NEW\n"
"Compares two profiles of any kind: overlap, and what became of functions.\n"
"If NEW is an instrumented binary, lists functions of OLD that do not fit.\n",
	.limits_counts = true,
	.examples =
"  prof-diff --top 20 b.profraw c.profraw\n"
"  prof-diff --min-overlap 70% --max-stale 1% b.profraw c.profraw\n",
	.tables = { options, cli_options + CLI_LIST_ROWS }
};

static enum prof_status
diff_print_result(struct diff_run *r)
{
	struct cli *c = &r->cli;
	struct buf text = { 0 };
	enum prof_status status;

	(r->json ? diff_json : diff_people)(&text, &r->diff);
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

	r->diff.binary = cli_is_elf(files[OVERLAP_NEW]);
	if (r->diff.binary)
		diff_limits_need_counts(&r->limits, c);
	else if (r->diff.top == SIZE_MAX)
		r->diff.top = CHANGES;
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

int
main(int argc, char **argv)
{
	struct diff_run r = { .diff.top = SIZE_MAX };
	int status;

	r.sides.cli = &r.cli;
	r.sides.diff = &r.diff;
	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, &argc, &argv);
	if (argc != OVERLAP_SIDES)
		cli_usage_error(&r.cli, "two profiles are needed, OLD and NEW");
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, diff_run(&r, argv));
	show_warn_of_names(&r.cli);
	diff_sides_free(&r.sides);
	return status;
}
