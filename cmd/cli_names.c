#include "config.h"

#include "cli_names.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the paths of inputs point into. */
struct cli_names {
	struct cli_names *next;
	char *text;
};

static void
keep(struct cli *c, char *text)
{
	struct cli_names *n = malloc(sizeof(*n));

	if (n == NULL || text == NULL)
		cli_out_of_memory(c);
	*n = (struct cli_names){ c->names, text };
	c->names = n;
}

void
cli_names_free(struct cli_names *n)
{
	while (n != NULL) {
		struct cli_names *next = n->next;

		free(n->text);
		free(n);
		n = next;
	}
}

void
cli_add_input(struct cli *c, const struct cli_input *input)
{
	if (c->input_count == c->input_room) {
		size_t room = c->input_room * 2 + 16;
		struct cli_input *p =
		    reallocarray(c->inputs, room, sizeof(*p));

		if (p == NULL)
			cli_out_of_memory(c);
		c->inputs = p;
		c->input_room = room;
	}
	c->inputs[c->input_count++] = *input;
}

static const char *
parse_number(const char *s, uint64_t max, uint64_t *out)
{
	char *end;
	unsigned long long n;

	if (*s < '0' || *s > '9')
		return NULL;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno != 0 || n == 0 || n > max)
		return NULL;
	*out = n;
	return end;
}

const char *
cli_parse_weight(const char *s, struct merge_factor *w)
{
	const char *end = parse_number(s, UINT64_MAX, &w->times);

	w->parts = 1;
	if (end == NULL || *end != '/')
		return end;
	end = parse_number(end + 1, UINT32_MAX, &w->parts);
	return w->times > UINT32_MAX ? NULL : end;
}

/* Takes WEIGHT,FILE apart; the whole is a file if it does not begin so. */
static struct cli_input
split(const char *s)
{
	struct cli_input in = { .path = s, .weight = { 1, 1 } };
	struct merge_factor w;
	const char *end = cli_parse_weight(s, &w);

	if (end != NULL && *end == ',') {
		in.path = end + 1;
		in.weight = w;
	}
	return in;
}

void
cli_weighted(struct cli *c, const char *argument)
{
	struct cli_input in = split(argument);

	if (in.path == argument || *in.path == '\0')
		cli_usage_error(c, "'%s' is not WEIGHT,FILE with a weight "
		    "N or N/M above 0", argument);
	cli_add_input(c, &in);
}

static void
fail(const struct cli *c, const char *file)
{
	fprintf(stderr, "%s: %s: %s\n", c->name, file, strerror(errno));
	exit(CLI_TROUBLE);
}

void
cli_lines(const struct cli *c, const char *list, cli_line *fn, void *arg)
{
	bool is_stdin = strcmp(list, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(list, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	if (f == NULL)
		fail(c, list);
	while ((n = getdelim(&text, &room, c->nul_separated ? '\0' : '\n', f))
	    > 0) {
		size_t size = (size_t)n;

		if (text[size - 1] == (c->nul_separated ? '\0' : '\n'))
			text[--size] = '\0';
		if (size != 0)
			fn(arg, text, size);
	}
	if (ferror(f))
		fail(c, list);
	free(text);
	if (!is_stdin)
		fclose(f);
}

static void
add_listed(void *arg, const char *line, size_t size)
{
	struct cli *c = arg;
	struct cli_input in;

	(void)size;
	if (*line == '\0')
		return;
	keep(c, strdup(line));
	in = split(c->names->text);
	cli_add_input(c, &in);
}

void
cli_names_list(struct cli *c, const char *list)
{
	cli_lines(c, list, add_listed, c);
}

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void
add_files_below(struct cli *c, const struct cli_input *folder)
{
	char *paths[] = { (char *)(uintptr_t)folder->path, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *e;

	if (tree == NULL)
		fail(c, folder->path);
	while (errno = 0, (e = fts_read(tree)) != NULL) {
		struct cli_input file = *folder;

		if (e->fts_info == FTS_ERR || e->fts_info == FTS_DNR ||
		    e->fts_info == FTS_NS) {
			errno = e->fts_errno;
			fail(c, e->fts_path);
		}
		if (e->fts_info != FTS_F)
			continue;
		keep(c, strdup(e->fts_path));
		file.path = c->names->text;
		file.found = true;
		cli_add_input(c, &file);
	}
	if (errno != 0)
		fail(c, folder->path);
	fts_close(tree);
}

void
cli_names_folders(struct cli *c)
{
	struct cli_input *old = c->inputs;
	size_t count = c->input_count;

	c->inputs = NULL;
	c->input_count = c->input_room = 0;
	for (size_t i = 0; i < count; i++) {
		struct stat st;

		if (stat(old[i].path, &st) == 0 && S_ISDIR(st.st_mode))
			add_files_below(c, &old[i]);
		else
			cli_add_input(c, &old[i]);
	}
	free(old);
}
