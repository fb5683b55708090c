/* budget BYTES FILE... - counts functions in so much memory at most */
#include <libprof/read.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 16 };	/* a block's size, in a place for any type */

/* *arg is how many bytes are left. */
static void *
resize(void *arg, void *block, size_t size)
{
	char *old = block == NULL ? NULL : (char *)block - HEAD, *new = NULL;
	size_t *left = arg, before = 0;

	if (old != NULL)
		memcpy(&before, old, sizeof(before));
	if (size > before && size - before > *left)
		return NULL;
	if (size == 0)
		free(old);
	else if ((new = realloc(old, size + HEAD)) == NULL)
		return NULL;
	else
		memcpy(new, &size, sizeof(size));
	*left = *left + before - size;
	return new == NULL ? NULL : new + HEAD;
}

static int
count(struct prof *p, const char *path)
{
	struct prof_input *in = prof_input_open(p, path);
	const struct prof_item *item;
	int status = -1, functions = 0;

	while (in != NULL && (status = prof_input_next(in, &item)) > 0)
		functions += prof_item_kind(item) == PROF_ITEM_FUNCTION;
	if (status == 0)
		printf("%s: %d\n", path, functions);
	prof_input_close(in);
	return status;
}

int
main(int argc, char **argv)
{
	size_t left = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	struct prof *p = prof_new_with(resize, &left);
	int i, status = p == NULL ? -1 : 0;

	for (i = 2; i < argc && status == 0; i++)
		status = count(p, argv[i]);
	if (status < 0)
		fprintf(stderr, "%s\n", p == NULL ? "no memory" :
		    prof_problem_text(prof_error(p)));
	prof_free(p);
	return status < 0;
}
