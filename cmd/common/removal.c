#include "config.h"

#include "cmd/common/removal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/common/message_text.h"
#include "io/output.h"
#include "io/same_file.h"
#include "io/temporary.h"

/* Why the journal could not be read to its end. */
static enum removal_state
removal_unread(struct removal *r)
{
	r->error = r->journal->error;
	return r->error != 0 ? REMOVAL_UNKNOWN : REMOVAL_DAMAGED;
}

enum removal_state
removal_look(struct removal *r)
{
	enum prof_status status;
	struct journal_line l;
	char path[PATH_MAX];
	struct stat st;
	bool missing = false;

	r->pending[0] = '\0';
	journal_rewind(r->journal);
	while ((status = journal_next(r->journal, &l)) == PROF_OK) {
		if (l.kind == JOURNAL_INPUT)
			continue;
		if (!journal_beside(r->journal, l.path, path))
			return REMOVAL_DAMAGED;
		r->error = stat(path, &st) == 0 ? 0 : errno;
		if (r->error != 0 && r->error != ENOENT)
			return REMOVAL_UNKNOWN;
		if (r->error != 0 || !journal_same(&l.state, &st)) {
			missing = missing || l.kind == JOURNAL_OUTPUT;
			continue;
		}
		if (l.kind == JOURNAL_NEW)
			strcpy(r->pending, path);
		else
			r->output = st;
	}
	if (status != PROF_END)
		return removal_unread(r);
	if (r->pending[0] != '\0')
		return REMOVAL_PENDING;
	return missing ? REMOVAL_GONE : REMOVAL_IN_PLACE;
}

static const char *
removal_shown(const struct removal *r, const char *path)
{
	size_t size = strlen(r->folder);

	return strncmp(path, r->folder, size) == 0 ? path + size : path;
}

/* The path of the claim on an input; false if the path is too long. */
static bool
removal_claim_path(const char *input, char path[PATH_MAX])
{
	size_t folder = path_folder_size(input);
	int n = snprintf(path, PATH_MAX, "%.*s.%s.consumed", (int)folder,
	    input, input + folder);

	return n > 0 && n < PATH_MAX;
}

/* Whether the claim leads to this journal. */
static bool
removal_owns(const struct removal *r, const char *claim)
{
	char to[PATH_MAX];
	ssize_t n = readlink(claim, to, sizeof(to));

	return n > 0 && (size_t)n == strlen(r->journal->path) &&
	    memcmp(to, r->journal->path, (size_t)n) == 0;
}

static bool
removal_unclaim(const struct removal *r, const char *input)
{
	char claim[PATH_MAX];

	return !removal_claim_path(input, claim) || !removal_owns(r, claim) ||
	    unlink(claim) == 0 || errno == ENOENT;
}

static bool
removal_is_file(const char *path, const struct stat *file)
{
	struct stat st;

	return file != NULL && stat(path, &st) == 0 && same_file(&st, file);
}

/* The next input that the journal lists; all others are passed over. */
static enum prof_status
removal_next_input(const struct removal *r, struct journal_line *l)
{
	enum prof_status status;

	do
		status = journal_next(r->journal, l);
	while (status == PROF_OK && l->kind != JOURNAL_INPUT);
	return status;
}

/*
 * The input is looked up behind its claim: the run that claimed it before may
 * have removed it by then.  A folder where nothing can be created does not fail
 * here: the removal will.
 */
static enum prof_status
removal_claim_input(const struct removal *r, const char *input,
    struct prof_error *err)
{
	char claim[PATH_MAX];
	struct stat st;

	if (removal_claim_path(input, claim) &&
	    symlink(r->journal->path, claim) != 0 && errno == EEXIST &&
	    !removal_owns(r, claim))
		return err_set(err, PROF_E_SYSTEM, "another run with --consume "
		    "uses it, or was stopped (.NAME.consumed leads to its "
		    "record): start that run again first");
	if (stat(input, &st) != 0 && errno == ENOENT)
		return err_set(err, PROF_E_SYSTEM, "was removed after it was "
		    "read: another program may have counted it");
	return PROF_OK;
}

enum prof_status
removal_claim(struct removal *r, const struct stat *output,
    char input[PATH_MAX], struct prof_error *err)
{
	enum prof_status status;
	struct journal_line l;

	journal_rewind(r->journal);
	while ((status = removal_next_input(r, &l)) == PROF_OK) {
		if (removal_is_file(l.path, output) ||
		    removal_claim_input(r, l.path, err) == PROF_OK)
			continue;
		snprintf(input, PATH_MAX, "%s", removal_shown(r, l.path));
		return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : err_system(err,
	    r->journal->error, "record of inputs");
}

/* Gives up each claim that it can; false if one stays. */
static bool
removal_unclaim_all(struct removal *r)
{
	enum prof_status status;
	struct journal_line l;
	bool good = true;

	journal_rewind(r->journal);
	while ((status = removal_next_input(r, &l)) == PROF_OK)
		good = removal_unclaim(r, l.path) && good;
	return good && status == PROF_END;
}

/*
 * The pending output goes last: while it is there, the journal is known to be
 * of a run that changed nothing.
 */
bool
removal_undo(struct removal *r)
{
	if (!removal_unclaim_all(r) || (unlink(r->journal->path) != 0 &&
	    errno != ENOENT))
		return false;
	if (r->pending[0] == '\0')
		return true;
	output_sync_folder(r->journal->path);
	unlink(r->pending);
	return true;
}

static bool
removal_failed(const struct removal *r, const char *path, bool *done)
{
	message_print("%s: %s: cannot remove: %s\n", r->program,
	    removal_shown(r, path), strerror(errno));
	*done = false;
	return false;
}

/* If two inputs are one file, the second is already removed: no failure. */
enum removal_answer
removal_remove_file(const char *path, const struct stat *output,
    removal_same *same, const void *state, bool *other_device)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == ENOENT ? REMOVAL_REMOVED : REMOVAL_FAILED;
	if (same_file(&st, output))
		return REMOVAL_IS_OUTPUT;
	*other_device = *other_device || st.st_dev != output->st_dev;
	if (!same(state, &st))
		return REMOVAL_CHANGED;
	return unlink(path) == 0 || errno == ENOENT ? REMOVAL_REMOVED :
	    REMOVAL_FAILED;
}

static bool
removal_is_as_read(const void *state, const struct stat *st)
{
	return journal_same(state, st);
}

static bool
removal_remove_input(struct removal *r, const struct journal_line *l,
    bool *done)
{
	switch (removal_remove_file(l->path, &r->output, removal_is_as_read,
	    &l->state, &r->other_device)) {
	case REMOVAL_CHANGED:
		message_print("%s: %s: changed after it was read: kept\n",
		    r->program, removal_shown(r, l->path));
		return false;
	case REMOVAL_FAILED:
		return removal_failed(r, l->path, done);
	default:
		return true;
	}
}

/* Removes all inputs that are as they were; false if one stays. */
static bool
removal_remove_inputs(struct removal *r, bool *done)
{
	enum prof_status status;
	struct journal_line l;
	bool good = true;

	journal_rewind(r->journal);
	while ((status = removal_next_input(r, &l)) == PROF_OK)
		good = removal_remove_input(r, &l, done) && good;
	if (status == PROF_END)
		return good;
	message_print("%s: %s: cannot read: %s: the inputs are kept\n",
	    r->program, removal_shown(r, r->journal->path),
	    strerror(r->journal->error));
	*done = false;
	return false;
}

bool
removal_finish(struct removal *r, bool *done)
{
	bool good;

	*done = output_sync_folder(r->journal->path) == 0;
	if (!*done) {
		message_print("%s: %s: cannot sync the folder: %s: the inputs "
		    "are kept\n", r->program, r->journal->path,
		    strerror(errno));
		return false;
	}
	good = removal_remove_inputs(r, done);
	/* Removed inputs must not come back after the journal is gone. */
	if (r->other_device)
		sync();
	output_sync_folder(r->journal->path);
	if (!*done || removal_unclaim_all(r))
		return good;
	message_print("%s: %s: cannot remove all links to it: start the "
	    "command again\n", r->program, removal_shown(r,
	    r->journal->path));
	*done = false;
	return false;
}

bool
removal_any_left(struct removal *r)
{
	enum prof_status status;
	struct journal_line l;
	struct stat st;

	journal_rewind(r->journal);
	while ((status = removal_next_input(r, &l)) == PROF_OK) {
		if (stat(l.path, &st) == 0 ? journal_similar(&l.state, &st) :
		    errno != ENOENT)
			return true;
	}
	return status != PROF_END;
}
