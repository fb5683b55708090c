#include "config.h"

#include "cmd/common/cli.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/messages.h"
#include "io/folder_walk.h"
#include "io/input.h"
#include "io/lines.h"
#include "io/temporary.h"

enum { FETCH_NAME_MAX = 1 << 16 };

/*
 * The name of an input is $1 of the command and no part of its text, so that
 * nothing in a name is a command.
 */
void
fetch_set(struct cli *c, struct fetch *f, const char *command)
{
	if (strstr(command, "$1") == NULL && strstr(command, "${1") == NULL)
		cli_usage_error(c, "--fetch '%s' has no $1 for the name of "
		    "an input", command);
	f->command = command;
}

/* Sets $1 to the name, in quotes, in front of the command. */
static FILE *
fetch_popen(const struct fetch *f, const char *name)
{
	static const char before[] = "exec </dev/null; set -- '",
	    quote[] = "'\\''", after[] = "'; ";
	struct buf text = { 0 };
	FILE *pipe = NULL;

	buf_put(&text, before, sizeof(before) - 1);
	for (const char *p = name; *p != '\0'; p++) {
		if (*p == '\'')
			buf_put(&text, quote, sizeof(quote) - 1);
		else
			buf_put(&text, p, 1);
	}
	buf_put(&text, after, sizeof(after) - 1);
	buf_put(&text, f->command, strlen(f->command) + 1);
	if (text.failed)
		errno = ENOMEM;
	else
		pipe = popen((const char *)text.data, "re");
	buf_free(&text);
	return pipe;
}

/* The end of an answer, which is good if the command succeeded. */
static ssize_t
fetch_end(struct fetch *f)
{
	int status = pclose(f->pipe);

	f->pipe = NULL;
	if (WIFSIGNALED(status))
		err_set(&f->err, PROF_E_SYSTEM, "the command of --fetch was "
		    "ended by signal %d", WTERMSIG(status));
	else if (status != 0)
		err_set(&f->err, PROF_E_SYSTEM, "the command of --fetch "
		    "failed with status %d", WEXITSTATUS(status));
	errno = EIO;
	return status == 0 ? 0 : -1;
}

/* Bytes of the answer up to the size, 0 at its end, or -1. */
static ssize_t
fetch_pull(void *arg, void *data, size_t size)
{
	struct fetch *f = arg;
	ssize_t n;

	errno = EIO;
	if (f->pipe == NULL)
		return f->err.code == PROF_E_NONE ? 0 : -1;
	do
		n = read(fileno(f->pipe), data, size);
	while (n < 0 && errno == EINTR);
	return n == 0 ? fetch_end(f) : n;
}

void
fetch_free(struct fetch *f)
{
	if (f->pipe != NULL)
		pclose(f->pipe);
}

static struct input *
fetch_open(struct fetch *f, const char *name, uint64_t max_size,
    struct buf *memory, struct prof_error *err)
{
	struct input *in = input_open_pull(fetch_pull, f, max_size, memory,
	    err);

	if (in == NULL)
		return NULL;
	input_on_failure(in, &f->err);
	if (f->pipe != NULL)
		pclose(f->pipe);
	f->pipe = NULL;
	f->err = (struct prof_error){ 0 };
	/* A name that looks like an option could make a command do anything. */
	if (*name == '-' || strlen(name) > FETCH_NAME_MAX)
		err_set(&f->err, PROF_E_UNSUPPORTED, "the name of an input of "
		    "--fetch begins with '-', or is too long");
	else if ((f->pipe = fetch_popen(f, name)) == NULL)
		err_system(&f->err, errno, "cannot run a shell");
	return in;
}

struct input *
cli_open_input(struct cli *c, const char *name, struct buf *memory)
{
	return c->inputs.fetch != NULL ? fetch_open(c->inputs.fetch, name,
	    c->options.max_size, memory, &c->err) : input_open(name,
	    c->options.max_size, memory, &c->err);
}

/*
 * Where a walk over the inputs is.  Lists and folders are read as it comes to
 * them, so that millions of names take no memory; only those of one folder,
 * which are sorted, are held at a time.
 */
struct cli_names {
	size_t next;			/* of the inputs as they were named */
	struct lines list;		/* being read, or its file is NULL */
	const char *list_name;
	struct folder_walk folder;
	bool in_folder;			/* that is being read */
	struct cli_input root;		/* the folder's own name and weight */
	struct cli_input current;
};

void
cli_names_free(struct cli_names *n)
{
	if (n == NULL)
		return;
	lines_free(&n->list);
	folder_walk_end(&n->folder);
	free(n);
}

void
cli_rewind_inputs(struct cli *c)
{
	struct cli_inputs *in = &c->inputs;

	cli_names_free(in->names);
	in->names = NULL;
	in->current = NULL;
	in->file = in->member = NULL;
	in->number = 0;
}

void
cli_add_input(struct cli *c, const struct cli_input *input)
{
	if (!ARRAY_ADD(c->inputs.items, c->inputs.size, c->inputs.room, *input))
		cli_out_of_memory(c);
}

/* Reads a weight up to its end, or returns NULL. */
static const char *
parse_weight(const char *s, struct merge_factor *w)
{
	const char *end = cli_parse_number(s, 1, UINT64_MAX, &w->times);

	w->parts = 1;
	if (end == NULL || *end != '/')
		return end;
	end = cli_parse_number(end + 1, 1, UINT32_MAX, &w->parts);
	return w->times > UINT32_MAX ? NULL : end;
}

/* WEIGHT,FILE or FILE. */
static struct cli_input
parse_weighted_input(const char *s)
{
	struct cli_input in = { .path = s, .weight = { 1, 1 } };
	struct merge_factor w;
	const char *end = parse_weight(s, &w);

	if (end != NULL && *end == ',') {
		in.path = end + 1;
		in.weight = w;
	}
	return in;
}

void
cli_weighted(struct cli *c, const char *argument)
{
	struct cli_input in = parse_weighted_input(argument);

	if (in.path == argument || *in.path == '\0')
		cli_usage_error(c, "'%s' is not WEIGHT,FILE with a weight "
		    "N or N/M above 0", argument);
	cli_add_input(c, &in);
}

/* Lines that are empty are left out. */
static bool
inputs_next_line(struct lines *l)
{
	bool found;

	do
		found = lines_next(l);
	while (found && *l->text == '\0');
	return found;
}

static char
inputs_delimiter(const struct cli *c)
{
	return c->options.nul_separated ? '\0' : '\n';
}

void
cli_lines(const struct cli *c, const char *list, cli_line *fn, void *arg)
{
	struct lines l = { 0 };
	const char *error = NULL;

	if (!lines_open(&l, list, inputs_delimiter(c)))
		error = strerror(errno);
	while (error == NULL && inputs_next_line(&l))
		fn(arg, l.text, l.size);
	if (error == NULL)
		error = lines_error(&l);
	if (error != NULL) {
		message_print("%s: %s: %s\n", c->name, list, error);
		exit(CLI_TROUBLE);
	}
	lines_free(&l);
}

static enum prof_status
err_input_unreadable(struct cli *c, const char *name, int error)
{
	c->inputs.file = name;
	return err_system(&c->err, error, "cannot read");
}

static enum prof_status
inputs_next_of_folder(struct cli *c, struct cli_names *n)
{
	const char *path;
	int error;

	while ((error = folder_walk_next(&n->folder, &path)) == 0 &&
	    path != NULL) {
		if (temporary_is_name(path) || cli_is_report(c, path))
			continue;
		n->current = n->root;
		n->current.path = path;
		n->current.found = true;
		return PROF_OK;
	}
	if (error != 0)
		return err_input_unreadable(c, path, error);
	n->in_folder = false;
	folder_walk_end(&n->folder);
	return PROF_END;
}

/* Lines of llvm-profdata's lists that begin with # are comments. */
static enum prof_status
inputs_next_of_list(struct cli *c, struct cli_names *n)
{
	const char *error;

	while (inputs_next_line(&n->list)) {
		if (strlen(n->list.text) != n->list.size) {
			c->inputs.file = n->list_name;
			return err_set(&c->err, PROF_E_FORMAT, "a name has a "
			    "NUL byte: --null must stand before the list");
		}
		if (n->list.delimiter == '\n' && *n->list.text == '#')
			continue;
		n->current = c->inputs.fetch == NULL ?
		    parse_weighted_input(n->list.text) : (struct cli_input){
		    .path = n->list.text, .weight = { 1, 1 } };
		return PROF_OK;
	}
	error = lines_error(&n->list);
	lines_close(&n->list);
	if (error == NULL)
		return PROF_END;
	c->inputs.file = n->list_name;
	return err_set(&c->err, PROF_E_SYSTEM, "cannot read: %s", error);
}

/* The next name: of a file, or of a folder. */
static enum prof_status
inputs_next_named(struct cli *c, struct cli_names *n)
{
	enum prof_status status = PROF_END;
	const struct cli_input *in;

	while (status == PROF_END) {
		if (n->list.file != NULL) {
			status = inputs_next_of_list(c, n);
			continue;
		}
		if (n->next == c->inputs.size)
			return PROF_END;
		in = &c->inputs.items[n->next++];
		n->current = *in;
		if (in->kind == CLI_FILE)
			return PROF_OK;
		n->list_name = in->path;
		if (!lines_open(&n->list, in->path, in->kind == CLI_LIST ?
		    '\n' : '\0'))
			return err_input_unreadable(c, in->path, errno);
	}
	return status;
}

/* To rewrite all files of a folder is asked for by --recursive only. */
static bool
inputs_is_folder(const struct cli *c, const char *path)
{
	return (c->options.recursive || !c->options.in_place) &&
	    path_is_folder(path);
}

static enum prof_status
inputs_open_folder(struct cli *c, struct cli_names *n)
{
	int error = folder_walk_begin(&n->folder, n->current.path);

	n->root = n->current;
	n->in_folder = true;
	c->report.progress->total = 0;
	return error == 0 ? PROF_OK : err_input_unreadable(c, n->root.path,
	    error);
}

/* Checks a file that the command line or a list names. */
static enum prof_status
inputs_check_named(struct cli *c, const struct cli_names *n)
{
	const char *path = n->current.path;

	c->inputs.file = path;
	if (cli_is_report(c, path))
		return err_set(&c->err, PROF_E_UNSUPPORTED, "is the file of "
		    "--report");
	return temporary_is_name(path) ? err_set(&c->err, PROF_E_UNSUPPORTED,
	    "has the name of a temporary file: rename it to read it") : PROF_OK;
}

enum prof_status
cli_next_input(struct cli *c)
{
	enum prof_status status = PROF_END;
	struct cli_names *n = c->inputs.names;

	if (n == NULL)
		n = c->inputs.names = calloc(1, sizeof(*n));
	if (n == NULL)
		cli_out_of_memory(c);
	while (status == PROF_END) {
		if (n->in_folder) {
			status = inputs_next_of_folder(c, n);
			continue;
		}
		status = inputs_next_named(c, n);
		if (status != PROF_OK)
			break;
		if (c->inputs.fetch != NULL)
			continue;
		if (!inputs_is_folder(c, n->current.path)) {
			status = inputs_check_named(c, n);
			continue;
		}
		if (inputs_open_folder(c, n) != PROF_OK)
			return PROF_FAIL;
		status = PROF_END;
	}
	if (status != PROF_OK)
		return status;
	c->inputs.current = &n->current;
	c->inputs.number++;
	c->inputs.file = c->inputs.current->path;
	return PROF_OK;
}

bool
cli_wants(const struct cli *c, const struct input_member *m)
{
	return c->options.member_glob == NULL || m->name == NULL ||
	    fnmatch(c->options.member_glob, m->name, 0) == 0;
}

bool
cli_is_foreign(const struct cli *c, const struct input_member *m)
{
	const char *name = m->name;

	if (name == NULL && c->inputs.current != NULL &&
	    c->inputs.current->found)
		name = c->inputs.current->path;
	return prof_is_foreign(name, m->start);
}
