/*
 * llvm-cov - for scripts that call LLVM's program of that name
 *
 * Options, output, messages and exit statuses are those of LLVM 13 to 22
 * (llvm/tools/llvm-cov/CodeCoverage.cpp); lib/cover writes the outputs.
 */
#include "config.h"

#include <errno.h>
#include <libiberty/libiberty.h>
#include <limits.h>
#include <regex.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/common/llvm_options.h"
#include "cmd/cover/run.h"
#include "io/input.h"
#include "io/output.h"

enum llvmcov_command { LLVMCOV_EXPORT, LLVMCOV_REPORT, LLVMCOV_SHOW };

enum llvmcov_format { LLVMCOV_TEXT, LLVMCOV_HTML, LLVMCOV_LCOV };

enum { LLVMCOV_BRANCH_COUNTS = 1, LLVMCOV_BRANCH_PERCENTS };

struct llvmcov {
	struct llvm_tool tool;
	struct cli cli;
	enum llvmcov_command command;

	/* Values of options. */
	const char *profile, *folder, *output_dir, *title;
	const char *sources_word;	/* of the command line: --sources */
	struct cli_list objects, sources, ignored, equivalences, arches;
	struct cli_list demangler, names, name_regexes;
	bool empty_profile, show_functions;
	uint64_t unused;
	bool counts, counts_given, counts_or_regions;
	unsigned format, branches;
	struct cover_json_options json;
	struct cover_lcov_options lcov;
	struct cover_report_options report;
	struct cover_show_options show;

	struct cover_binaries binaries;
	struct cover_counts *counted;
	struct cover cover;
	struct buf output;		/* path */
	struct prof_span *local;	/* paths of the cover as they are here,
					   with NUL behind each */
};

/* Ends the program for a file (NULL: all objects) that cannot be loaded. */
static void __attribute__((noreturn))
llvmcov_fail_loading(const struct llvmcov *l, const char *file,
    const char *reason, const char *detail)
{
	struct buf all = { 0 };

	for (size_t i = 0; i < l->objects.size && file == NULL; i++)
		buf_print(&all, "%s%s", i > 0 ? ", " : "",
		    l->objects.items[i]);
	buf_u8(&all, '\0');
	message_print("error: failed to load coverage: '%s': %s%s\n",
	    file == NULL ? (const char *)all.data : file, reason, detail);
	if (l->command == LLVMCOV_EXPORT)
		message_print("error: could not load coverage information\n");
	exit(1);
}

/* The profile, which is an indexed one */

static enum prof_status
llvmcov_add_record(void *writer, const struct prof_record *r,
    struct prof_error *err)
{
	const char *format = r->u.profile.source.format;

	if (r->kind == PROF_REC_PROFILE && (format == NULL ||
	    strcmp(format, "indexed") != 0))
		return err_set(err, PROF_E_FORMAT, "not indexed");
	return prof_put(writer, r, err);
}

static void
llvmcov_read_profile(struct llvmcov *l)
{
	struct cli *c = &l->cli;
	struct prof_writer *w;

	l->counted = cover_counts_new();
	w = l->counted == NULL ? NULL : cover_counts_writer(l->counted,
	    &c->err);
	if (w == NULL)
		cli_out_of_memory(c);
	if (l->profile != NULL) {
		cli_add_input(c, &(struct cli_input){ .path = l->profile,
		    .weight = { 1, 1 } });
		if (cli_read(c, llvmcov_add_record, w) == PROF_OK &&
		    c->report.damage.used == 0)
			err_set(&c->err, PROF_E_FORMAT, "no profile");
	}
	if (c->err.code == PROF_E_FORMAT)
		llvmcov_fail_loading(l, l->profile, "invalid instrumentation "
		    "profile data (bad magic)", "");
	if (c->err.code != 0)
		llvmcov_fail_loading(l, l->profile, c->err.code ==
		    PROF_E_VERSION ? "unsupported instrumentation profile "
		    "format version: " : "malformed instrumentation profile "
		    "data: ", c->err.reason);
	prof_writer_free(w);
}

/* Objects and sources */

/* Whether a file can be read; if not, errno says why. */
static bool
file_is_readable(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return false;
	}
	return access(path, R_OK) == 0;
}

static void
llvmcov_read_object(struct llvmcov *l, const char *path)
{
	struct cli *c = &l->cli;
	struct input *in = input_open(path, 0, NULL, &c->err);
	struct input_member m;
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;

	if (!file_is_readable(path))
		llvmcov_fail_loading(l, path, strerror(errno), "");
	c->inputs.file = path;
	while (status == PROF_OK && (status = input_next(in, &m, &c->err)) ==
	    PROF_OK) {
		if (!cover_binaries_want(m.start))
			llvmcov_fail_loading(l, path, "The file was not "
			    "recognized as a valid object file", "");
		status = cover_binaries_add(&l->binaries, c, in, &m, &c->err);
	}
	if (status == PROF_FAIL && l->arches.size > 0 &&
	    c->err.code == PROF_E_UNSUPPORTED)
		llvmcov_fail_loading(l, path, "No object file for requested "
		    "architecture", "");
	if (status == PROF_FAIL)
		llvmcov_fail_loading(l, path, "malformed coverage data: ",
		    c->err.reason);
	input_close(in);
}

static void
llvmcov_load(struct llvmcov *l)
{
	struct cover_options options = { .release = l->tool.release,
	    .as_llvm = true };
	const struct cover_counts *counts;
	struct stat object, profile;
	struct cli *c = &l->cli;
	bool any = false, has;

	if (l->folder != NULL)
		options.folder = span_of_text(l->folder);
	for (size_t i = 0; i < l->objects.size && l->profile != NULL; i++) {
		if (stat(l->objects.items[i], &object) == 0 &&
		    stat(l->profile, &profile) == 0 &&
		    (object.st_mtim.tv_sec > profile.st_mtim.tv_sec ||
		    (object.st_mtim.tv_sec == profile.st_mtim.tv_sec &&
		    object.st_mtim.tv_nsec > profile.st_mtim.tv_nsec)))
			llvm_warn(l->objects.items[i], "profile data may be "
			    "out of date - object is newer");
	}
	llvmcov_read_profile(l);
	for (size_t i = 0; i < l->objects.size; i++) {
		if (l->arches.size > 0)
			l->binaries.arch = l->arches.items[l->arches.size == 1 ?
			    0 : i];
		llvmcov_read_object(l, l->objects.items[i]);
	}
	if (!cover_init(&l->cover, &options))
		cli_out_of_memory(c);
	counts = l->counted;
	for (size_t i = 0; i < l->binaries.size; i++) {
		const struct cover_binary *b = &l->binaries.items[i];

		if (cover_binary_add(b, &l->cover, &(struct cover_sums){
		    .items = &counts, .size = 1 }, &has, &c->err) != PROF_OK)
			llvmcov_fail_loading(l, b->file, "malformed coverage "
			    "data: ", c->err.reason);
		any |= has;
	}
	if (!any)
		llvmcov_fail_loading(l, NULL, "no coverage data found", "");
	if (cover_finish(&l->cover, &c->err) != PROF_OK)
		cli_out_of_memory(c);
	if (l->cover.mismatches > 0)
		llvm_warn(NULL, "%llu functions have mismatched data",
		    ull(l->cover.mismatches));
}

/* Files and functions that options select */

/* Whether one of the regular expressions matches; wrong ones do not. */
static bool
list_matches(const struct llvmcov *l, const struct cli_list *list,
    regex_t **compiled, struct prof_span text)
{
	if (*compiled == NULL) {
		*compiled = calloc(list->size + 1, sizeof(**compiled));
		if (*compiled == NULL)
			cli_out_of_memory(&l->cli);
		for (size_t i = 0; i < list->size; i++) {
			if (regcomp(&(*compiled)[i], list->items[i],
			    REG_EXTENDED) != 0)
				regcomp(&(*compiled)[i], "$.", REG_EXTENDED);
		}
	}
	for (size_t i = 0; i < list->size; i++) {
		regmatch_t all = { 0, (regoff_t)text.size };

		if (regexec(&(*compiled)[i], (const char *)text.data, 1, &all,
		    REG_STARTEND) == 0)
			return true;
	}
	return false;
}

/* A path without dots; of a folder, with a slash behind it. */
static struct prof_span
path_clean(const struct llvmcov *l, struct buf *b, const char *below,
    struct prof_span path, bool folder)
{
	b->size = 0;
	if (below != NULL)
		cover_path_put(b, span_of_text(below));
	cover_path_put(b, path);
	if (folder && b->size > 0 && b->data[b->size - 1] != '/')
		buf_u8(b, '/');
	if (b->failed)
		cli_out_of_memory(&l->cli);
	return buf_span(b);
}

static bool
span_begins(struct prof_span s, struct prof_span with)
{
	return with.size == 0 || (s.size >= with.size &&
	    memcmp(s.data, with.data, with.size) == 0);
}

/* Where a file of the cover is: the first --path-equivalence counts. */
static struct prof_span
path_map(struct llvmcov *l, struct prof_span path)
{
	struct buf clean = { 0 }, from = { 0 }, out = { 0 };
	struct prof_span whole = path_clean(l, &clean, NULL, path, false);

	for (size_t i = 0; i < l->equivalences.size && out.size == 0; i++) {
		const char *both = l->equivalences.items[i];
		const char *comma = strchr(both, ',');
		struct prof_span begin = path_clean(l, &from, NULL,
		    (struct prof_span){ (const uint8_t *)both,
		    (size_t)(comma - both) }, true);

		if (!span_begins(whole, begin))
			continue;
		path_clean(l, &out, NULL, span_of_text(comma + 1), true);
		buf_put(&out, whole.data + begin.size,
		    whole.size - begin.size);
	}
	if (out.size > 0)
		path = arena_text(&l->cover.arena, buf_span(&out));
	if (path.data == NULL || out.failed)
		cli_out_of_memory(&l->cli);
	buf_free(&clean);
	buf_free(&from);
	buf_free(&out);
	return path;
}

/* Adds the paths of a source or of those below a folder, to *list. */
static bool
sources_add(struct llvmcov *l, const char *file, regex_t **ignored,
    uint32_t **list, size_t *size, size_t *room)
{
	const struct cover *c = &l->cover;
	char *here = *file == '/' ? NULL : getcwd(NULL, 0);
	struct prof_span path, local;
	struct buf b = { 0 };
	struct stat st;
	bool exists = stat(file, &st) == 0, folder, any;

	folder = exists && S_ISDIR(st.st_mode);
	path = path_clean(l, &b, here, span_of_text(file), folder);
	any = exists || l->equivalences.size > 0;
	if (!any)
		llvm_warn(file, "Source file doesn't exist, proceeded by "
		    "ignoring it.");
	if (!folder && list_matches(l, &l->ignored, ignored, path))
		any = false;
	for (size_t i = 0; i < c->sorted_size && any; i++) {
		local = l->local[c->sorted[i]];
		if ((prof_span_equal(path, local) || (folder &&
		    span_begins(local, path) &&
		    access((const char *)local.data, F_OK) == 0 &&
		    !list_matches(l, &l->ignored, ignored, local))) &&
		    !ARRAY_ADD(*list, *size, *room, c->sorted[i]))
			cli_out_of_memory(&l->cli);
	}
	buf_free(&b);
	free(here);
	return any;
}

/*
 * Leaves the paths that the options select in `sorted` of the cover: sources in
 * their order, if some are named and covered.  False: sources were named, but
 * all were left out.
 */
static bool
llvmcov_select_files(struct llvmcov *l)
{
	static regex_t *ignored;
	struct cover *c = &l->cover;
	uint32_t *list = NULL;
	size_t size = 0, room = 0;
	bool any = false;

	l->local = calloc(c->paths.size + 1, sizeof(*l->local));
	if (l->local == NULL)
		cli_out_of_memory(&l->cli);
	for (uint32_t i = 0; i < c->paths.size; i++)
		l->local[i] = path_map(l, c->paths.items[i]);
	for (size_t i = 0; i < l->sources.size; i++)
		any |= sources_add(l, l->sources.items[i], &ignored, &list,
		    &size, &room);
	if (size > 0) {
		free(c->sorted);
		c->sorted = list;
		c->sorted_size = size;
		return true;
	}
	for (size_t i = 0; i < c->sorted_size; i++) {
		if (!list_matches(l, &l->ignored, &ignored,
		    c->paths.items[c->sorted[i]]))
			c->sorted[size++] = c->sorted[i];
	}
	c->sorted_size = size;
	return !any;
}

/* Whether a function passes one of the filters by name. */
static bool
llvmcov_selects(void *arg, uint32_t number)
{
	static regex_t *regexes;
	const struct llvmcov *l = arg;
	struct prof_span name = l->cover.entries[number].function.name, part;
	bool found = list_matches(l, &l->name_regexes, &regexes, name);

	for (size_t i = 0; i < l->names.size && !found; i++) {
		part = span_of_text(l->names.items[i]);
		found = memmem(name.data, name.size, part.data, part.size) !=
		    NULL;
	}
	return found;
}

/* Names of functions */

/* Runs the demangler; NULL, after a message, if it fails. */
static FILE *
llvmcov_run_demangler(struct llvmcov *l)
{
	const struct cover_entry *e = l->cover.entries;
	FILE *in = tmpfile(), *out = tmpfile();
	posix_spawn_file_actions_t actions;
	int status = 0, error;
	pid_t child;

	if (in == NULL || out == NULL || !ARRAY_ADD(l->demangler.items,
	    l->demangler.size, l->demangler.room, NULL))
		cli_out_of_memory(&l->cli);
	for (size_t i = 0; i < l->cover.entries_size; i++, e++) {
		fwrite(e->function.name.data, 1, e->function.name.size, in);
		putc('\n', in);
	}
	rewind(in);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	error = posix_spawnp(&child, l->demangler.items[0], &actions, NULL,
	    (char *const *)(uintptr_t)l->demangler.items, environ);
	posix_spawn_file_actions_destroy(&actions);
	fclose(in);
	if (error != 0)
		llvm_fail(NULL, "%s: could not find the demangler!",
		    strerror(error));
	waitpid(child, &status, 0);
	rewind(out);
	if (status == 0)
		return out;
	message_print("error: %s: \n", l->demangler.items[0]);
	fclose(out);
	return NULL;
}

/* The names of all functions: as they are, or as the demangler has them. */
static void
llvmcov_name_functions(struct llvmcov *l)
{
	struct cover *c = &l->cover;
	FILE *out = l->demangler.size == 0 ? NULL : llvmcov_run_demangler(l);
	size_t n = c->entries_size, lines = 0, room = 0;
	struct prof_span *plain = arena_array(&c->arena, n, sizeof(*plain));
	struct prof_span *names = arena_array(&c->arena, n, sizeof(*names));
	char *line = NULL;
	ssize_t size;

	if (plain == NULL || names == NULL)
		cli_out_of_memory(&l->cli);
	for (size_t i = 0; i < n; i++)
		plain[i] = c->entries[i].function.name;
	while (out != NULL && (size = getline(&line, &room, out)) != -1) {
		if (size > 0 && line[size - 1] == '\n')
			size--;
		if (size == 0 || lines++ >= n)
			continue;
		while (size > 0 && strchr(" \t\r\v\f", line[size - 1]) != NULL)
			size--;
		names[lines - 1] = arena_copy(&c->arena, (struct prof_span){
		    (const uint8_t *)line, (size_t)size });
	}
	if (out != NULL && lines != n)
		message_print("error: demangler did not provide expected "
		    "number of symbols\n");
	l->show.names = out != NULL && lines == n ? names : plain;
	if (out != NULL)
		fclose(out);
	free(line);
}

/* Output */

static bool
llvmcov_read_source(void *arg, uint32_t path, struct prof_span *text)
{
	struct llvmcov *l = arg;
	const char *name = (const char *)l->local[path].data;
	struct input *in = NULL;
	struct prof_error err;
	struct input_member m;
	bool read;

	if (!file_is_readable(name)) {
		message_print("error: %s: %s\n", name, strerror(errno));
		return false;
	}
	in = input_open(name, 0, NULL, &err);
	if (in != NULL)
		input_keep_archive(in);
	read = in != NULL && input_next(in, &m, &err) == PROF_OK &&
	    input_image(in, text, &err) == PROF_OK &&
	    arena_keep(&l->cover.arena, text);
	input_close(in);
	return read;
}

static void
llvmcov_skip(void *arg, struct prof_span name)
{
	const struct llvmcov *l = arg;

	message_print(l->show.wants == NULL ?
	    "warning: The file '%.*s' isn't covered.\n" :
	    "warning: Could not read coverage for '%.*s'.\n",
	    (int)name.size, (const char *)name.data);
}

/* Our own page: one file, whose name is that of LLVM's first one. */
static enum prof_status
llvmcov_write_page(struct llvmcov *l)
{
	struct cover_report report = { .cover = &l->cover };
	struct cli *c = &l->cli;
	enum prof_status status = cover_report_make(&report, &c->err);

	if (status == PROF_OK)
		status = cover_page_write(&report, &(struct
		    cover_page_options){ .title = l->title == NULL ?
		    "Coverage Report" : l->title }, output_write,
		    c->output.file, &c->err);
	free(report.sums);
	return status;
}

static enum prof_status
llvmcov_write(struct llvmcov *l)
{
	struct cli *c = &l->cli;
	struct output *out = c->output.file;

	switch (l->command) {
	case LLVMCOV_EXPORT:
		return l->format == LLVMCOV_LCOV ?
		    cover_write_lcov(&l->cover, &l->lcov, output_write, out,
		    &c->err) : cover_write_json(&l->cover, &l->json,
		    output_write, out, &c->err);
	case LLVMCOV_REPORT:
		return cover_write_report(&l->cover, &l->report, output_write,
		    out, &c->err);
	default:
		return l->format == LLVMCOV_HTML ? llvmcov_write_page(l) :
		    cover_write_show(&l->cover, &l->show, output_write, out,
		    &c->err);
	}
}

/* Options */

static const char usage[] =
    "Usage: llvm-cov {export|report|show} [OPTION]...\n\n"
    "Shows code coverage information.\n\nSubcommands:\n"
    "  export: Export instrprof file to structured format.\n"
    "  report: Summarize instrprof style coverage information.\n"
    "  show:   Annotate source files using instrprof style coverage.\n";

static void
llvmcov_refuse(const struct cli_given *g, enum cli_refusal why)
{
	if (g->verb != NULL)
		llvm_refuse(g, why);
	if (g->word != NULL && (strcmp(g->word, "gcov") == 0 ||
	    strcmp(g->word, "convert-for-testing") == 0))
		llvm_fail(g->word, "this program does not know it: use LLVM's "
		    "llvm-cov");
	if (g->word != NULL)
		message_print("Unrecognized command: %s.\n", g->word);
	message_repeat("\n", g->word != NULL);
	message_repeat(usage, strlen(usage));
	exit(1);
}

/* All operands behind it are sources. */
static void
option_set_sources(const struct cli_given *g)
{
	struct llvmcov *l = g->run;

	l->sources_word = g->word;
	if (g->argument != NULL && !ARRAY_ADD(l->sources.items,
	    l->sources.size, l->sources.room, g->argument))
		cli_out_of_memory(g->cli);
}

static const struct cli_verb verbs[] = {
	[LLVMCOV_EXPORT] = { "export", 0, INT_MAX, NULL, NULL },
	[LLVMCOV_REPORT] = { "report", 0, INT_MAX, NULL, NULL },
	[LLVMCOV_SHOW] = { "show", 0, INT_MAX, NULL, NULL },
	{ 0 }
};

static void
llvmcov_help(const struct cli_given *g)
{
	const struct cli_option *o = g->cli->program->tables[0];

	if (g->verb == NULL)
		printf("%s\nExamples:\n%s", usage,
		    g->cli->program->examples);
	else
		printf("OVERVIEW: LLVM code coverage tool\n\nUSAGE: %s %s "
		    "[options] Covered executable or object file. <Source "
		    "files>\n\nOPTIONS:\n\n", g->cli->name, g->verb->name);
	for (; g->verb != NULL && o->name != NULL; o++) {
		if (o->help != NULL && (o->verbs == 0 ||
		    (o->verbs & CLI_VERB(g->verb - verbs)) != 0))
			printf("  --%s%s%s%s\n", o->name, o->argument == NULL ?
			    "" : "=<", o->argument == NULL ? "" : o->argument,
			    o->argument == NULL ? "" : ">");
	}
	exit(stdio_close(stdout) != 0);
}

enum {
	EXPORT = CLI_VERB(LLVMCOV_EXPORT), SHOW = CLI_VERB(LLVMCOV_SHOW),
	REPORT = CLI_VERB(LLVMCOV_REPORT), ALL = EXPORT | SHOW | REPORT
};

#define AT(field) CLI_MEMBER(struct llvmcov, field)
#define TEXT(name, field) \
	{ 0, name, "string", "", CLI_SETS(struct llvmcov, field), .verbs = ALL }
#define FLAG(c, name, field) \
	{ 0, name, NULL, "", CLI_CALLS(llvm_set_flag), AT(field), .verbs = (c) }
#define NUMBER(c, letter, name) \
	{ letter, name, "uint", "", CLI_CALLS(llvm_set_number), AT(unused), \
	    .max = UINT32_MAX, .verbs = (c) }
#define IGNORE(c, name, value) \
	{ 0, name, value, "", CLI_CALLS(llvm_ignore), .verbs = (c) }

static const struct cli_option options[] = {
	{ 0, "compat", "release", "", CLI_CALLS(llvm_set_compat) },
	TEXT("instr-profile", profile),
	FLAG(ALL, "empty-profile", empty_profile),
	TEXT("object", objects),
	{ 0, "sources", NULL, "", CLI_CALLS(option_set_sources) },
	TEXT("arch", arches),
	TEXT("ignore-filename-regex", ignored),
	TEXT("path-equivalence", equivalences),
	TEXT("compilation-dir", folder),
	TEXT("Xdemangler", demangler),
	TEXT("name", names),
	TEXT("name-regex", name_regexes),
	{ 0, "format", "text|html|lcov", "", CLI_SETS_WORD(struct llvmcov,
	    format, "text", "html", "lcov"), .verbs = ALL },
	FLAG(ALL, "use-color", show.colors),
	NUMBER(ALL, 'j', "num-threads"),
	IGNORE(ALL, "dump", NULL),
	IGNORE(ALL, "debug-file-directory", "string"),
	IGNORE(ALL, "debuginfod", NULL),
	IGNORE(ALL, "check-binary-ids", NULL),
	IGNORE(ALL, "color", NULL),

	FLAG(EXPORT, "summary-only", json.summary_only),
	FLAG(EXPORT, "skip-expansions", json.skip_expansions),
	FLAG(EXPORT, "skip-functions", json.skip_functions),
	FLAG(EXPORT, "skip-branches", lcov.skip_branches),
	FLAG(EXPORT, "unify-instantiations", lcov.join),

	FLAG(ALL, "show-region-summary", report.regions),
	FLAG(ALL, "show-branch-summary", report.branches),
	FLAG(ALL, "show-mcdc-summary", report.conditions),
	FLAG(ALL, "show-instantiation-summary", report.instances),
	FLAG(REPORT, "show-functions", show_functions),

	{ 0, "show-line-counts", NULL, "", CLI_CALLS(llvm_set_flag), AT(counts),
	    CLI_MARKS(struct llvmcov, counts_given), .verbs = SHOW },
	FLAG(SHOW, "show-regions", show.markers),
	FLAG(SHOW, "show-line-counts-or-regions", counts_or_regions),
	{ 0, "show-branches", "count|percent", "", CLI_SETS_WORD(struct
	    llvmcov, branches, "count", "percent"), .value =
	    LLVMCOV_BRANCH_COUNTS, .verbs = SHOW },
	FLAG(SHOW, "show-mcdc", show.decisions),
	FLAG(SHOW, "show-expansions", show.expansions),
	FLAG(SHOW, "show-instantiations", show.instances),
	{ 'o', "output-dir", "string", "", CLI_SETS(struct llvmcov,
	    output_dir), .verbs = SHOW },
	NUMBER(SHOW, 0, "tab-size"),
	{ 0, "project-title", "string", "", CLI_SETS(struct llvmcov, title),
	    .verbs = SHOW },
	IGNORE(SHOW, "coverage-watermark", "high,low"),
	IGNORE(SHOW, "show-directory-coverage", NULL),
	IGNORE(SHOW, "show-created-time", NULL),

	{ 'h', "help", NULL, NULL, CLI_CALLS(llvmcov_help) },
	{ 0, "help-hidden", NULL, NULL, CLI_CALLS(llvmcov_help) },
	{ 0, "version", NULL, NULL, CLI_CALLS(llvm_print_version) },
	{ 0 }
};

static const struct cli_program program = {
	.examples =
"  llvm-cov report -instr-profile words.profdata words.o\n"
"  llvm-cov export -format=lcov -instr-profile words.profdata words.o\n",
	.tables = { options }, .verbs = verbs, .refuse = llvmcov_refuse
};

enum { RELEASE_EMPTY_PROFILE = 20 };

/* Ends the program for options that do not go together. */
static void
llvmcov_check(struct llvmcov *l)
{
	const bool lcov = l->format == LLVMCOV_LCOV;
	struct stat st;

	if ((l->profile == NULL) != l->empty_profile &&
	    l->tool.release >= RELEASE_EMPTY_PROFILE)
		llvm_fail(NULL, "exactly one of -instr-profile and "
		    "-empty-profile must be specified");
	if (l->profile == NULL && !l->empty_profile) {
		message_print("%s %s: for the --instr-profile option: must be "
		    "specified at least once!\n", l->cli.name,
		    l->cli.program->verbs[l->command].name);
		exit(1);
	}
	if (l->objects.size == 0) {
		message_print("No filenames specified!\n");
		exit(1);
	}
	for (size_t i = 0; i < l->equivalences.size; i++) {
		const char *both = l->equivalences.items[i];
		const char *comma = strchr(both, ',');

		if (comma == NULL || comma == both || comma[1] == '\0')
			llvm_fail("-path-equivalence", "invalid argument "
			    "'%s', must be in format 'from,to'", both);
	}
	if (l->arches.size > 1 && l->arches.size != l->objects.size)
		llvm_fail(NULL, "number of architectures doesn't match the "
		    "number of objects");
	if (l->command != LLVMCOV_EXPORT && lcov)
		llvm_fail(NULL, "lcov format should be used with 'llvm-cov "
		    "export'.");
	if (l->command == LLVMCOV_REPORT && l->format == LLVMCOV_HTML)
		llvm_fail(NULL, "HTML output for summary reports is not yet "
		    "supported.");
	if (l->command == LLVMCOV_EXPORT && l->format == LLVMCOV_HTML)
		llvm_fail(NULL, "coverage data can only be exported as "
		    "textual JSON or an lcov tracefile.");
	if (l->profile != NULL && stat(l->profile, &st) != 0)
		llvm_fail(l->profile, "could not read profile data!%s",
		    strerror(errno));
}

/* Operands: the object, unless it comes behind -sources, and sources. */
static void
llvmcov_take_operands(struct llvmcov *l, char **words, int argc, char **argv)
{
	struct cli_list *o = &l->objects;
	size_t named = o->size;

	for (int i = 0; i < argc; i++) {
		struct cli_list *list = &l->sources;

		while (*words != argv[i] && *words != l->sources_word)
			words++;
		if (i == 0 && *words != l->sources_word)
			list = o;
		if (!ARRAY_ADD(list->items, list->size, list->room, argv[i]))
			cli_out_of_memory(&l->cli);
	}
	/* The binary before the sources is the first of all objects. */
	if (o->size > named) {
		memmove(o->items + 1, o->items, named * sizeof(*o->items));
		o->items[0] = argv[0];
	}
}

/* The file below -output-dir, which is made; one page has all sources. */
static const char *
llvmcov_make_output(struct llvmcov *l)
{
	struct buf *b = &l->output;
	char *slash;

	if (l->output_dir == NULL || *l->output_dir == '\0')
		return "-";
	buf_print(b, "%s/index.%s", l->output_dir, l->format == LLVMCOV_HTML ?
	    "html" : "txt");
	buf_u8(b, '\0');
	if (b->failed)
		cli_out_of_memory(&l->cli);
	for (slash = (char *)b->data + 1; (slash = strchr(slash, '/')) != NULL;
	    *slash++ = '/') {
		*slash = '\0';
		if (mkdir((char *)b->data, 0777) != 0 && errno != EEXIST)
			llvm_fail(strerror(errno), "could not create output "
			    "directory!");
	}
	return (const char *)b->data;
}

/* Settles what options leave open. */
static void
llvmcov_settle(struct llvmcov *l)
{
	l->report.colors = l->show.colors;
	if (l->show_functions)
		l->report.names = l->show.names;
	l->lcov.summary_only = l->json.summary_only;
	l->show.counts = l->counts_given || !l->show.markers ||
	    l->counts_or_regions;
	l->show.markers |= l->counts_or_regions;
	l->show.branches = l->branches == LLVMCOV_BRANCH_COUNTS;
	l->show.percents = l->branches == LLVMCOV_BRANCH_PERCENTS;
	if (l->names.size + l->name_regexes.size > 0)
		l->show.wants = llvmcov_selects;
}

int
main(int argc, char **argv)
{
	struct llvmcov l = { .tool.name = "llvm-cov",
	    .cli.program = &program, .lcov.join = true,
	    .report = { .regions = true, .branches = true },
	    .show = { .instances = true, .arg = &l,
	    .colors = isatty(STDOUT_FILENO) == 1,
	    .read = llvmcov_read_source, .skip = llvmcov_skip } };
	struct cli *c = &l.cli;
	bool some;
	char **words;

	llvm_start(&l.tool, c, &argc, &argv);
	expandargv(&argc, &argv);
	words = calloc((size_t)argc + 1, sizeof(*words));
	if (words == NULL)
		cli_out_of_memory(c);
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	l.command = cli_parse(c, &l, &argc, &argv);
	llvmcov_take_operands(&l, words, argc, argv);
	free(words);
	llvmcov_check(&l);
	c->output.path = llvmcov_make_output(&l);
	c->context = prof_context_new(NULL, NULL);
	if (l.demangler.size == 0)
		cli_restrict(c, NULL);
	llvmcov_load(&l);
	some = llvmcov_select_files(&l);
	llvmcov_name_functions(&l);
	llvmcov_settle(&l);
	if (l.show_functions && l.sources.size == 0)
		llvm_fail(NULL, "source files must be specified when "
		    "-show-functions=true is specified");
	if (cli_open_bytes(c, false) != PROF_OK || (some || l.command !=
	    LLVMCOV_SHOW ? llvmcov_write(&l) : PROF_OK) != PROF_OK ||
	    cli_commit_output(c, NULL) != PROF_OK)
		llvm_fail(NULL, "%s", c->err.reason);
	/* The process ends: the system frees its memory. */
	exit(0);
}
