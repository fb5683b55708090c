/*
 * share -j N -o OUT FILE...: the sum of the files, as a stream
 *
 * N threads, or as many as there are files, have a handle each that shares the
 * cache of the others (prof_share), and sum the N-th files; their sums are
 * added up.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libprof/merge.h"
#include "libprof/read.h"
#include "libprof/write.h"

enum { THREADS = 16 };

struct adder {
	pthread_t thread;
	struct prof *p;
	struct prof_sum *sum;
	char **files;
	size_t count, first, step;
	int failed;
};

static void
tell(struct prof *p)
{
	fprintf(stderr, "share: %s\n", prof_problem_text(prof_error(p)));
}

static void *
add_files(void *arg)
{
	struct adder *a = arg;

	for (size_t i = a->first; i < a->count; i += a->step) {
		struct prof_input *in = prof_input_open(a->p, a->files[i]);

		if (in == NULL || prof_sum_add_input(a->sum, in, 1, 1) != 0) {
			tell(a->p);
			a->failed = 1;
		}
		prof_input_close(in);
	}
	return NULL;
}

static int
add_item(void *sum, const struct prof_item *item)
{
	return prof_sum_add(sum, item);
}

static int
write_sum(struct prof *p, struct prof_sum *sum, const char *path)
{
	struct prof_output *out = prof_output_open(p, "stream", path);
	int failed = out == NULL || prof_sum_write(sum, out) != 0 ||
	    prof_output_finish(out) != 0;

	if (failed)
		tell(p);
	prof_output_free(out);
	return failed;
}

int
main(int argc, char **argv)
{
	struct adder adders[THREADS] = { 0 };
	size_t n = argc > 5 ? strtoul(argv[2], NULL, 10) : 0;
	struct prof *p = prof_new();
	struct prof_sum *sum = p == NULL ? NULL : prof_sum_new(p);
	int failed = 0;

	if (n == 0 || n > THREADS || sum == NULL ||
	    strcmp(argv[1], "-j") != 0 || strcmp(argv[3], "-o") != 0)
		return 2;
	if (n > (size_t)argc - 5)
		n = (size_t)argc - 5;
	for (size_t i = 0; i < n; i++) {
		struct adder *a = &adders[i];

		*a = (struct adder){ .p = prof_share(p), .files = argv + 5,
		    .count = (size_t)argc - 5, .first = i, .step = n };
		a->sum = a->p == NULL ? NULL : prof_sum_new(a->p);
		if (a->sum == NULL)
			return 2;
	}
	for (size_t i = 0; i < n; i++) {
		if (pthread_create(&adders[i].thread, NULL, add_files,
		    &adders[i]) != 0)
			return 2;
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(adders[i].thread, NULL);
	for (size_t i = 0; i < n; i++) {
		struct adder *a = &adders[i];

		failed |= a->failed;
		if (!a->failed && prof_sum_visit(a->sum, add_item, sum) != 0) {
			tell(prof_error(p) != NULL ? p : a->p);
			failed = 1;
		}
		prof_sum_free(a->sum);
		prof_free(a->p);
	}
	failed |= write_sum(p, sum, argv[4]);
	prof_sum_free(sum);
	prof_free(p);
	return failed;
}
