#include "config.h"

#include "cmd/profdata/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "io/lines.h"

static const char *
inputs_copy_path(struct profdata_inputs *in, const char *s, size_t size)
{
	char *copy = arena_alloc(&in->arena, size + 1);

	if (copy == NULL)
		profdata_out_of_memory();
	memcpy(copy, s, size);
	copy[size] = '\0';
	return copy;
}

static void
inputs_add_file(struct profdata_inputs *in, uint64_t weight, const char *path)
{
	if (!ARRAY_ADD(in->items, in->size, in->room,
	    (struct cli_input){ .path = path, .weight = { weight, 1 } }))
		profdata_out_of_memory();
}

static void inputs_add_path(struct profdata_inputs *, uint64_t weight,
    const char *path, bool below);

/* In the order in which the system gives them, as LLVM has it. */
static void
inputs_add_folder(struct profdata_inputs *in, uint64_t weight, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	struct buf name = { 0 };

	if (dir == NULL)
		profdata_fail(path, "%s", strerror(errno));
	while (errno = 0, (e = readdir(dir)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0)
			continue;
		name.size = 0;
		buf_put(&name, path, strlen(path));
		if (name.size != 0 && name.data[name.size - 1] != '/')
			buf_put(&name, "/", 1);
		buf_put(&name, e->d_name, strlen(e->d_name));
		if (name.failed)
			profdata_out_of_memory();
		inputs_add_path(in, weight, inputs_copy_path(in,
		    (const char *)name.data, name.size), true);
	}
	if (errno != 0)
		profdata_fail(path, "%s", strerror(errno));
	closedir(dir);
	buf_free(&name);
}

static void
inputs_add_path(struct profdata_inputs *in, uint64_t weight, const char *path,
    bool below)
{
	struct stat st;

	if (strcmp(path, "-") == 0 && !below) {
		inputs_add_file(in, weight, path);
		return;
	}
	/* A link below a folder is not followed to another folder. */
	if ((below ? lstat : stat)(path, &st) == -1 || (below &&
	    S_ISLNK(st.st_mode) && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode))) {
		if (below)
			return;
		profdata_fail(*path == '\0' ? NULL : path, "%s",
		    strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		inputs_add_folder(in, weight, path);
	else if (!below || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		inputs_add_file(in, weight, path);
}

/* WEIGHT,FILE */
static void
inputs_add_weighted(struct profdata_inputs *in, const char *s, size_t size)
{
	const char *comma = memchr(s, ',', size);
	size_t digits = comma == NULL ? size : (size_t)(comma - s);
	uint64_t weight = 0;
	bool good = digits != 0;

	for (size_t i = 0; i < digits && good; i++)
		good = s[i] >= '0' && s[i] <= '9' &&
		    mul_u64(weight, 10, &weight) &&
		    add_u64(weight, (uint64_t)(s[i] - '0'), &weight);
	if (!good || weight == 0)
		profdata_fail(NULL,
		    "input weight must be a positive integer");
	inputs_add_path(in, weight, comma == NULL ? "" : inputs_copy_path(in,
	    comma + 1, size - digits - 1), false);
}

static void
inputs_add_line(struct profdata_inputs *in, const char *s, size_t size)
{
	static const char blanks[] = " \t\v\f\r";

	while (size != 0 && memchr(blanks, *s, sizeof(blanks) - 1) != NULL) {
		s++;
		size--;
	}
	while (size != 0 && memchr(blanks, s[size - 1], sizeof(blanks) - 1) !=
	    NULL)
		size--;
	if (size == 0 || *s == '#')
		return;
	if (memchr(s, ',', size) != NULL)
		inputs_add_weighted(in, s, size);
	else
		inputs_add_path(in, 1, inputs_copy_path(in, s, size), false);
}

static void
inputs_add_list(struct profdata_inputs *in, const char *path)
{
	struct lines l = { 0 };

	if (!lines_open(&l, path, '\n'))
		profdata_fail(path, "%s", strerror(errno));
	while (lines_next(&l))
		inputs_add_line(in, l.text, l.size);
	if (lines_error(&l) != NULL)
		profdata_fail(path, "%s", lines_error(&l));
	lines_free(&l);
}

void
profdata_inputs_find(struct profdata *p, struct profdata_inputs *in)
{
	const struct profdata_options *o = &p->options;

	for (size_t i = 0; i < o->operands.size; i++)
		inputs_add_path(in, 1, o->operands.items[i], false);
	for (size_t i = 0; i < o->weighted.size; i++)
		inputs_add_weighted(in, o->weighted.items[i],
		    strlen(o->weighted.items[i]));
	if (o->input_files != NULL)
		inputs_add_list(in, o->input_files);
	if (in->size == 0)
		profdata_fail(NULL, "no input files specified. See %s merge "
		    "-help", p->name);
}

void
profdata_inputs_free(struct profdata_inputs *in)
{
	free(in->items);
	arena_free(&in->arena);
}
