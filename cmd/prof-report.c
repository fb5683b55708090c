/* prof-report - profiles as one page for a browser */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "cmd/common/cli.h"
#include "cmd/print/print.h"
#include "cmd/report/report.h"
#include "io/suffix.h"

struct report_run {
	struct cli cli;
	struct report report;
	struct cli_list binaries;
	enum { FORMAT_BY_SUFFIX, FORMAT_HTML, FORMAT_SVG } format;
	bool limited;			/* there are limits for verdicts */
};

static void
report_set_verdict(const struct cli_given *g)
{
	struct report_run *r = g->run;

	r->limited = true;
	diff_limits_set(&r->report.limits, (enum diff_limit)g->option->value,
	    g->argument, g->cli);
}

static const struct cli_option options[] = {
	{ 0, "to", "FORMAT", "html (default), or svg: the flame graph",
	    CLI_SETS_WORD(struct report_run, format, "html", "svg"),
	    .value = FORMAT_HTML },
	{ 0, "top", "N",
	    "keep only the N largest functions and heap contexts",
	    CLI_SETS_NUMBER(struct report_run, report.limit, 1, UINT32_MAX) },
	{ 0, "binary", "FILE",
	    "name functions of which a heap profile has hashes",
	    CLI_SETS(struct report_run, binaries) },
	CLI_OUTPUT_ROW,
	CLI_JOBS_ROW,
	DIFF_LIMIT_ROWS(report_set_verdict),
	{ 0 }
};

static const struct cli_program program = { "prof-report", NULL,
"usage: prof-report [options] [PROFILE [BASE]]\n"
"Writes a profile of any kind as one page for a browser, or compares two\n"
"profiles: A, the BASE, and B, the PROFILE.\n",
	.tables = { options, cli_options }
};

/* Without --to, the suffix of -o chooses. */
static void
report_choose_format(struct report_run *run)
{
	const char *path = run->cli.output.path;
	struct report *r = &run->report;

	if (run->format == FORMAT_BY_SUFFIX && path != NULL &&
	    suffix_is(path, "svg"))
		run->format = FORMAT_SVG;
	r->svg = run->format == FORMAT_SVG;
	if (r->svg && r->limit != SIZE_MAX)
		cli_usage_error(&run->cli, "--top is for pages: svg leaves "
		    "out frames that are too narrow to see");
}

/* One operand is an input as those of lists are; two are compared. */
static void
report_operands(struct report_run *r, int argc, char **argv)
{
	struct cli *c = &r->cli;

	if (argc > OVERLAP_SIDES ||
	    (argc == OVERLAP_SIDES && c->inputs.size != 0))
		cli_usage_error(c, "one profile is needed, or two to compare");
	if (argc < OVERLAP_SIDES) {
		if (r->limited)
			cli_usage_error(c, "limits need a second profile to "
			    "compare with");
		cli_operands(c, argc, argv);
		return;
	}
	r->report.profile = argv[0];
	r->report.base = argv[1];
}

int
main(int argc, char **argv)
{
	struct report_run r = { .report.limit = SIZE_MAX };
	int status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, &argc, &argv);
	r.report.binaries = r.binaries.items;
	r.report.binaries_size = r.binaries.size;
	report_operands(&r, argc, argv);
	report_choose_format(&r);
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, report_make(&r.cli, &r.report));
	show_warn_of_names(&r.cli);
	free(r.binaries.items);
	return status;
}
