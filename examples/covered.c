/* covered BINARY PROFILE... - lines of each file, and functions that never ran */
#include <libprof/cover.h>
#include <stdio.h>

static int
show(struct prof_cover *c)
{
	const char *path, *name;
	size_t path_size, size;
	uint32_t line;
	uint64_t count;
	int more;

	while ((more = prof_cover_next_file(c, &path, &path_size)) > 0) {
		printf("%.*s: %llu of %llu lines\n", (int)path_size, path,
		    (unsigned long long)prof_cover_number(c,
		    PROF_COVER_LINES_RUN), (unsigned long long)
		    prof_cover_number(c, PROF_COVER_LINES));
		while (prof_cover_next_function(c, &name, &size, &line,
		    &count) > 0)
			if (count == 0)
				printf("\t%lu: %.*s\n", (unsigned long)line,
				    (int)size, name);
	}
	return more;
}

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	struct prof_sum *sum = p == NULL ? NULL : prof_sum_new(p);
	struct prof_cover *c = NULL;
	int status = sum == NULL || argc < 3 ? -1 : 0;

	for (int i = 2; i < argc && status == 0; i++) {
		struct prof_input *in = prof_input_open(p, argv[i]);

		status = in == NULL ? -1 : prof_sum_add_input(sum, in, 1, 1);
		prof_input_close(in);
	}
	if (status == 0)
		c = prof_cover_new(sum);
	if (c == NULL || prof_cover_add_binary(c, argv[1]) != 0 || show(c) != 0)
		status = 1;
	if (status != 0 && p != NULL && prof_error(p) != NULL)
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_cover_free(c);
	prof_sum_free(sum);
	prof_free(p);
	return status == 0 ? 0 : 1;
}
