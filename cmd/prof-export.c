/* prof-export - heap profiles for the viewers of other profilers */
#include "config.h"

#include "cmd/common/cli.h"
#include "cmd/print/print.h"
#include "io/suffix.h"

struct export_run {
	struct cli cli;
	struct heap_export export;
	unsigned to;			/* place in export_formats + 1, or 0 */
	bool demangle;
};

static const struct cli_option options[] = {
	{ 0, "to", "FORMAT",
	    "write folded (for flamegraph.pl and others), pprof,\n"
	    "speedscope, svg (a picture of a flame graph) or\n"
	    "firefox (default: by the suffix of -o)",
	    CLI_SETS_WORD(struct export_run, to, "folded", "pprof",
	    "speedscope", "svg", "firefox"), .value = 1 },
	{ 0, "by", "VALUE",
	    "show bytes (default), count, lifetime or accesses",
	    CLI_SETS_WORD(struct export_run, export.options.by,
	    [HEAP_BYTES] = "bytes", [HEAP_COUNT] = "count",
	    [HEAP_LIFETIME] = "lifetime", [HEAP_ACCESSES] = "accesses") },
	{ 0, "lines", NULL, "folded: write files and lines after functions",
	    CLI_SETS(struct export_run, export.options.lines) },
	{ 'C', "demangle", NULL, "demangle names of C++ and Rust functions",
	    CLI_SETS(struct export_run, demangle) },
	CLI_OUTPUT_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-export", NULL,
"usage: prof-export [options] [FILE...]\n"
"Converts heap profiles for viewers.\n",
	.tables = { options, cli_options }
};

/* Without an option, the suffix of -o chooses. */
static void
export_choose_format(struct export_run *r)
{
	struct heap_export *e = &r->export;
	struct cli_output *o = &r->cli.output;

	if (r->to != 0)
		e->format = &export_formats[r->to - 1];
	for (size_t i = 0; i < export_formats_size && e->format == NULL &&
	    o->path != NULL; i++) {
		if (suffix_is(o->path, export_formats[i].suffix))
			e->format = &export_formats[i];
	}
	if (e->format != NULL && e->format->gzipped &&
	    o->packing == PACKING_GZIP)
		o->packing = PACKING_NONE;
}

static void
export_check_options(const struct export_run *r)
{
	const struct heap_export *e = &r->export;

	if (e->format == NULL)
		cli_usage_error(&r->cli, "--to FORMAT is needed, or a file "
		    "with the suffix of one: folded, pprof, speedscope, svg "
		    "or firefox");
	if (e->options.lines && e->format != &export_formats[0])
		cli_usage_error(&r->cli, "--lines needs --to folded: the other "
		    "formats always have lines, or never");
}

int
main(int argc, char **argv)
{
	struct export_run r = { .export.format = NULL };
	int status;

	cli_start(&r.cli, &program);
	r.export.options.warn = cli_warn;
	r.export.options.warn_arg = &r.cli;
	cli_parse(&r.cli, &r, &argc, &argv);
	if (r.demangle)
		r.export.options.name = show_demangled;
	export_choose_format(&r);
	export_check_options(&r);
	cli_operands(&r.cli, argc, argv);
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, cli_export_heap(&r.cli, &r.export));
	show_warn_of_names(&r.cli);
	return status;
}
