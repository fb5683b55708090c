/*
 * The rule of threads of the public interface: each thread has a struct prof of
 * its own, and those that are prof_share of one have a cache in common.  All
 * get what one thread alone gets.  Under a sanitizer of threads this test shows
 * whether the rule is enough.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libprof/merge.h"
#include "tests/support/test.h"

enum { THREADS = 4, ROUNDS = 3, PATH_SIZE = 4096 };

/* Several profiles of one program, so that the threads meet in its cache. */
static const char *const samples[] = { "good/v11-64le.profraw",
	"good/kinds.profraw", "good/v11-64le.profraw", "good/v10-64le.profraw",
	"good/kinds.profraw", "good/temporal.profraw" };

enum { SAMPLES = COUNT(samples) };

struct bytes {
	char *data;
	size_t size;
};

struct job {
	struct prof *p;
	const struct bytes *image;	/* an indexed profile; all threads' */
	uint64_t digest;		/* of all that was read and written */
	unsigned failures;
	pthread_t thread;
};

static int
keep_bytes(void *arg, const void *data, size_t size)
{
	struct bytes *b = arg;

	b->data = realloc(b->data, b->size + size);
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

static int
digest_bytes(void *arg, const void *data, size_t size)
{
	uint64_t *digest = arg;

	for (size_t i = 0; i < size; i++)
		*digest = *digest * 31 + ((const unsigned char *)data)[i];
	return 0;
}

static struct prof_input *
open_sample(struct prof *p, size_t i)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"),
	    samples[i]);
	return prof_input_open(p, path);
}

static void
digest_input(struct job *j, struct prof_input *in)
{
	const struct prof_item *item;
	const uint64_t *counts;
	const char *name;
	size_t size;
	int status;

	while ((status = prof_input_next(in, &item)) > 0) {
		name = prof_item_bytes(item, PROF_NAME, &size);
		digest_bytes(&j->digest, name, size);
		counts = prof_item_numbers(item, PROF_COUNTS, &size);
		digest_bytes(&j->digest, counts, size * sizeof(*counts));
	}
	j->failures += status != 0;
	prof_input_close(in);
}

/* The sum of some samples of one kind, as bytes of an indexed profile. */
static unsigned
sum_samples(struct prof *p, prof_sink *sink, void *arg)
{
	struct prof_output *out = prof_output_new(p, "indexed", sink, arg);
	struct prof_sum *sum = prof_sum_new(p);
	unsigned failures = 0;

	for (size_t i = 0; i < SAMPLES; i += 2) {
		struct prof_input *in = open_sample(p, 0);

		failures += prof_sum_add_input(sum, in, i + 1, 1) != 0;
		prof_input_close(in);
	}
	failures += prof_sum_write(sum, out) != 0;
	failures += prof_output_finish(out) != 0;
	prof_sum_free(sum);
	prof_output_free(out);
	return failures;
}

static void *
run(void *arg)
{
	struct job *j = arg;
	struct prof_input *in;

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < SAMPLES; i++)
			digest_input(j, open_sample(j->p, i));
		in = prof_input_memory(j->p, j->image->data, j->image->size);
		prof_input_select(in, "foo", 3);
		digest_input(j, in);
		digest_input(j, prof_input_memory(j->p, j->image->data,
		    j->image->size));
		j->failures += sum_samples(j->p, digest_bytes, &j->digest);
		/* An error of one thread is no error of another. */
		in = prof_input_memory(j->p, "\177ELF", 4);
		j->failures += in == NULL || prof_input_next(in, &(
		    const struct prof_item *){ NULL }) != -1 ||
		    prof_problem_code(prof_error(j->p)) != PROF_E_FORMAT;
		prof_input_close(in);
	}
	return NULL;
}

static void
run_threads(const struct bytes *image, bool shared, uint64_t want)
{
	struct job jobs[THREADS] = { { .p = prof_new() } };
	unsigned failures = 0, other = 0;

	for (int i = 0; i < THREADS; i++) {
		if (i != 0)
			jobs[i].p = shared ? prof_share(jobs[0].p) :
			    prof_new();
		jobs[i].image = image;
	}
	for (int i = 0; i < THREADS; i++)
		failures += pthread_create(&jobs[i].thread, NULL, run,
		    &jobs[i]) != 0;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		failures += jobs[i].failures;
		other += jobs[i].digest != want;
	}
	/* Whichever of those that share goes first. */
	for (int i = 0; i < THREADS; i++)
		prof_free(jobs[i].p);
	check(failures == 0, "nothing fails in %d threads", THREADS);
	check(other == 0, "%d threads get what one gets, %s a cache", THREADS,
	    shared ? "with" : "without");
}

int
main(void)
{
	struct bytes image = { 0 };
	struct job alone = { .p = prof_new(), .image = &image };

	if (getenv("top_srcdir") == NULL)
		skip_all("no test data: set top_srcdir");
	check(sum_samples(alone.p, keep_bytes, &image) == 0, "an image");
	run(&alone);
	check(alone.failures == 0 && alone.digest != 0, "one thread alone");
	run_threads(&image, true, alone.digest);
	run_threads(&image, false, alone.digest);
	prof_free(alone.p);
	free(image.data);
	return done_testing();
}
