/* prof-symbolize - addresses of heap profiles to functions, files and lines */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "io/map.h"
#include "sym/correlate.h"
#include "sym/symbolize.h"
#include "sym/work.h"

/* The options, in lists that grow, and the state of the run. */
struct symbolize_run {
	struct cli cli;
	struct cli_list paths, dirs;	/* of binaries, and where to look */
	struct module_map *maps;
	size_t map_count, map_room;
	bool debuginfod, demangle, drop;

	struct binary **binaries;
	struct binary_search search;
	struct work work;
	struct buf name;		/* demangled */
	struct correlate *correlate;
	struct symbolize *symbolize;
};

static void
symbolize_add_map(const struct cli_given *g)
{
	struct symbolize_run *r = g->run;
	unsigned long long symbolize_start;
	const char *s = g->argument;
	char *end;

	if (!ARRAY_ROOM(r->maps, r->map_count, r->map_room) ||
	    !ARRAY_ROOM(r->paths.items, r->paths.size, r->paths.room))
		cli_out_of_memory(g->cli);
	errno = 0;
	symbolize_start = strtoull(s, &end, 16);
	if (*end != '=' || end == s || end[1] == '\0' || errno != 0 ||
	    strchr("0123456789abcdefABCDEF", *s) == NULL)
		cli_usage_error(g->cli, "--map needs START=FILE with START in "
		    "hex");
	for (size_t i = 0; i < r->map_count; i++) {
		if (r->maps[i].start == symbolize_start)
			cli_usage_error(g->cli, "--map has two files for the "
			    "segment at 0x%llx", symbolize_start);
	}
	r->maps[r->map_count++] = (struct module_map){ .start = symbolize_start,
	    .binary = r->paths.size };
	r->paths.items[r->paths.size++] = end + 1;
}

static const struct cli_option options[] = {
	{ 0, "binary", "FILE",
	    "use a program, a shared library or a debug file",
	    CLI_SETS(struct symbolize_run, paths) },
	{ 0, "map", "START=FILE",
	    "use FILE for the segment that begins at START",
	    CLI_CALLS(symbolize_add_map) },
	{ 0, "debug-dir", "DIR",
	    "look for debug files by build id in DIR/.build-id",
	    CLI_SETS(struct symbolize_run, dirs) },
	{ 0, "debuginfod", NULL,
	    "ask the servers of DEBUGINFOD_URLS for debug files",
	    CLI_SETS(struct symbolize_run, debuginfod) },
	CLI_DEMANGLE_ROW(struct symbolize_run, demangle),
	{ 0, "drop-unsymbolized", NULL,
	    "leave out addresses that are in no function",
	    CLI_SETS(struct symbolize_run, drop) },
	{ 0 }
};

static const struct cli_program program = { "prof-symbolize", "stream",
"usage: prof-symbolize [options] [FILE...]\n"
"Adds functions, files and lines to the call stacks of heap profiles, and\n"
"functions to the counters of correlated profiles.\n",
	.limits_counts = true,
	.examples =
"  prof-symbolize --binary app.debug -o run.ndjson app.memprofraw\n"
"  prof-symbolize --binary app.debug -o heap.profdata app.memprofraw\n",
	.tables = { options, cli_to_options, cli_output_options, cli_options }
};

static void
symbolize_check_options(const struct symbolize_run *r)
{
	if (r->paths.size == 0 && r->dirs.size == 0 && !r->debuginfod)
		cli_usage_error(&r->cli, "one of --binary, --map, --debug-dir "
		    "and --debuginfod is needed");
}

static struct prof_span
symbolize_demangle(void *arg, struct prof_span name)
{
	struct symbolize_run *r = arg;

	r->name.size = 0;
	if (name.data != NULL)
		show_demangled(&r->name, name);
	if (r->name.failed)
		cli_out_of_memory(&r->cli);
	return buf_span(&r->name);
}

static enum prof_status
symbolize_start(struct symbolize_run *r)
{
	struct cli *c = &r->cli;
	struct symbolize_options o = { .map_count = r->map_count,
	    .binary_count = r->paths.size, .maps = r->maps,
	    .search = &r->search,
	    .drop = r->drop, .rename = r->demangle ? symbolize_demangle : NULL,
	    .arg = r, .warn = cli_warn, .warn_arg = c };

	r->search = (struct binary_search){ r->dirs.items, r->dirs.size,
	    r->debuginfod, &r->work };
	r->binaries = calloc(r->paths.size + 1, sizeof(*r->binaries));
	if (r->binaries == NULL)
		cli_out_of_memory(c);
	map_handle_errors();
	for (size_t i = 0; i < r->paths.size; i++) {
		r->binaries[i] = binary_open(r->paths.items[i], &r->search,
		    &c->err);
		if (r->binaries[i] == NULL)
			return PROF_FAIL;
	}
	o.binaries = r->binaries;
	r->correlate = correlate_new(r->binaries, r->paths.size, &r->search,
	    cli_warn, c);
	if (r->correlate == NULL)
		cli_out_of_memory(c);
	r->symbolize = symbolize_new(&o, &c->err);
	return r->symbolize == NULL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
symbolize_put_record(void *arg, const struct prof_record *in,
    struct prof_error *err)
{
	struct symbolize_run *r = arg;
	struct prof_record out;
	enum prof_status status = symbolize_record(r->symbolize, in, &out,
	    err);

	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return cli_put(&r->cli, &out, err);
}

static enum prof_status
symbolize_correlate_record(void *arg, const struct prof_record *in,
    struct prof_error *err)
{
	struct symbolize_run *r = arg;

	return correlate_put(r->correlate, in, symbolize_put_record, r, err);
}

static enum prof_status
symbolize_run(struct symbolize_run *r)
{
	struct cli *c = &r->cli;

	if (symbolize_start(r) != PROF_OK || cli_open_output(c) != PROF_OK ||
	    cli_read(c, symbolize_correlate_record, r) != PROF_OK ||
	    symbolize_finish(r->symbolize, &c->err) != PROF_OK)
		return PROF_FAIL;
	return cli_finish(c);
}

int
main(int argc, char **argv)
{
	struct symbolize_run r = { .debuginfod = false };
	int exit_status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, &argc, &argv);
	cli_operands(&r.cli, argc, argv);
	symbolize_check_options(&r);
	cli_restrict(&r.cli, &(struct cli_writes){
	    .servers = r.debuginfod });

	exit_status = cli_end(&r.cli, symbolize_run(&r));
	show_warn_of_names(&r.cli);
	symbolize_free(r.symbolize);
	correlate_free(r.correlate);
	for (size_t i = 0; r.binaries != NULL && i < r.paths.size; i++)
		binary_close(r.binaries[i]);
	free(r.binaries);
	free(r.paths.items);
	free(r.maps);
	free(r.dirs.items);
	buf_free(&r.name);
	return exit_status;
}
