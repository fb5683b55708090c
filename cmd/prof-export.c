/* prof-export - heap profiles for the viewers of other profilers */
#include "config.h"

#include <stdlib.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "export/export.h"
#include "io/suffix.h"
#include "model/mib.h"
#include "sym/symbolizer.h"

enum { FORMAT_BY_SUFFIX, FORMAT_FOLDED, FORMAT_PPROF };

struct export_run {
	struct cli cli;
	struct export_options options;
	unsigned format;
	bool demangle;
	struct cli_list binaries;
	struct heap_names names;	/* of the binaries */
	struct symbolizer symbolizer;
};

static const struct cli_option options[] = {
	{ 0, "to", "FORMAT",
	    "write folded (for flamegraph.pl, speedscope, Firefox and\n"
	    "others) or pprof (default: by the suffix of -o)",
	    CLI_SETS_WORD(struct export_run, format, "folded", "pprof"),
	    .value = FORMAT_FOLDED },
	{ 0, "by", "VALUE",
	    "show bytes (default), count, lifetime or accesses",
	    CLI_SETS_WORD(struct export_run, options.by,
	    [HEAP_BYTES] = "bytes", [HEAP_COUNT] = "count",
	    [HEAP_LIFETIME] = "lifetime", [HEAP_ACCESSES] = "accesses") },
	{ 0, "lines", NULL, "folded: write files and lines after functions",
	    CLI_SETS(struct export_run, options.lines) },
	{ 0, "binary", "FILE",
	    "take functions of the heap profile from a binary",
	    CLI_SETS(struct export_run, binaries) },
	CLI_DEMANGLE_ROW(struct export_run, demangle),
	CLI_OUTPUT_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-export", NULL,
"usage: prof-export [options] [FILE...]\n"
"Converts heap profiles for viewers.\n",
	.examples =
"  prof-export --to folded -o heap.folded heap.ndjson\n"
"  prof-export --to pprof -o heap.pb.gz heap.ndjson\n",
	.tables = { options, cli_options }
};

/* Without an option, the suffix of -o chooses. */
static void
export_choose_format(struct export_run *r)
{
	struct cli_output *o = &r->cli.output;

	if (r->format == FORMAT_BY_SUFFIX && o->path != NULL)
		r->format = suffix_is(o->path, "folded") ? FORMAT_FOLDED :
		    suffix_is(o->path, "pb") ? FORMAT_PPROF : r->format;
	if (r->format == FORMAT_BY_SUFFIX)
		cli_usage_error(&r->cli, "--to FORMAT is needed, or a file "
		    "with the suffix of one: folded or pb");
	/* pprof's format is gzipped, whatever the file is called. */
	if (r->format == FORMAT_PPROF && o->packing == PACKING_GZIP)
		o->packing = PACKING_NONE;
	if (r->options.lines && r->format != FORMAT_FOLDED)
		cli_usage_error(&r->cli, "--lines needs --to folded: pprof "
		    "always has lines");
}

static enum prof_status
export_add_record(void *view, const struct prof_record *r,
    struct prof_error *err)
{
	return heap_view_add(view, r, err);
}

/* A weight that no context has would give an empty graph: an error. */
static enum prof_status
export_check_weight(struct cli *c, const struct heap *h, enum heap_value by)
{
	const struct mib_field *f = &mib_fields[heap_fields[by]];
	size_t unknown = 0;

	for (size_t i = 0; i < h->contexts_size; i++)
		unknown += !mib_has(&h->contexts[i].info, heap_fields[by]);
	if (h->contexts_size == 0)
		return err_set(&c->err, PROF_E_FORMAT, "no heap contexts: "
		    "only heap profiles (memprof) can be exported");
	if (unknown == h->contexts_size)
		return err_set(&c->err, PROF_E_FORMAT, "no context has %s",
		    f->name);
	if (unknown != 0 && !c->options.quiet)
		message_print("%s: warning: contexts without %s: %zu of "
		    "%zu\n", c->name, f->name, unknown, h->contexts_size);
	return PROF_OK;
}

static enum prof_status
export_write_heap(struct export_run *r, struct heap_view *view)
{
	struct cli *c = &r->cli;
	enum heap_naming naming = heap_view_name(view, &r->names);
	struct heap heap = heap_view_get(view);
	enum prof_status status;
	struct buf b = { 0 };

	if (naming == HEAP_ADDRESSES)
		heap_naming_warn(c, NULL, naming);
	if (export_check_weight(c, &heap, r->options.by) != PROF_OK)
		return PROF_FAIL;
	heap_saturated_warn(c, NULL, view);
	status = (r->format == FORMAT_PPROF ? export_pprof : export_folded)(&b,
	    &heap, &r->options, &c->err);
	if (status == PROF_OK)
		status = cli_write_text(c, &b);
	buf_free(&b);
	return status;
}

/* Reads the inputs, adds them up and writes the output. */
static enum prof_status
export_run(struct export_run *r)
{
	struct heap_view *view = heap_view_new(false);
	struct cli *c = &r->cli;
	enum prof_status status;

	if (view == NULL)
		return err_memory(&c->err);
	status = cli_add_binaries(c, &r->symbolizer, &r->binaries,
	    &r->names);
	if (status == PROF_OK)
		status = cli_open_bytes(c, r->format == FORMAT_PPROF);
	if (status == PROF_OK)
		status = cli_read(c, export_add_record, view);
	if (status == PROF_OK)
		status = symbolizer_finish(&r->symbolizer, &c->err);
	if (status == PROF_OK)
		status = export_write_heap(r, view);
	heap_view_free(view);
	return status;
}

int
main(int argc, char **argv)
{
	struct export_run r = { .format = FORMAT_BY_SUFFIX };
	int status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, &argc, &argv);
	if (r.demangle)
		r.options.name = show_demangled;
	export_choose_format(&r);
	cli_operands(&r.cli, argc, argv);
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, export_run(&r));
	show_warn_of_names(&r.cli);
	heap_names_free(&r.names);
	symbolizer_free(&r.symbolizer);
	free(r.binaries.items);
	return status;
}
