/* Coverage by the public interface: what its numbers say, and its misuse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libprof/cover.h"
#include "tests/support/problems.h"
#include "tests/support/test.h"

static char folder[4096];

/* The path of a vector of coverage; valid until the next call. */
static const char *
vector(const char *name)
{
	static char path[sizeof(folder) + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void
count_warning(void *arg, const struct prof_problem *warning)
{
	*(int *)arg += prof_problem_code(warning) == PROF_E_MISMATCH &&
	    strstr(prof_problem_text(warning), "least") != NULL;
}

/* A sum of the profile of the vectors, or of one of another build. */
static struct prof_sum *
sum_of(struct prof *p, bool same_build)
{
	static const char other[] = "least\n1\n5\n1\n2\n3\n4\n5\n\n";
	struct prof_input *in = same_build ?
	    prof_input_open(p, vector("least.proftext")) :
	    prof_input_memory(p, other, strlen(other));
	struct prof_sum *sum = prof_sum_new(p);

	if (prof_sum_add_input(sum, in, 1, 1) != 0)
		puts(prof_problem_text(prof_error(p)));
	prof_input_close(in);
	return sum;
}

static void
test_numbers(struct prof *p)
{
	static const uint64_t want[] = { 0, 6, 5, 11, 10, 2, 1, 6, 5, 2, 1, 0 };
	struct prof_sum *sum = sum_of(p, true);
	struct prof_cover *c = prof_cover_new(sum);
	uint64_t count = 0, lines = 0, functions = 0;
	const char *path, *name;
	uint32_t line = 0;
	size_t size;

	prof_sum_free(sum);
	check(prof_cover_add_binary(c, vector("v7-64le.elf")) == 0, "added");
	check(prof_cover_next_line(c, &line, &count) == 0 &&
	    prof_cover_next_function(c, &name, &size, &line, &count) == 0,
	    "no line before the first file");
	for (int again = 0; again < 2; again++) {
		check(prof_cover_next_file(c, &path, &size) == 1 && size == 8 &&
		    memcmp(path, "/src/a.c", size) == 0, "the file");
		for (lines = 0; prof_cover_next_line(c, &line, &count) > 0;)
			lines++;
		check(lines == 7 && line == 8 && count == 3, "%llu lines",
		    (unsigned long long)lines);
		for (functions = 0; prof_cover_next_function(c, &name, &size,
		    &line, &count) > 0;)
			functions++;
		check(functions == 2, "functions");
		for (unsigned i = 0; i < COUNT(want); i++) {
			count = prof_cover_number(c,
			    (enum prof_cover_number)i);
			check(count == want[i], "number %u: %llu", i,
			    (unsigned long long)count);
		}
		check(prof_cover_next_file(c, &path, &size) == 0,
		    "no other file");
	}
	check(failed(p, prof_cover_add_binary(c, vector("v1-32be.elf")),
	    PROF_E_USE, "returned already"), "a binary after a file");
	prof_cover_free(c);
}

static void
test_misuse(struct prof *p)
{
	struct prof_sum *sum = sum_of(p, false);
	struct prof_cover *c = prof_cover_new(sum);
	const char *path = NULL;
	int warnings = 0;
	size_t size;

	check(prof_cover_new(sum) == NULL && failed(p, -1, PROF_E_USE,
	    "written already"), "the sum serves once");
	check(failed(p, prof_cover_add_binary(c, vector("a.c")), PROF_E_FORMAT,
	    "a.c: no binary with coverage"), "a source");
	check(prof_cover_add_binary(c, vector("clang-22.o")) == 0,
	    "another file may follow");
	prof_listen(p, count_warning, &warnings);
	check(prof_cover_next_file(c, &path, &size) == 1 && warnings == 1,
	    "a function of another build is told of");
	check(prof_cover_number(c, PROF_COVER_LINES) == 1,
	    "and left out");
	prof_cover_free(c);
	prof_sum_free(sum);
	sum = sum_of(p, true);
	c = prof_cover_new(sum);
	check(failed(p, prof_cover_add_binary(c, "/nonexistent"), PROF_E_SYSTEM,
	    "/nonexistent: ") && failed(p, prof_cover_next_file(c, &path,
	    &size), PROF_E_USE, "has failed"), "after a failure");
	prof_cover_free(c);
	prof_cover_free(NULL);
	prof_sum_free(sum);
}

int
main(void)
{
	const char *top = getenv("top_srcdir");
	struct prof *p = prof_new();

	if (top == NULL)
		skip_all("no vectors: set top_srcdir");
	snprintf(folder, sizeof(folder), "%s/share/vectors/coverage", top);
	test_numbers(p);
	test_misuse(p);
	prof_free(p);
	return done_testing();
}
