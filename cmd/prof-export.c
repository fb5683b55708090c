/* prof-export - heap profiles for the viewers of other profilers */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cmd/common/message_text.h"
#include "model/mib.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"
#include "cmd/common/demangle.h"
#include "cmd/common/suffix.h"
#include "export/export.h"
#include "ops/heap/view.h"

struct export_run {
	struct cli cli;
	const struct export_format *format;
	struct export_options options;
	struct heap_view *view;
};

static void
export_set_format(const struct cli_given *g)
{
	const struct export_format *f = &export_formats[g->option->value];
	struct export_run *r = g->run;

	if (r->format != NULL && r->format != f)
		cli_usage_error(g->cli, "--%s and --%s are one too many",
		    r->format->name, f->name);
	r->format = f;
}

static void
export_set_weight(const struct cli_given *g)
{
	struct export_run *r = g->run;

	if (!heap_value_named(g->argument, &r->options.by))
		cli_usage_error(g->cli, "--by takes bytes, count, lifetime or "
		    "accesses");
}

static void
export_set_demangle(const struct cli_given *g)
{
	struct export_run *r = g->run;

	r->options.name = show_demangled;
}

/* The values of formats are their places in export_formats. */
static const struct cli_option options[] = {
	{ 0, "folded", NULL, "folded stacks, for flamegraph.pl and others",
	    CLI_CALLS(export_set_format), .value = 0 },
	{ 0, "pprof", NULL, "gzipped protocol buffers, for pprof",
	    CLI_CALLS(export_set_format), .value = 1 },
	{ 0, "speedscope", NULL, "JSON, for speedscope",
	    CLI_CALLS(export_set_format), .value = 2 },
	{ .help = "" },
	{ 0, "by", "VALUE",
	    "weigh by bytes (default), count, lifetime, accesses",
	    CLI_CALLS(export_set_weight) },
	{ 0, "lines", NULL, "folded: files and lines behind functions",
	    CLI_SETS(struct export_run, options.lines) },
	{ 'C', "demangle", NULL, "names of C++ and Rust functions in clear",
	    CLI_CALLS(export_set_demangle) },
	CLI_OUTPUT_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-export", NULL,
"usage: prof-export [options] [FILE...]\n"
"Writes where memory was allocated for a viewer; one of these is needed:\n",
	{ options, cli_options }
};

/* Without an option, the suffix of -o chooses. */
static void
export_choose_format(struct export_run *r)
{
	const char *path = r->cli.output.path;

	for (size_t i = 0; i < export_formats_size && r->format == NULL &&
	    path != NULL; i++) {
		if (suffix_is(path, export_formats[i].suffix))
			r->format = &export_formats[i];
	}
	if (r->format != NULL && r->format->gzipped && r->cli.output.packing ==
	    PACKING_GZIP)
		r->cli.output.packing = PACKING_NONE;
}

static void
export_check_options(const struct export_run *r)
{
	if (r->format == NULL)
		cli_usage_error(&r->cli, "one of --folded, --pprof and "
		    "--speedscope is needed, or a file of such a suffix");
	if (r->options.lines && r->format != &export_formats[0])
		cli_usage_error(&r->cli, "--lines goes with --folded: the "
		    "others always have them");
}

static enum prof_status
export_add_record(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	struct export_run *run = arg;

	return heap_view_add(run->view, r, err);
}

/* A weight that no context has would give an empty graph: an error. */
static enum prof_status
export_check_heap(struct export_run *r, const struct heap *h)
{
	const struct mib_field *f = &mib_fields[heap_fields[r->options.by]];
	size_t unknown = 0;

	for (size_t i = 0; i < h->contexts_size; i++)
		unknown += !mib_has(&h->contexts[i].info,
		    heap_fields[r->options.by]);
	if (h->contexts_size == 0)
		return err_set(&r->cli.err, PROF_E_FORMAT, "no heap contexts: "
		    "only heap profiles (memprof) can be exported");
	if (unknown == h->contexts_size)
		return err_set(&r->cli.err, PROF_E_FORMAT,
		    "no context has %s", f->name);
	if (unknown != 0 && !r->cli.options.quiet)
		message_print("%s: warning: %zu of %zu contexts have no "
		    "%s\n", r->cli.name, unknown, h->contexts_size, f->name);
	if (heap_view_saturated(r->view) != 0 && !r->cli.options.quiet)
		message_print("%s: warning: %llu sums are larger than their "
		    "fields\n", r->cli.name,
		    (unsigned long long)heap_view_saturated(r->view));
	return PROF_OK;
}

static enum prof_status
export_run(struct export_run *r)
{
	struct cli *c = &r->cli;
	struct buf b = { 0 };
	enum prof_status status;
	struct heap heap;

	if (cli_open_bytes(c, r->format->gzipped) != PROF_OK)
		return PROF_FAIL;
	if (cli_read(c, export_add_record, r) != PROF_OK)
		return PROF_FAIL;
	heap = heap_view_get(r->view);
	status = export_check_heap(r, &heap);
	if (status == PROF_OK)
		status = r->format->write(&b, &heap, &r->options, &c->err);
	if (status == PROF_OK)
		status = cli_write_text(c, &b);
	buf_free(&b);
	return status;
}

int
main(int argc, char **argv)
{
	struct export_run r = { .view = heap_view_new(false) };
	int exit_status;

	cli_start(&r.cli, &program);
	if (r.view == NULL)
		cli_out_of_memory(&r.cli);
	cli_parse(&r.cli, &r, argc, argv);
	export_choose_format(&r);
	export_check_options(&r);
	cli_operands(&r.cli, argc - optind, argv + optind);
	cli_restrict(&r.cli, NULL);

	exit_status = cli_end(&r.cli, export_run(&r));
	heap_view_free(r.view);
	return exit_status;
}
