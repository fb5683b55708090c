#include "config.h"

#include "cmd/common/consume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/common/cleanup.h"
#include "cmd/common/cli.h"
#include "cmd/common/consume_state.h"
#include "cmd/common/message_text.h"
#include "io/rewrite.h"
#include "io/same_file.h"
#include "io/temporary.h"

static bool
consume_absolute(const struct consume *s, const char *path, char to[PATH_MAX])
{
	int n = snprintf(to, PATH_MAX, "%s%s", *path == '/' ? "" : s->folder,
	    path);

	return n > 0 && n < PATH_MAX;
}

/* Sets the paths of the output and of its journal, from the root. */
static void
consume_set_paths(struct cli *c, struct consume *s)
{
	char resolved[PATH_MAX];
	size_t folder, size;
	int error, n;

	if (getcwd(s->folder, sizeof(s->folder) - 1) == NULL)
		consume_exit(c, "current folder: %s", strerror(errno));
	size = strlen(s->folder);
	if (size == 0 || s->folder[size - 1] != '/')
		strcpy(s->folder + size, "/");
	error = output_resolve(c->output.path, resolved);
	if (error == 0 && !consume_absolute(s, resolved, s->target))
		error = ENAMETOOLONG;
	if (error != 0)
		consume_exit(c, "cannot open: %s", strerror(error));
	folder = path_folder_size(s->target);
	n = s->group ? snprintf(s->journal.path, PATH_MAX,
	    "%s/.groups.consumed", s->target) : snprintf(s->journal.path,
	    PATH_MAX, "%.*s.%s.consumed", (int)folder, s->target,
	    s->target + folder);
	if (n < 0 || n >= PATH_MAX)
		consume_exit(c, "cannot open: %s", strerror(ENAMETOOLONG));
}

void
cli_consume_begin(struct cli *c, bool group)
{
	struct consume *s;
	int error;

	if (c->output.path == NULL || strcmp(c->output.path, "-") == 0)
		cli_usage_error(c, "--consume needs an output file: -o FILE");
	c->inputs.consume = s = calloc(1, sizeof(*s));
	if (s == NULL)
		cli_out_of_memory(c);
	s->group = group;
	s->lock = -1;
	consume_set_paths(c, s);
	s->existed = stat(s->target, &s->before) == 0;
	if (s->existed && !group && !S_ISREG(s->before.st_mode))
		cli_usage_error(c, "--consume needs an output file: %s is not "
		    "a file", c->output.path);
	error = journal_open(&s->journal);
	if (error == 0)
		error = journal_lock(&s->journal, &s->lock);
	if (error == 0)
		consume_recover(c, s);
	else if (error == ELOOP)
		consume_exit(c, "it is an input of another run with --consume, "
		    "or of one that was stopped");
	else if (error == EWOULDBLOCK)
		consume_exit(c, "another run with --consume is writing it");
	else if (error != ENOENT)
		consume_exit_unreadable(c, s->journal.path, error);
	journal_close(&s->journal);
	s->record = output_open(s->journal.path, false, &c->err);
	if (s->record == NULL)
		consume_exit(c, "%s", c->err.reason);
}

static enum prof_status
consume_put(struct consume *s, enum journal_kind kind, const struct stat *st,
    const char *path, struct prof_error *err)
{
	const struct journal_line l = { kind, journal_state_of(st), path };
	int error = journal_put(s->record, &l);

	return error == 0 ? PROF_OK : err_system(err, error,
	    "record of inputs");
}

/* Whether the input is a file of the folder of the outputs. */
static bool
consume_is_inside(const struct consume *s, const char *path)
{
	char folder[PATH_MAX];
	struct stat st;

	snprintf(folder, sizeof(folder), "%.*s", (int)path_folder_size(path),
	    path);
	return s->group && stat(folder, &st) == 0 &&
	    same_file(&st, &s->before);
}

enum prof_status
cli_consume_note(struct cli *c, const struct stat *st, bool whole)
{
	struct consume *s = c->inputs.consume;
	char path[PATH_MAX];

	if (c->inputs.current->subtracted)
		return PROF_OK;
	if (s->existed && same_file(st, &s->before))
		s->adds = true;
	else
		s->used = true;
	/* Pipes and devices are not removed. */
	if (!whole || !S_ISREG(st->st_mode) ||
	    strcmp(c->inputs.file, "-") == 0)
		return PROF_OK;
	if (!consume_absolute(s, c->inputs.file, path))
		return err_system(&c->err, ENAMETOOLONG, "--consume");
	s->inside = s->inside || consume_is_inside(s, path);
	return consume_put(s, JOURNAL_INPUT, st, path, &c->err);
}

bool
cli_consume_had(const struct consume *s, const char *path)
{
	char absolute[PATH_MAX];
	struct stat st;

	return s != NULL && s->resumed &&
	    consume_absolute(s, path, absolute) && stat(path, &st) != 0 &&
	    errno == ENOENT && journal_inputs_have(&s->had, absolute);
}

enum prof_status
cli_consume_ready(struct cli *c)
{
	struct consume *s = c->inputs.consume;

	if (s == NULL || (!s->resumed && !s->inside))
		return PROF_OK;
	c->inputs.file = c->inputs.member = NULL;
	if (s->inside)
		return err_set(&c->err, PROF_E_UNSUPPORTED, "--consume cannot "
		    "be used with inputs in the folder of --group-by");
	if (!s->used) {
		if (unlink(s->journal.path) != 0)
			return err_system(&c->err, errno, s->journal.path);
		s->nothing = true;
		if (!c->options.quiet)
			message_print("%s: %s already holds all inputs\n",
			    c->name, c->output.path);
		return PROF_END;
	}
	if (s->adds)
		return PROF_OK;
	c->output.failed = true;
	return err_set(&c->err, PROF_E_UNSUPPORTED, "holds inputs of a stopped "
	    "run that are already removed: name it as an input too, or move it "
	    "away");
}

void
cli_consume_nothing(struct cli *c)
{
	if (c->inputs.consume != NULL)
		c->inputs.consume->nothing = true;
}

/*
 * The journal could not be created, or its folder not be synced.  If it is not
 * this run's, another run with that output has been faster.
 */
static enum prof_status
consume_unpublish(struct consume *s, const char *new, struct prof_error *err)
{
	struct removal r = { .journal = &s->journal };

	journal_close(&s->journal);
	if (journal_open(&s->journal) != 0)
		return PROF_FAIL;
	if (new != NULL && removal_look(&r) == REMOVAL_PENDING &&
	    strcmp(r.pending + path_folder_size(r.pending), new) == 0) {
		unlink(s->journal.path);
		return PROF_FAIL;
	}
	*err = (struct prof_error){ 0 };
	return err_set(err, PROF_E_SYSTEM, "another run with --consume is "
	    "writing it, or was stopped");
}

static enum prof_status
consume_finish_record(struct consume *s, struct prof_error *err)
{
	static const struct stat none;

	if (consume_put(s, JOURNAL_END, &none, "", err) != PROF_OK)
		return PROF_FAIL;
	return output_finish(s->record, err);
}

/*
 * Creates the finished journal under its name.  `new` is the name of the output
 * before its rename; NULL for groups.
 */
static enum prof_status
consume_publish(struct consume *s, const char *new, struct prof_error *err)
{
	struct output *record = s->record;
	int lock = output_lock(record), error = lock < 0 ? errno :
	    journal_attach(&s->journal, lock);

	if (s->lock >= 0)
		close(s->lock);
	s->lock = lock;
	if (error != 0)
		return err_system(err, error, "record of inputs");
	/* All inputs in the journal of the earlier run are removed. */
	if (s->resumed)
		unlink(s->journal.path);
	s->record = NULL;
	return output_commit_exclusive(record, err) == PROF_OK ? PROF_OK :
	    consume_unpublish(s, new, err);
}

/* Other programs may have written the target in the meantime. */
static enum prof_status
consume_check_target(const struct consume *s, struct prof_error *err)
{
	struct journal_state old = journal_state_of(&s->before);
	struct stat now;
	bool exists = stat(s->target, &now) == 0;

	return exists == s->existed && (!exists || journal_same(&old, &now)) ?
	    PROF_OK : err_set(err, PROF_E_SYSTEM, "it was changed by another "
	    "program in the meantime");
}

/* Writes all of the journal, and then links the output that it names. */
static enum prof_status
consume_link_output(struct consume *s, struct output *o, char new[PATH_MAX],
    struct prof_error *err)
{
	struct stat st;
	const char *path = output_new_path(o, &st);

	if (path == NULL)
		return err_system(err, errno, "cannot open");
	snprintf(new, PATH_MAX, "%s", path + path_folder_size(path));
	if (consume_put(s, JOURNAL_NEW, &st, new, err) != PROF_OK ||
	    consume_put(s, JOURNAL_OUTPUT, &st, s->target +
	    path_folder_size(s->target), err) != PROF_OK ||
	    consume_finish_record(s, err) != PROF_OK ||
	    (path = output_link(o, err)) == NULL)
		return PROF_FAIL;
	return strcmp(new, path + path_folder_size(path)) == 0 ? PROF_OK :
	    err_system(err, EEXIST, "cannot name the new file");
}

/*
 * Steps 2 and 3.  A failure leaves neither output, journal nor claims, or all
 * of them if they cannot be removed.
 */
static enum prof_status
consume_claim_inputs(struct cli *c, struct consume *s, struct output *o)
{
	struct removal r = consume_removal(c, s);
	char input[PATH_MAX] = "", new[PATH_MAX];
	enum prof_status status;

	c->output.failed = true;
	if (consume_link_output(s, o, new, &c->err) != PROF_OK ||
	    consume_publish(s, new, &c->err) != PROF_OK) {
		output_discard(o);
		return PROF_FAIL;
	}
	status = consume_check_target(s, &c->err);
	if (status == PROF_OK)
		status = removal_claim(&r, s->existed ? &s->before : NULL,
		    input, &c->err);
	if (status == PROF_OK)
		return PROF_OK;
	if (removal_look(&r) == REMOVAL_PENDING && removal_undo(&r))
		output_discard(o);
	else
		output_leave(o);
	if (input[0] == '\0')
		return PROF_FAIL;
	c->output.failed = false;
	c->inputs.file = cli_keep_name(&c->inputs.failed_file, input);
	c->inputs.member = NULL;
	return PROF_FAIL;
}

/* The messages of a failure name the output. */
static enum prof_status
consume_rename(struct cli *c, struct output *o, const struct rewrite *w)
{
	static const struct rewrite_options plain;
	enum prof_status status = w == NULL ? output_commit(o, &c->err) :
	    rewrite_commit(w, o, &plain, &c->err);

	c->output.failed = status != PROF_OK;
	return status;
}

/* Steps 1 to 4. */
static enum prof_status
consume_commit_file(struct cli *c, struct output *o, const struct rewrite *w)
{
	struct consume *s = c->inputs.consume;
	struct removal r = consume_removal(c, s);

	if (w != NULL)
		output_like(o, &w->st, false);
	if (output_finish(o, &c->err) != PROF_OK) {
		output_discard(o);
		return PROF_FAIL;
	}
	if (consume_claim_inputs(c, s, o) != PROF_OK)
		return PROF_FAIL;
	if (consume_rename(c, o, w) == PROF_OK)
		return PROF_OK;
	/* After a failed sync of the folder, the new file is in place. */
	if (removal_look(&r) == REMOVAL_GONE)
		removal_undo(&r);
	return PROF_FAIL;
}

/* A file of a group: the journal is created when all are in place. */
static enum prof_status
consume_commit_group(struct cli *c, struct output *o)
{
	const char *path = c->output.path;
	struct stat st;

	if (consume_rename(c, o, NULL) != PROF_OK)
		return PROF_FAIL;
	if (stat(path, &st) != 0)
		return err_system(&c->err, errno, "cannot open");
	return consume_put(c->inputs.consume, JOURNAL_OUTPUT, &st, path +
	    path_folder_size(path), &c->err);
}

enum prof_status
cli_consume_commit(struct cli *c, struct output *o, const struct rewrite *w)
{
	const struct consume *s = c->inputs.consume;
	enum prof_status status;

	if (s == NULL || s->nothing)
		return consume_rename(c, o, w);
	if (s->group)
		return consume_commit_group(c, o);
	/* No handler may remove the new file while the journal names it. */
	cli_signals_block();
	status = consume_commit_file(c, o, w);
	cli_signals_unblock();
	return status;
}

static bool
consume_publish_groups(struct cli *c, struct consume *s)
{
	struct removal r = consume_removal(c, s);
	char input[PATH_MAX] = "";

	if (consume_finish_record(s, &c->err) == PROF_OK &&
	    consume_publish(s, NULL, &c->err) == PROF_OK &&
	    removal_claim(&r, NULL, input, &c->err) == PROF_OK)
		return true;
	message_print("%s: %s: %s\n", c->name, input[0] == '\0' ?
	    s->journal.path : input, c->err.reason);
	return false;
}

bool
cli_consume_end(struct cli *c)
{
	struct consume *s = c->inputs.consume;
	bool good, done;
	struct removal r;

	if (s == NULL || s->nothing)
		return true;
	r = consume_removal(c, s);
	if (s->group && !consume_publish_groups(c, s))
		return false;
	switch (removal_look(&r)) {
	case REMOVAL_IN_PLACE:
		break;
	case REMOVAL_UNKNOWN:
		consume_exit(c, "%s: %s: the inputs are kept", s->journal.path,
		    strerror(r.error));
	default:
		consume_exit(c, "another program has replaced it: the inputs "
		    "are kept, and %s lists them", s->journal.path);
	}
	good = removal_finish(&r, &done);
	if (!done || unlink(s->journal.path) == 0)
		return good;
	message_print("%s: %s: cannot remove: %s\n", c->name,
	    s->journal.path, strerror(errno));
	return false;
}

void
cli_consume_free(struct consume *s)
{
	if (s == NULL)
		return;
	journal_close(&s->journal);
	if (s->lock >= 0)
		close(s->lock);
	output_discard(s->record);
	journal_inputs_free(&s->had);
	free(s);
}
