/* prof-filter - some of the functions of profiles, or under other names */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "ops/filter.h"
#include "ops/paths.h"

struct filter_run {
	struct cli cli;
	struct filter *filter;
	struct paths paths;
	bool to_guids, has_min_count;
	bool demangle;			/* names are matched so anyway */
	uint64_t min_count;
	unsigned side;			/* enum filter_side, of rules */
	unsigned rules;			/* enum rule of each, in bits */
	struct arena arena;		/* of one record */
	uint64_t kept, dropped, unknown;
	uint64_t stacks, nameless;	/* functions without a name */
};

static void
filter_add_listed(void *arg, const char *line, size_t size)
{
	struct filter_run *r = arg;

	if (filter_name(r->filter, (enum filter_side)r->side,
	    (struct prof_span){ (const uint8_t *)line, size }, true, NULL) !=
	    PROF_OK)
		cli_out_of_memory(&r->cli);
}

enum rule { FUNCTION, GLOB, REGEX, FUNCTIONS_FROM, HASH };

static void
filter_add_rule(const struct cli_given *g)
{
	struct filter_run *r = g->run;
	enum filter_side side = (enum filter_side)r->side;
	enum prof_status status = PROF_OK;
	struct prof_error err = { 0 };

	r->rules |= 1U << (unsigned)g->option->value;
	switch ((enum rule)g->option->value) {
	case FUNCTION:
		status = filter_name(r->filter, side,
		    span_of_text(g->argument), false, &err);
		break;
	case GLOB:
		status = filter_glob(r->filter, side, g->argument, &err);
		break;
	case REGEX:
		status = filter_regex(r->filter, side, g->argument, &err);
		break;
	case HASH:
		status = filter_hash(r->filter, side, cli_parse_hash(g), &err);
		break;
	default:
		filter_begin(r->filter, side);
		cli_lines(g->cli, g->argument, filter_add_listed, r);
	}
	if (status != PROF_OK)
		cli_usage_error(g->cli, "%s", err.reason);
}

static void
filter_add_prefix(const struct cli_given *g)
{
	struct filter_run *r = g->run;
	struct prof_error err = { 0 };

	if (paths_add(&r->paths, g->argument, &err) != PROF_OK)
		cli_usage_error(g->cli, "%s", err.reason);
}

#define RULE(rule) CLI_CALLS(filter_add_rule), .value = (rule)

static const struct cli_option options[] = {
	{ 0, "function", "NAME", "keep functions of this name",
	    RULE(FUNCTION) },
	{ 0, "glob", "PATTERN",
	    "keep functions whose names match a shell pattern", RULE(GLOB) },
	{ 0, "regex", "REGEX",
	    "keep functions in whose names REGEX is found", RULE(REGEX) },
	{ 0, "functions-from", "LIST",
	    "keep functions in LIST, one name per line",
	    RULE(FUNCTIONS_FROM) },
	{ 0, "hash", "HASH", "keep functions of this hash, decimal or 0x...",
	    RULE(HASH) },
	{ 0, "drop", NULL,
	    "drop functions for which the rules behind it hold",
	    CLI_SETS_VALUE(struct filter_run, side, FILTER_DROP) },
	{ 0, "min-count", "N", "drop functions with no counter of N or more",
	    CLI_SETS_NUMBER(struct filter_run, min_count, 0, UINT64_MAX),
	    CLI_MARKS(struct filter_run, has_min_count) },
	{ 0, "remap-prefix", "OLD=NEW",
	    "files of local names: replace OLD by NEW",
	    CLI_CALLS(filter_add_prefix) },
	{ 0, "strip-path", "[=N]",
	    "files of local names: remove N folders, or all",
	    CLI_SETS_NUMBER(struct filter_run, paths.strip, 0, SIZE_MAX) },
	CLI_DEMANGLE_ROW(struct filter_run, demangle),
	{ 0, "names", "hash", "write guids, which are hashes, for all names",
	    CLI_SETS_WORD(struct filter_run, to_guids, "hash"), .value = 1 },
	{ 0 }
};

static const struct cli_program program = { "prof-filter", "stream",
"usage: prof-filter [options] [FILE...]\n"
"Keeps or drops functions of profiles, and changes their names.\n",
	.examples =
"  prof-filter --drop --glob 'words.c*' -o rest.ndjson a.profraw\n"
"  prof-filter --names hash -o guids.ndjson a.profraw\n",
	.tables = { options, cli_to_options, cli_output_options, cli_options }
};

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
	const char *format = r->cli.output.target.format;
	struct prof_record out = *in;

	arena_reset(&r->arena);
	if (r->to_guids && in->kind == PROF_REC_FUNCTION &&
	    (strcmp(format, "indexed") == 0 || strcmp(format, "text") == 0))
		return err_set(err, PROF_E_UNSUPPORTED, "--names hash: "
		    "compilers find functions by name in %s profiles: use "
		    "--to stream or --to lprf", format);
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

/* Decides on the functions that waited. */
static enum prof_status
filter_end_profile(struct filter_run *r, struct prof_error *err)
{
	enum prof_status status = filter_end(r->filter, err);
	const struct prof_record *held;
	size_t place = 0;
	bool kept;

	while (status == PROF_OK &&
	    (held = filter_next(r->filter, &place, &kept)) != NULL) {
		r->kept += kept;
		r->dropped += !kept;
		if (kept)
			status = filter_put_renamed(r, held, err);
	}
	return status;
}

static enum prof_status
filter_record(void *arg, const struct prof_record *in, struct prof_error *err)
{
	struct filter_run *r = arg;
	enum prof_status status;
	bool waits;

	if (in->kind == PROF_REC_PROFILE)
		filter_begin_profile(r->filter);
	if (in->kind == PROF_REC_END && filter_end_profile(r, err) != PROF_OK)
		return PROF_FAIL;
	if (in->kind == PROF_REC_FUNCTION ||
	    in->kind == PROF_REC_MEMPROF_FUNCTION) {
		status = in->kind == PROF_REC_FUNCTION ?
		    filter_function(r->filter, &in->u.function, &waits, err) :
		    filter_heap_function(r->filter, &in->u.memprof_function,
		    &waits, err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		r->nameless += (in->kind == PROF_REC_FUNCTION ?
		    &in->u.function.symbol :
		    &in->u.memprof_function.symbol)->name.data == NULL;
		r->kept += status == PROF_OK;
		r->dropped += status == PROF_END && !waits;
		if (status == PROF_END)
			return PROF_OK;
	}
	r->stacks += in->kind == PROF_REC_STACK;
	return filter_put_renamed(r, in, err);
}

static void
filter_print_totals(const struct filter_run *r)
{
	const struct cli *c = &r->cli;

	if (c->options.verbose)
		message_print("%s: functions kept: %llu, dropped: %llu\n",
		    c->name, (unsigned long long)r->kept,
		    (unsigned long long)r->dropped);
	if (c->options.quiet)
		return;
	if (c->output.unselected != 0 && !c->output.allow_empty &&
	    r->nameless != 0 && (r->rules & ~(1U << HASH)) != 0)
		message_print("%s: functions of which only the hash of a name "
		    "is known: %llu (--function finds these by the mangled "
		    "name, patterns do not)\n", c->name,
		    (unsigned long long)r->nameless);
	if (r->stacks != 0 && r->rules != 0)
		message_print("%s: warning: call stacks are kept, to which "
		    "rules about functions do not apply: %llu\n", c->name,
		    (unsigned long long)r->stacks);
	if (r->unknown != 0)
		message_print("%s: warning: records of unknown types or of "
		    "data, which may have names, are left out: %llu\n", c->name,
		    (unsigned long long)r->unknown);
}

int
main(int argc, char **argv)
{
	struct filter_run r = { .filter = filter_new() };
	struct cli *c = &r.cli;
	enum prof_status status;
	int exit_status;

	cli_start(c, &program);
	if (r.filter == NULL)
		cli_out_of_memory(c);
	cli_parse(c, &r, &argc, &argv);
	if (r.has_min_count)
		filter_min_count(r.filter, r.min_count);
	cli_operands(c, argc, argv);
	cli_restrict(c, NULL);
	filter_all_forms(r.filter, match_demangled);

	status = cli_open_output(c);
	if (status == PROF_OK)
		status = cli_read(c, filter_record, &r);
	if (r.kept == 0)
		c->output.unselected = r.dropped;
	if (status == PROF_OK)
		status = cli_finish(c);
	exit_status = cli_end(c, status);
	if (exit_status != CLI_TROUBLE)
		filter_print_totals(&r);
	filter_free(r.filter);
	paths_free(&r.paths);
	arena_free(&r.arena);
	return exit_status;
}
