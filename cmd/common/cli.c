#include "config.h"

#include "cmd/common/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "cmd/common/messages.h"
#include "cmd/common/process.h"
#include "io/output.h"
#include "io/same_file.h"
#include "io/temporary.h"

struct made_path {
	char *path;
	bool folder;
	struct stat file;		/* state of a file */
};

/* In the order in which they were made; the handler of exit has no argument. */
static struct {
	struct made_path *paths;
	size_t size, room;
	bool registered;
} made;

static void
made_remove(const struct made_path *m)
{
	struct stat st;

	if (m->folder)
		rmdir(m->path);		/* fails unless empty */
	else if (lstat(m->path, &st) == 0 &&
	    same_file(&st, &m->file))
		unlink(m->path);
}

static void
made_forget_last(void)
{
	free(made.paths[--made.size].path);
}

static void
made_undo(void)
{
	while (made.size > 0) {
		made_remove(&made.paths[made.size - 1]);
		made_forget_last();
	}
	free(made.paths);
	made.paths = NULL;
	made.room = 0;
}

static bool
made_add(const char *path, const struct stat *file)
{
	struct made_path new = { .folder = file == NULL };

	if (!made.registered && atexit(made_undo) != 0)
		return false;
	made.registered = true;
	if (!ARRAY_ROOM(made.paths, made.size, made.room) ||
	    (new.path = strdup(path)) == NULL)
		return false;
	if (file != NULL)
		new.file = *file;
	made.paths[made.size++] = new;
	return true;
}

int
made_folder(const char *path)
{
	int error;

	if (!made_add(path, NULL))
		return ENOMEM;
	if (mkdir(path, 0777) == 0)
		return 0;
	error = errno;
	made_forget_last();
	return error;
}

bool
made_file(const char *path, const struct stat *new)
{
	struct stat st;

	return lstat(path, &st) == 0 || errno != ENOENT ||
	    made_add(path, new);
}

void
made_keep(void)
{
	while (made.size > 0)
		made_forget_last();
}

/* A list may name files anywhere, and is read later. */
static bool
restrict_has_lists(const struct cli *c)
{
	for (size_t i = 0; i < c->inputs.size; i++) {
		if (c->inputs.items[i].kind != CLI_FILE)
			return true;
	}
	return false;
}

/* A folder whose files are replaced, or the folder of a file. */
static void
restrict_allow_inputs(const struct cli *c, struct sandbox *s)
{
	for (size_t i = 0; i < c->inputs.size; i++) {
		const char *path = c->inputs.items[i].path;

		sandbox_allow_output(s, path);
		if (c->options.recursive && *path != '\0')
			sandbox_allow_folder(s, path);
	}
}

void
cli_need_servers(const struct cli *c)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls == NULL || *urls == '\0')
		cli_usage_error(c, "--debuginfod needs servers: "
		    "DEBUGINFOD_URLS names none");
}

void
cli_restrict(const struct cli *c, const struct cli_writes *more)
{
	static const struct cli_writes none;
	const struct cli_writes *w = more == NULL ? &none : more;
	unsigned flags = (w->servers ? SANDBOX_NETWORK : 0u) |
	    (w->removes ? SANDBOX_REMOVE : 0u) |
	    (w->replaces && restrict_has_lists(c) ? SANDBOX_WRITE : 0u);
	struct sandbox s;

	/* The command would inherit the restrictions, and could not run. */
	if (c->inputs.open != NULL)
		return;
	sandbox_prepare(&s, flags);
	sandbox_allow_output(&s, c->output.path);
	sandbox_allow_output(&s, c->report.damage.report);
	sandbox_allow_output(&s, w->file);
	if (w->folder != NULL)
		sandbox_allow_folder(&s, w->folder);
	if (w->temporaries)
		sandbox_allow_folder(&s, temporary_folder());
	if (w->replaces)
		restrict_allow_inputs(c, &s);
	sandbox_enter(&s);
}

void
cli_start(struct cli *c, const struct cli_program *p)
{
	cli_expect_end();
	cli_cleanup_at_end();
	*c = (struct cli){ .name = p->name, .program = p };
	c->context = prof_context_new(cli_warn, c);
	c->report.progress = calloc(1, sizeof(*c->report.progress));
	if (c->context == NULL || c->report.progress == NULL)
		cli_out_of_memory(c);
	if (p->limits_counts)
		prof_context_limit_counts(c->context, PROF_COUNT_PLAUSIBLE, 0);
}

static void
cli_print_skipped(const struct cli *c)
{
	if (c->report.skipped != 0 && !c->options.quiet)
		message_print("%s: skipped %llu %s\n", c->name,
		    (unsigned long long)c->report.skipped,
		    c->report.skipped == 1 ? "file that is not a profile" :
		    "files that are not profiles");
}

/* Inputs and members that a run without failure has left out. */
static void
cli_print_left_out(const struct cli *c)
{
	const struct cli_damage *d = &c->report.damage;

	/* Each input that gives trouble was named. */
	if (d->bad != 0 && !c->report.trouble)
		message_print("%s: bad inputs left out: %llu of %llu\n",
		    c->name, (unsigned long long)d->bad,
		    (unsigned long long)(d->bad + d->used));
	cli_print_skipped(c);
	if (c->report.sharing != NULL) {
		message_print("%.*s", (int)strlen(c->report.sharing) - 1,
		    c->report.sharing);
		if (c->report.sharing_inputs > 1)
			message_print("; profiles with such functions: %llu",
			    (unsigned long long)c->report.sharing_inputs);
		message_print("\n");
	}
}

static bool
cli_has_option(const struct cli *c, const char *name)
{
	for (size_t t = 0; c->program->tables[t] != NULL; t++) {
		const struct cli_option *o = c->program->tables[t];

		for (; o->name != NULL || o->help != NULL; o++) {
			if (o->name != NULL && strcmp(o->name, name) == 0)
				return true;
		}
	}
	return false;
}

/* What helps against a bad input that ended the run, or was passed by. */
static void
cli_print_hint(const struct cli *c)
{
	const struct cli_inputs *in = &c->inputs;
	const struct cli_damage *d = &c->report.damage;
	bool damaged = d->damaged || *err_damage_word(c->err.code) != '\0';
	bool several = !d->needs_all && !c->report.trouble &&
	    (damaged || c->err.code == PROF_E_FORMAT) && (in->size != 1 ||
	    in->file == NULL || in->member != NULL ||
	    strcmp(in->file, in->items[0].path) != 0);
	/* An error without a place is of an archive, or of the system. */
	bool salvage = damaged && (d->damaged ||
	    c->err.where != PROF_NOWHERE) && !c->options.salvage &&
	    cli_has_option(c, "salvage");

	if (d->bad != 0 && !d->keep_going && !c->options.quiet &&
	    (several || salvage))
		message_print("%s: hint: %s%s%s\n", c->name,
		    several ? "--keep-going leaves bad inputs out" : "",
		    several && salvage ? ", " : "",
		    salvage ? "--salvage may read intact parts" : "");
}

int
cli_end(struct cli *c, enum prof_status status)
{
	bool reported = cli_damage_end(c, &c->err);

	cli_progress_clear(c);
	if (status == PROF_FAIL) {
		/* Why ERR_NO_PROFILE: nothing was read at all. */
		if (c->report.damage.used == 0 && c->report.damage.bad == 0) {
			cli_print_skipped(c);
			/* The only input is a folder or a list without one. */
			if (c->inputs.file == NULL && c->inputs.size == 1 &&
			    strcmp(c->err.reason, ERR_NO_PROFILE) == 0)
				c->inputs.file = c->inputs.items[0].path;
		}
		cli_print_error(c, &c->err);
		cli_print_hint(c);
		c->output.insertion.put = NULL;
		if (!c->output.failed)
			prof_abort(c->output.writer, c->err.reason);
	} else {
		if (c->report.trouble)
			cli_print_hint(c);
		cli_print_left_out(c);
		if (!cli_output_is_whole(c))
			c->report.unclean = true;
	}
	if (prof_context_salvaged(c->context))
		c->report.unclean = true;
	prof_writer_free(c->output.writer);
	if (c->output.file != NULL)
		output_discard(c->output.file);
	prof_context_free(c->context);
	if (c->output.retargeter != NULL)
		retarget_free(c->output.retargeter);
	cli_names_free(c->inputs.names);
	free(c->inputs.failed_member);
	free(c->inputs.failed_file);
	free(c->report.sharing);
	free(c->report.progress);
	free(c->output.group_path);
	free(c->inputs.items);
	/* libarchive may exit even where an unfinished output is freed. */
	cli_reach_end();
	if (status == PROF_FAIL || !reported || c->report.trouble)
		return CLI_TROUBLE;
	made_keep();
	/* A run with more bad inputs than a limit allows has failed. */
	return (c->report.damage.bad == 0 || c->report.damage.limited) &&
	    !c->report.unclean ? CLI_DONE : CLI_NO;
}
