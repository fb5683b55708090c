#include "config.h"

#include "cmd/common/cli.h"

#include <errno.h>
#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/messages.h"
#include "io/folder_walk.h"
#include "io/input.h"
#include "io/lines.h"
#include "io/same_file.h"
#include "io/temporary.h"

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
	if (n->list_name != NULL)
		lines_free(&n->list);
	if (n->in_folder)
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

void
cli_operands(struct cli *c, int argc, char **argv)
{
	struct cli_input in = { .weight = { 1, 1 } };
	bool any = false;

	for (size_t i = 0; i < c->inputs.size; i++)
		any = any || !(c->inputs.items[i].subtracted ||
		    c->inputs.items[i].names);
	for (int i = 0; i < argc; i++) {
		in.path = argv[i];
		cli_add_input(c, &in);
	}
	in.path = "-";
	if (any || argc != 0)
		return;
	if (isatty(STDIN_FILENO)) {
		message_repeat(c->program->usage,
		    strlen(c->program->usage));
		cli_usage_error(c, "no input, and standard input is a "
		    "terminal: name files, or - for the terminal");
	}
	cli_add_input(c, &in);
}

/*
 * Reads a weight up to its end, or returns NULL.  A decimal is the fraction
 * that it is written as: 0.7 and .7 are 7/10.
 */
static const char *
parse_weight(const char *s, struct merge_factor *w)
{
	const char *end;

	*w = (struct merge_factor){ .times = 0, .parts = 1 };
	end = *s == '.' ? s : cli_parse_number(s, 0, UINT64_MAX, &w->times);
	if (end != NULL && *end == '/')
		end = cli_parse_number(end + 1, 1, UINT32_MAX, &w->parts);
	else if (end != NULL && *end == '.') {
		size_t size = strspn(++end, "0123456789"), used = size;

		while (used > 0 && end[used - 1] == '0')
			used--;
		for (size_t i = 0; i < used; i++) {
			if (w->parts > UINT32_MAX || w->times > UINT32_MAX)
				return NULL;
			w->times = w->times * 10 + (uint64_t)(end[i] - '0');
			w->parts *= 10;
		}
		end = size == 0 ? NULL : end + size;
	}
	return w->times == 0 || w->parts > UINT32_MAX ||
	    (w->parts != 1 && w->times > UINT32_MAX) ? NULL : end;
}

#define NO_WEIGHT "'%s' is not WEIGHT,FILE with a weight N, N/M or 0.7 above 0"

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
		cli_usage_error(c, NO_WEIGHT, argument);
	cli_add_input(c, &in);
}

/*
 * Lines that are empty are left out.  Blanks around a name, and the CR of some
 * systems, are none of it, unless it ends with NUL.
 */
static bool
inputs_next_line(struct lines *l)
{
	size_t blanks;

	while (lines_next(l)) {
		if (l->delimiter == '\n') {
			while (l->size > 0 && strchr(" \t\r",
			    l->text[l->size - 1]) != NULL)
				l->text[--l->size] = '\0';
			blanks = strspn(l->text, " \t");
			l->size -= blanks;
			memmove(l->text, l->text + blanks, l->size + 1);
		}
		if (*l->text != '\0')
			return true;
	}
	return false;
}

void
cli_lines(const struct cli *c, const char *list, cli_line *fn, void *arg)
{
	struct lines l = { 0 };
	const char *error = NULL;

	if (!lines_open(&l, list, c->options.nul_separated ? '\0' : '\n'))
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

/*
 * Whether a file of a folder is the output, of a run before: else each run
 * would count what the last one has summed, as it does with LLVM's programs.
 */
static bool
inputs_is_output(const struct cli *c, const char *path)
{
	struct stat st, output;

	if (c->output.path == NULL || c->program->refuse != NULL ||
	    stat(path, &st) != 0 ||
	    stat(c->output.path, &output) != 0 || !S_ISREG(output.st_mode) ||
	    !same_file(&st, &output))
		return false;
	if (!c->options.quiet)
		message_print("%s: %s: is the output, and is not read\n",
		    c->name, path);
	return true;
}

static enum prof_status
inputs_next_of_folder(struct cli *c, struct cli_names *n)
{
	const char *path;
	int error;

	while ((error = folder_walk_next(&n->folder, &path)) == 0 &&
	    path != NULL) {
		if (temporary_is_name(path) || cli_is_report(c, path) ||
		    inputs_is_output(c, path))
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

/*
 * A line of a list.  One that begins with a number, but neither with a weight
 * nor with the name of a file, was meant to have a weight.
 */
static enum prof_status
inputs_take_line(struct cli *c, struct cli_names *n)
{
	const char *line = n->list.text, *end;
	char shown[ERR_NAME_SIZE];

	n->current = c->inputs.open == NULL ? parse_weighted_input(line) :
	    (struct cli_input){ .path = line, .weight = { 1, 1 } };
	if (n->current.path != line) {
		if (n->list.delimiter == '\n')
			n->current.path += strspn(n->current.path, " \t");
		return PROF_OK;
	}
	end = line + strcspn(line, ", \t/");
	if (c->inputs.open != NULL || *line < '0' || *line > '9' ||
	    *end == '/' || *end == '\0' || access(line, F_OK) == 0)
		return PROF_OK;
	c->inputs.file = n->list_name;
	return err_set(&c->err, PROF_E_FORMAT, NO_WEIGHT,
	    err_name(shown, span_of_text(line)));
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
		return inputs_take_line(c, n);
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
		if (c->inputs.open != NULL)
			continue;
		/* To rewrite a folder's files is asked for by --recursive. */
		if ((c->options.in_place && !c->options.recursive) ||
		    !path_is_folder(n->current.path)) {
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

unsigned
cli_jobs(const struct cli *c)
{
	enum { MOST = 8 };
	long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = CPU_COUNT(&set);
#endif
	return c->options.jobs != 0 ? c->options.jobs :
	    count < 1 ? 1 : count > MOST ? MOST : (unsigned)count;
}

unsigned
cli_input_jobs(const struct cli *c)
{
	enum { BYTES = 8 << 20 };	/* worth the start of a thread */
	unsigned most = cli_jobs(c), jobs = 1;
	struct cli walk = *c;
	uint64_t bytes = 0;
	struct stat st;

	if (c->options.jobs != 0)
		return most;
	if (c->inputs.open != NULL)
		return 1;
	for (size_t i = 0; i < c->inputs.size; i++) {
		if (c->inputs.items[i].kind != CLI_FILE &&
		    (stat(c->inputs.items[i].path, &st) != 0 ||
		    !S_ISREG(st.st_mode)))
			return most;
	}
	walk.inputs.names = NULL;
	walk.options.quiet = true;	/* the walk that reads will print */
	while (jobs < most && cli_next_input(&walk) == PROF_OK) {
		if (stat(walk.inputs.file, &st) == 0 && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
		jobs = bytes / BYTES < most ? (unsigned)(bytes / BYTES) + 1 :
		    most;
	}
	cli_names_free(walk.inputs.names);
	return jobs;
}

bool
cli_wants(const struct cli *c, const struct input_member *m)
{
	const struct cli_names *n = c->inputs.names;
	const char *name = m->name;

	/* The name of a file is that below the folder. */
	if (name == NULL && n != NULL && n->in_folder) {
		name = n->current.path + strlen(n->root.path);
		name += strspn(name, "/");
	}
	return c->options.member_glob == NULL || name == NULL ||
	    fnmatch(c->options.member_glob, name, 0) == 0;
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
