/* prof-filter - some of the functions of profiles, or under other names */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/pipeline.h"
#include "base/bytes.h"
#include "ops/filter.h"
#include "ops/paths.h"

static const char usage[] =
"usage: prof-filter [options] [FILE...]\n"
"Keeps or drops functions of profiles, and changes their names.\n"
"\n"
"      --function NAME   keep functions of that name\n"
"      --glob PATTERN    keep functions whose names match a shell pattern\n"
"      --regex REGEX     keep functions whose names match, in any part\n"
"      --names-from LIST keep functions that LIST names, a line each\n"
"      --hash HASH       keep functions of that hash\n"
"      --no-function NAME, --no-glob PATTERN, --no-regex REGEX,\n"
"      --no-names-from LIST, --no-hash HASH\n"
"                        drop those functions\n"
"      --min-count N     drop functions with no counter of N or more\n"
"      --remap-prefix OLD=NEW  files of local names: NEW in front, not OLD\n"
"      --strip-path[=N]  files of local names: without N folders, or any\n"
"      --names hash      write guids, which are hashes, for all names\n"
CLI_TO_USAGE
CLI_OUTPUT_USAGE
CLI_USAGE;

/* Options of rules: each option that keeps, then the one that drops. */
enum {
	FUNCTION = CLI_OWN, NO_FUNCTION, GLOB, NO_GLOB, REGEX, NO_REGEX,
	NAMES_FROM, NO_NAMES_FROM, HASH, NO_HASH, RULES_END,
	MIN_COUNT = RULES_END, REMAP_PREFIX, STRIP_PATH, NAMES
};

static const struct option options[] = {
	{ "function", required_argument, NULL, FUNCTION },
	{ "glob", required_argument, NULL, GLOB },
	{ "regex", required_argument, NULL, REGEX },
	{ "names-from", required_argument, NULL, NAMES_FROM },
	{ "hash", required_argument, NULL, HASH },
	{ "no-function", required_argument, NULL, NO_FUNCTION },
	{ "no-glob", required_argument, NULL, NO_GLOB },
	{ "no-regex", required_argument, NULL, NO_REGEX },
	{ "no-names-from", required_argument, NULL, NO_NAMES_FROM },
	{ "no-hash", required_argument, NULL, NO_HASH },
	{ "min-count", required_argument, NULL, MIN_COUNT },
	{ "remap-prefix", required_argument, NULL, REMAP_PREFIX },
	{ "strip-path", optional_argument, NULL, STRIP_PATH },
	{ "names", required_argument, NULL, NAMES },
	CLI_TO_LONG, CLI_OUTPUT_LONG, CLI_LONG, { 0 }
};

struct filter_run {
	struct cli cli;
	struct filter *filter;
	struct paths paths;
	bool to_guids;
	enum filter_side side;		/* of the list being read */
	struct arena arena;		/* of one record */
	uint64_t kept, dropped, unknown;
};

static uint64_t
filter_parse_number(const struct cli *c, int base)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" :
	    "0123456789";
	const char *s = optarg;
	char *end;
	unsigned long long n;

	if (base == 16 && strncmp(s, "0x", 2) == 0)
		s += 2;
	errno = 0;
	n = strtoull(s, &end, base);
	if (strchr(digits, *s) == NULL || *s == '\0' || *end != '\0' ||
	    errno != 0)
		cli_usage_error(c, "'%s' is no number of 64 bits%s", optarg,
		    base == 16 ? " in hex" : "");
	return n;
}

static void
filter_add_listed(void *arg, const char *line, size_t size)
{
	struct filter_run *r = arg;

	if (filter_name(r->filter, r->side, (struct prof_span){
	    (const uint8_t *)line, size }, NULL) != PROF_OK)
		cli_out_of_memory(&r->cli);
}

static enum prof_status
filter_add_rule(struct filter_run *r, int o, struct prof_error *err)
{
	enum filter_side side = (o - FUNCTION) % 2 == 0 ? FILTER_KEEP :
	    FILTER_DROP;

	switch (o) {
	case FUNCTION:
	case NO_FUNCTION:
		return filter_name(r->filter, side, span_of_text(optarg),
		    err);
	case GLOB:
	case NO_GLOB:
		return filter_glob(r->filter, side, optarg, err);
	case REGEX:
	case NO_REGEX:
		return filter_regex(r->filter, side, optarg, err);
	case HASH:
	case NO_HASH:
		return filter_hash(r->filter, side,
		    filter_parse_number(&r->cli, 16), err);
	default:
		r->side = side;
		filter_begin(r->filter, side);
		cli_lines(&r->cli, optarg, filter_add_listed, r);
		return PROF_OK;
	}
}

static void
filter_set_strip(struct filter_run *r)
{
	uint64_t n = optarg == NULL ? SIZE_MAX : filter_parse_number(&r->cli,
	    10);

	r->paths.strip = n > SIZE_MAX ? SIZE_MAX : (size_t)n;
}

static void
filter_option(struct filter_run *r, int o)
{
	enum prof_status status = PROF_OK;
	struct prof_error err = { 0 };

	if (o >= FUNCTION && o < RULES_END)
		status = filter_add_rule(r, o, &err);
	else if (o == MIN_COUNT)
		filter_min_count(r->filter, filter_parse_number(&r->cli, 10));
	else if (o == REMAP_PREFIX)
		status = paths_add(&r->paths, optarg, &err);
	else if (o == STRIP_PATH)
		filter_set_strip(r);
	else if (o == NAMES && strcmp(optarg, "hash") == 0)
		r->to_guids = true;
	else if (o == NAMES)
		cli_usage_error(&r->cli, "--names takes hash");
	else
		cli_option(&r->cli, o);
	if (status != PROF_OK)
		cli_usage_error(&r->cli, "%s", err.reason);
}

/* Kinds of records whose names, if any, are all known and become guids. */
static bool
filter_is_known_name(enum prof_record_kind kind)
{
	switch (kind) {
	case PROF_REC_PROFILE:
	case PROF_REC_BINARY:
	case PROF_REC_VTABLE:
	case PROF_REC_FUNCTION:
	case PROF_REC_RAW_COUNTERS:
	case PROF_REC_TRACE:
	case PROF_REC_SEGMENT:
	case PROF_REC_STACK:
	case PROF_REC_ALLOCATION:
	case PROF_REC_MEMPROF_FUNCTION:
	case PROF_REC_END:
		return true;
	default:
		return false;
	}
}

/* Unknown members may hold names, and so do paths of files. */
static void
filter_drop_unknown_names(struct prof_record *r)
{
	const struct prof_span none = { NULL, 0 };

	if (r->kind == PROF_REC_PROFILE) {
		r->u.profile.source.file = none;
		r->u.profile.source.member = none;
		r->u.profile.extra = none;
	} else if (r->kind == PROF_REC_FUNCTION)
		r->u.function.extra = none;
}

static enum prof_status
filter_put_renamed(struct filter_run *r, const struct prof_record *in,
    struct prof_error *err)
{
	const struct rename paths = { paths_rename, &r->paths, &r->arena };
	const struct rename guids = { rename_to_guid, NULL, &r->arena };
	struct prof_record out = *in;

	arena_reset(&r->arena);
	if (r->to_guids && in->kind == PROF_REC_NAME)
		return PROF_OK;
	if (r->to_guids && !filter_is_known_name(in->kind)) {
		r->unknown++;
		return PROF_OK;
	}
	if (r->paths.prefix_count != 0 || r->paths.strip != 0) {
		if (rename_record(in, &out, &paths, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (r->to_guids) {
		if (rename_record(&out, &out, &guids, err) != PROF_OK ||
		    rename_heap_to_guids(&out, &out,
		    &r->arena, err) != PROF_OK)
			return PROF_FAIL;
		filter_drop_unknown_names(&out);
	}
	return cli_put(&r->cli, &out, err);
}

static enum prof_status
filter_record(void *arg, const struct prof_record *in, struct prof_error *err)
{
	struct filter_run *r = arg;
	enum prof_status status;

	if (in->kind == PROF_REC_FUNCTION ||
	    in->kind == PROF_REC_MEMPROF_FUNCTION) {
		status = in->kind == PROF_REC_FUNCTION ?
		    filter_function(r->filter, &in->u.function, err) :
		    filter_heap_function(r->filter, &in->u.memprof_function,
		    err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		r->kept += status == PROF_OK;
		r->dropped += status == PROF_END;
		if (status == PROF_END)
			return PROF_OK;
	}
	return filter_put_renamed(r, in, err);
}

static void
filter_print_totals(const struct filter_run *r)
{
	if (r->cli.options.verbose)
		fprintf(stderr, "%s: %llu functions kept, %llu dropped\n",
		    r->cli.name, (unsigned long long)r->kept,
		    (unsigned long long)r->dropped);
	if (r->unknown != 0 && !r->cli.options.quiet)
		fprintf(stderr, "%s: warning: %llu records of unknown types "
		    "or of data may have names: left out\n", r->cli.name,
		    (unsigned long long)r->unknown);
}

int
main(int argc, char **argv)
{
	struct filter_run r = { .filter = filter_new() };
	struct cli *c = &r.cli;
	enum prof_status status;
	int o, exit_status;

	cli_start(c, "prof-filter", usage, "stream");
	if (r.filter == NULL)
		cli_out_of_memory(c);
	while ((o = getopt_long(argc, argv, CLI_LETTERS CLI_OUTPUT_LETTERS,
	    options, NULL)) != -1)
		filter_option(&r, o);
	cli_operands(c, argc - optind, argv + optind);

	status = cli_open_output(c);
	if (status == PROF_OK)
		status = cli_read(c, filter_record, &r);
	if (status == PROF_OK)
		status = cli_finish(c);
	if (r.kept == 0)
		c->output.unselected = r.dropped;
	exit_status = cli_end(c, status);
	if (exit_status != CLI_TROUBLE)
		filter_print_totals(&r);
	filter_free(r.filter);
	paths_free(&r.paths);
	arena_free(&r.arena);
	return exit_status;
}
