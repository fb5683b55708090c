/* How much of two profiles is the same, and the ten largest changes. */
#include <libprof/merge.h>
#include <stdio.h>

static int
add(struct prof *p, struct prof_diff *diff, int side, const char *path)
{
	struct prof_input *in = prof_input_open(p, path);
	const struct prof_item *item;
	int status = in == NULL ? -1 : 1;

	while (status > 0 && (status = prof_input_next(in, &item)) > 0)
		if (prof_diff_add(diff, side, item) != 0)
			status = -1;
	if (status < 0)
		fputs(prof_problem_text(prof_error(p)), stderr);
	prof_input_close(in);
	return status;
}

static void
print(const struct prof_diff *diff)
{
	const struct prof_change *c;
	const char *name;
	size_t size;

	printf("overlap %.4f, %.0f no longer run\n",
	    prof_diff_overlap(diff, PROF_DIFF_FUNCTIONS),
	    (double)prof_diff_in_state(diff, PROF_DIFF_FUNCTIONS,
	    PROF_NO_LONGER_RUN));
	for (size_t i = 0; i < 10; i++) {
		c = prof_diff_change(diff, PROF_DIFF_FUNCTIONS, i);
		name = c == NULL ? NULL : prof_change_name(c, 1, &size);
		if (c != NULL && name == NULL)
			name = prof_change_name(c, 0, &size);
		if (name != NULL)
			printf("%+.4f %.*s\n", prof_change_share(c, 1) -
			    prof_change_share(c, 0), (int)size, name);
	}
}

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	struct prof_diff *diff = p == NULL ? NULL : prof_diff_new(p);
	int status = 0;

	if (argc != 3 || diff == NULL)
		return 2;
	for (int side = 0; side < 2 && status == 0; side++)
		status = add(p, diff, side, argv[1 + side]);
	if (status == 0 && prof_diff_compare(diff) == 0)
		print(diff);
	prof_diff_free(diff);
	prof_free(p);
	return status != 0;
}
