/*
 * consumer - a program of the public interface, to be linked with the shared
 * library or the archive
 *
 *	consumer read FILE		prints the number and sum of counters
 *	consumer merge OUTPUT FILE...	an indexed profile
 */
#include <inttypes.h>
#include <libprof/merge.h>
#include <stdio.h>
#include <string.h>

static int
read_functions(struct prof *p, const char *path)
{
	struct prof_input *in = prof_input_open(p, path);
	const struct prof_item *item;
	const uint64_t *counts;
	uint64_t sum = 0;
	size_t i, size, n = 0;
	int status = -1;

	while (in != NULL && (status = prof_input_next(in, &item)) > 0) {
		counts = prof_item_numbers(item, PROF_COUNTS, &size);
		for (i = 0; i < size; i++)
			sum += counts[i];
		n += size;
	}
	prof_input_close(in);
	printf("%zu %" PRIu64 "\n", n, sum);
	return status;
}

static int
merge_files(struct prof *p, char **paths)
{
	struct prof_output *out = prof_output_open(p, "indexed", *paths++);
	struct prof_sum *sum = prof_sum_new(p);
	int status = out == NULL || sum == NULL ? -1 : 0;
	struct prof_input *in;

	while (status == 0 && *paths != NULL) {
		in = prof_input_open(p, *paths++);
		status = in == NULL ? -1 : prof_sum_add_input(sum, in, 1, 1);
		prof_input_close(in);
	}
	if (status == 0 && (prof_sum_write(sum, out) != 0 ||
	    prof_output_finish(out) != 0))
		status = -1;
	prof_sum_free(sum);
	prof_output_free(out);
	return status;
}

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	int status = -1;

	if (p == NULL)
		return 2;
	/* As prof-merge does, which the library does only if it is told to. */
	prof_set(p, PROF_MAP_FILES, 1);
	if (argc == 3 && strcmp(argv[1], "read") == 0)
		status = read_functions(p, argv[2]);
	else if (argc > 3 && strcmp(argv[1], "merge") == 0)
		status = merge_files(p, argv + 2);
	else
		fprintf(stderr, "usage: consumer read FILE\n"
		    "       consumer merge OUTPUT FILE...\n");
	if (prof_error(p) != NULL)
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_free(p);
	return status == 0 ? 0 : 2;
}
