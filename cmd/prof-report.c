/* prof-report - profiles as one page for a browser */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "cmd/common/cli.h"
#include "cmd/print/print.h"
#include "cmd/report/report.h"

struct report_run {
	struct cli cli;
	struct report report;
	struct cli_list binaries;
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
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, report_make(&r.cli, &r.report));
	show_warn_of_names(&r.cli);
	free(r.binaries.items);
	return status;
}
