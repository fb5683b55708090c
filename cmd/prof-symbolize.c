/* prof-symbolize - addresses of heap profiles to functions, files and lines */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "io/map.h"
#include "sym/symbolizer.h"

/* The options, in lists that grow, and the state of the run. */
struct symbolize_run {
	struct cli cli;
	struct cli_list paths, dirs;	/* of binaries, and where to look */
	bool demangle;
	struct symbolizer symbolizer;
	struct buf name;		/* demangled */
};

static void
symbolize_add_map(const struct cli_given *g)
{
	struct symbolize_run *r = g->run;
	struct symbolizer *sym = &r->symbolizer;
	unsigned long long symbolize_start;
	const char *s = g->argument;
	char *end;

	if (!ARRAY_ROOM(sym->maps, sym->map_count, sym->map_room) ||
	    !ARRAY_ROOM(r->paths.items, r->paths.size, r->paths.room))
		cli_out_of_memory(g->cli);
	errno = 0;
	symbolize_start = strtoull(s, &end, 16);
	if (*end != '=' || end == s || end[1] == '\0' || errno != 0 ||
	    strchr("0123456789abcdefABCDEF", *s) == NULL)
		cli_usage_error(g->cli, "--map needs START=FILE with START in "
		    "hex");
	for (size_t i = 0; i < sym->map_count; i++) {
		if (sym->maps[i].start == symbolize_start)
			cli_usage_error(g->cli, "--map has two files for the "
			    "segment at 0x%llx", symbolize_start);
	}
	sym->maps[sym->map_count++] = (struct module_map){
	    .start = symbolize_start, .binary = r->paths.size };
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
	    CLI_SETS(struct symbolize_run, symbolizer.search.debuginfod) },
	CLI_DEMANGLE_ROW(struct symbolize_run, demangle),
	{ 0, "drop-unsymbolized", NULL,
	    "leave out addresses that are in no function",
	    CLI_SETS(struct symbolize_run, symbolizer.options.drop) },
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
	const bool servers = r->symbolizer.search.debuginfod;

	if (servers)
		cli_need_servers(&r->cli);
	if (r->paths.size == 0 && r->dirs.size == 0 && !servers)
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
symbolize_run(struct symbolize_run *r)
{
	struct symbolizer *s = &r->symbolizer;
	struct cli *c = &r->cli;

	map_handle_errors();
	s->options.rename = r->demangle ? symbolize_demangle : NULL;
	s->options.arg = r;
	s->options.warn = cli_warn;
	s->options.warn_arg = c;
	s->search.debug_dirs = r->dirs.items;
	s->search.debug_dir_count = r->dirs.size;
	c->stage = symbolizer_put;
	c->stage_arg = s;
	for (size_t i = 0; i < r->paths.size; i++) {
		if (symbolizer_add(s, r->paths.items[i], &c->err) != PROF_OK)
			return PROF_FAIL;
	}
	if (cli_open_output(c) != PROF_OK || cli_read(c, cli_put, c) != PROF_OK
	    || symbolizer_finish(s, &c->err) != PROF_OK)
		return PROF_FAIL;
	return cli_finish(c);
}

int
main(int argc, char **argv)
{
	struct symbolize_run r = { .demangle = false };
	int exit_status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, &argc, &argv);
	cli_operands(&r.cli, argc, argv);
	symbolize_check_options(&r);
	cli_restrict(&r.cli, &(struct cli_writes){
	    .servers = r.symbolizer.search.debuginfod });

	exit_status = cli_end(&r.cli, symbolize_run(&r));
	show_warn_of_names(&r.cli);
	symbolizer_free(&r.symbolizer);
	free(r.paths.items);
	free(r.dirs.items);
	buf_free(&r.name);
	return exit_status;
}
