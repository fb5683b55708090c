/* prof-symbolize - addresses of heap profiles to functions, files and lines */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "io/map.h"
#include "io/output.h"
#include "io/read_at.h"
#include "sym/correlate.h"
#include "sym/symbolize.h"
#include "sym/work.h"

/* A folder with a file for each build id. */
struct symbolize_cache {
	struct cli *cli;		/* for warnings */
	const char *dir;		/* NULL: there is no cache */
	struct arena arena;		/* of the bytes that were read */
};

/* More addresses than any program has. */
enum { CACHE_MAX = 1 << 30 };

/* DIR/BUILD-ID.frames; the caller frees it. */
static char *
cache_path(const struct symbolize_cache *c, struct prof_span id)
{
	struct buf b = { 0 };

	buf_put(&b, c->dir, strlen(c->dir));
	buf_put(&b, "/", 1);
	digits_append_hex(&b, id);
	buf_put(&b, ".frames", sizeof(".frames"));
	if (b.failed)
		cli_out_of_memory(c->cli);
	return (char *)b.data;
}

/* The program works without a cache, but not without memory. */
static void
cache_warn(const struct symbolize_cache *c, const char *path,
    const struct prof_error *why)
{
	struct prof_error e = { 0 };

	if (why->code == PROF_E_MEMORY)
		cli_out_of_memory(c->cli);
	err_set(&e, PROF_E_NONE, "cache %s: %s", path, why->reason);
	cli_warn(c->cli, &e);
}

/* Reads a file of frames, which is never compressed. */
static enum prof_status
cache_read_file(struct symbolize_cache *c, int fd, struct prof_span *bytes,
    struct prof_error *err)
{
	struct stat st;
	uint8_t *data;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return err_system(err, errno, "cannot read");
	if (!S_ISREG(st.st_mode))
		return err_set(err, PROF_E_FORMAT, "not a file");
	if (st.st_size == 0)
		return err_set(err, PROF_E_TRUNCATED, "the file is empty");
	if (st.st_size < 0 || st.st_size > CACHE_MAX)
		return err_set(err, PROF_E_LIMIT, "the file has more than %d "
		    "bytes", CACHE_MAX);
	data = arena_alloc(&c->arena, (size_t)st.st_size);
	if (data == NULL)
		return err_memory(err);
	n = read_at(fd, data, (size_t)st.st_size, 0);
	if (n < 0)
		return err_system(err, errno, "cannot read");
	*bytes = (struct prof_span){ data, (size_t)n };
	return PROF_OK;
}

static enum prof_status
cache_read(struct symbolize_cache *c, const char *path,
    struct prof_span *bytes, struct prof_error *err)
{
	/* O_NONBLOCK: the open of a FIFO without a writer must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum prof_status status;

	if (fd == -1)
		return err_system(err, errno, "cannot open");
	status = cache_read_file(c, fd, bytes, err);
	close(fd);
	return status;
}

static struct prof_span
symbolize_cache_load(void *arg, struct prof_span id)
{
	struct symbolize_cache *c = arg;
	struct prof_span bytes = { NULL, 0 };
	struct prof_error err = { 0 };
	char *path = cache_path(c, id);

	if (access(path, F_OK) == 0 &&
	    cache_read(c, path, &bytes, &err) != PROF_OK)
		cache_warn(c, path, &err);
	free(path);
	return bytes;
}

/* Whether a pipe or the like is there, which would be written in its place. */
static bool
cache_is_no_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static void
symbolize_cache_save(void *arg, struct prof_span id, const struct buf *bytes)
{
	struct symbolize_cache *c = arg;
	struct prof_error err = { 0 };
	char *path = cache_path(c, id);
	struct output *out = NULL;
	int e;

	/* The load has warned of it. */
	if (cache_is_no_file(path)) {
		free(path);
		return;
	}
	if (mkdir(c->dir, 0777) == 0 || errno == EEXIST)
		out = output_open(path, true, &err);
	else
		err_system(&err, errno, "folder");
	if (out != NULL) {
		e = output_write(out, bytes->data, bytes->size);
		if (e != 0) {
			err_system(&err, e, "write");
			output_discard(out);
		} else
			output_commit(out, &err);
	}
	if (err.code != PROF_E_NONE)
		cache_warn(c, path, &err);
	free(path);
}

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
	struct symbolize_cache cache;
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
	{ 0, "cache", "DIR", "keep frames in DIR, and search there first",
	    CLI_SETS(struct symbolize_run, cache.dir) },
	{ 0, "demangle", NULL,
	    "demangle names of C++ and Rust functions",
	    CLI_SETS(struct symbolize_run, demangle) },
	{ 0, "drop-unsymbolized", NULL,
	    "leave out addresses that are in no function",
	    CLI_SETS(struct symbolize_run, drop) },
	{ 0 }
};

static const struct cli_program program = { "prof-symbolize", "stream",
"usage: prof-symbolize [options] [FILE...]\n"
"Adds functions, files and lines to the call stacks of heap profiles, and\n"
"functions to the counters of correlated profiles.\n",
	.tables = { options, cli_to_options, cli_output_options, cli_options }
};

static void
symbolize_check_options(const struct symbolize_run *r)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (r->debuginfod && (urls == NULL || *urls == '\0'))
		cli_usage_error(&r->cli, "--debuginfod needs servers: "
		    "DEBUGINFOD_URLS names none");
	if (r->paths.size == 0 && r->dirs.size == 0 && !r->debuginfod &&
	    r->cache.dir == NULL)
		cli_usage_error(&r->cli, "one of --binary, --map, --debug-dir, "
		    "--debuginfod and --cache is needed");
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

static struct prof_span
symbolize_load_frames(void *arg, struct prof_span id)
{
	struct symbolize_run *r = arg;

	return symbolize_cache_load(&r->cache, id);
}

static enum prof_status
symbolize_start(struct symbolize_run *r)
{
	struct cli *c = &r->cli;
	struct symbolize_options o = { .map_count = r->map_count,
	    .binary_count = r->paths.size, .maps = r->maps,
	    .search = &r->search,
	    .drop = r->drop, .load = r->cache.dir == NULL ? NULL :
	    symbolize_load_frames, .rename = r->demangle ? symbolize_demangle :
	    NULL, .arg = r, .warn = cli_warn, .warn_arg = c };

	r->cache.cli = c;
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
	    symbolize_finish(r->symbolize, &c->err) != PROF_OK ||
	    (r->cache.dir != NULL && symbolize_save(r->symbolize,
	    symbolize_cache_save, &r->cache, &c->err) != PROF_OK))
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
	cli_restrict(&r.cli, &(struct cli_writes){ .folder = r.cache.dir,
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
	arena_free(&r.cache.arena);
	return exit_status;
}
