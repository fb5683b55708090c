/*
 * When an allocation, or all from there on, fail, a call of the public
 * interface says that there is no memory, or the result is the same.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libprof/merge.h"
#include "tests/support/failing.h"
#include "tests/support/test.h"

enum {
	MOST = 1 << 22,			/* bytes of an output */
	RUNS = 120			/* of a job with a failure, about */
};

/* Jobs return 0, -1 if their struct prof has an error, or this. */
enum { NO_MEMORY = -2 };

/* What a job wrote. */
struct text {
	char *data;			/* MOST bytes */
	size_t size;
};

static int
text_add(void *arg, const void *data, size_t size)
{
	struct text *t = arg;

	if (size > MOST - t->size)
		return 1;
	if (size > 0)
		memcpy(t->data + t->size, data, size);
	t->size += size;
	return 0;
}

/* All items of an input, which may be NULL, to an output of a format. */
static int
put_all(struct prof *p, struct prof_input *in, const char *format,
    struct text *text)
{
	struct prof_output *out = in == NULL ? NULL :
	    prof_output_new(p, format, text_add, text);
	const struct prof_item *item;
	int status = out == NULL ? -1 : 1;

	while (status > 0) {
		status = prof_input_next(in, &item);
		if (status > 0 && prof_output_put(out, item) != 0)
			status = -1;
	}
	if (status == 0)
		status = prof_output_finish(out);
	prof_output_free(out);
	return status;
}

struct job {
	const char *name, *file, *format;
	int (*run)(struct prof *, const struct job *, const char *path,
	    struct text *);
	enum prof_option option;	/* that is 1; or 0 */
};

/* A file in another format. */
static int
job_convert(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof_input *in;
	int status;

	if (j->option != 0 && prof_set(p, j->option, 1) != 0)
		return -1;
	in = prof_input_open(p, path);
	status = put_all(p, in, j->format, text);
	prof_input_close(in);
	return status;
}

static size_t
pack(const char *path, unsigned char *packed, size_t room)
{
	static unsigned char bytes[1 << 16];
	z_stream z = { .next_in = bytes, .next_out = packed,
	    .avail_out = (uInt)room };
	FILE *f = fopen(path, "rb");

	z.avail_in = f == NULL ? 0 : (uInt)fread(bytes, 1, sizeof(bytes), f);
	if (f != NULL)
		fclose(f);
	deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	deflateEnd(&z);
	return z.total_out;
}

/* The file again, packed by gzip, and read from memory. */
static int
job_gzip(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	static unsigned char packed[1 << 17];
	static size_t size;		/* 0 before the first run */
	struct prof_input *in;
	int status;

	if (size == 0)
		size = pack(path, packed, sizeof(packed));
	in = prof_input_memory(p, packed, size);
	status = put_all(p, in, j->format, text);
	prof_input_close(in);
	return status;
}

static int
job_select(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof_input *in = prof_input_open(p, path);
	int status = -1;

	if (in != NULL && prof_input_select(in, "main", 4) == 0 &&
	    prof_input_select_prefix(in, "f", 1) == 0)
		status = put_all(p, in, j->format, text);
	prof_input_close(in);
	return status;
}

/* Another struct prof with the same cache. */
static int
job_share(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof *other = prof_share(p);
	int status = other == NULL ? NO_MEMORY :
	    job_convert(other, j, path, text);

	/* The caller asks only its own struct prof for the error. */
	if (status == -1 &&
	    prof_problem_code(prof_error(other)) == PROF_E_MEMORY)
		status = NO_MEMORY;
	prof_free(other);
	return status;
}

/* A function with a list of 40 sites. */
static struct prof_item *
make_function(struct prof *p)
{
	static const uint64_t counts[] = { 1, 2, 3 };
	struct prof_item *f = prof_item_new(p, PROF_ITEM_FUNCTION), *part = f;

	if (f == NULL)
		return NULL;
	if (prof_item_set_bytes(f, PROF_NAME, "f", 1) != 0 ||
	    prof_item_set_numbers(f, PROF_COUNTS, counts, 3) != 0)
		part = NULL;
	for (uint64_t i = 0; i < 40 && part != NULL; i++) {
		part = prof_item_add(f, PROF_CALL_TARGETS);
		if (part != NULL)
			part = prof_item_add(part, PROF_VALUES);
		if (part != NULL)
			prof_item_set_number(part, PROF_VALUE, i);
	}
	if (part != NULL)
		return f;
	prof_item_free(f);
	return NULL;
}

/* Puts an item, if there is one, and frees it. */
static int
put_made(struct prof_output *out, struct prof_item *item)
{
	int status = item == NULL ? -1 : prof_output_put(out, item);

	prof_item_free(item);
	return status;
}

static int
job_items(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof_item *f = make_function(p);
	struct prof_output *out = f == NULL ? NULL :
	    prof_output_new(p, j->format, text_add, text);
	int status = -1;

	(void)path;
	if (out != NULL &&
	    put_made(out, prof_item_new(p, PROF_ITEM_PROFILE)) == 0 &&
	    put_made(out, prof_item_copy(p, f)) == 0 &&
	    put_made(out, prof_item_new(p, PROF_ITEM_END)) == 0)
		status = prof_output_finish(out);
	prof_item_free(f);
	prof_output_free(out);
	return status;
}

static int
sum_twice(struct prof *p, const char *path, struct prof_sum *sum)
{
	for (int i = 0; i < 2; i++) {
		struct prof_input *in = prof_input_open(p, path);
		int status = in == NULL ? -1 :
		    prof_sum_add_input(sum, in, 1, 1);

		prof_input_close(in);
		if (status != 0)
			return -1;
	}
	return 0;
}

static int
job_sum(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof_sum *sum = prof_sum_new(p);
	struct prof_output *out = sum == NULL ? NULL :
	    prof_output_new(p, j->format, text_add, text);
	int status = out == NULL || sum_twice(p, path, sum) != 0 ||
	    prof_sum_write(sum, out) != 0 || prof_output_finish(out) != 0 ?
	    -1 : 0;

	prof_sum_free(sum);
	prof_output_free(out);
	return status;
}

static int
visit(void *text, const struct prof_item *item)
{
	char line[32];

	return text_add(text, line, (size_t)snprintf(line, sizeof(line),
	    "%d\n", (int)prof_item_kind(item)));
}

/* In bounded memory, which takes temporary files. */
static int
job_bounded(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof_sum *sum = prof_sum_new(p);
	int status = sum == NULL ||
	    prof_sum_set(sum, PROF_SUM_MEMORY, 1) != 0 ||
	    sum_twice(p, path, sum) != 0 ||
	    prof_sum_visit(sum, visit, text) != 0 ? -1 : 0;

	(void)j;
	prof_sum_free(sum);
	return status;
}

/* Figures, and the difference of a profile from itself. */
static int
job_figures(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof_input *in = prof_input_open(p, path);
	struct prof_figures *g = in == NULL ? NULL : prof_figures_new(p);
	struct prof_diff *d = g == NULL ? NULL : prof_diff_new(p);
	const struct prof_item *item;
	uint64_t least, counters;
	int status = d == NULL ? -1 : 1;
	char line[64];

	(void)j;
	while (status > 0) {
		status = prof_input_next(in, &item);
		if (status > 0 && (prof_figures_add(g, item) != 0 ||
		    prof_diff_add(d, 0, item) != 0))
			status = -1;
	}
	if (status == 0 && (prof_diff_compare(d) != 0 ||
	    prof_figures_cutoff(g, 900000, &least, &counters) != 0))
		status = -1;
	if (status == 0)
		text_add(text, line, (size_t)snprintf(line, sizeof(line),
		    "%d %d\n", (int)least, (int)prof_diff_in_state(d,
		    PROF_DIFF_FUNCTIONS, PROF_NO_LONGER_RUN)));
	prof_diff_free(d);
	prof_figures_free(g);
	prof_input_close(in);
	return status;
}

static int
filter_all(struct prof *p, const char *path, struct prof_filter *f,
    struct text *text)
{
	struct prof_input *in = f == NULL ? NULL : prof_input_open(p, path);
	const struct prof_item *item;
	int status = in == NULL ? -1 : 1;

	while (status > 0) {
		status = prof_input_next(in, &item);
		if (status > 0 && prof_filter_put(f, item, visit, text) != 0)
			status = -1;
	}
	if (status == 0)
		status = prof_filter_finish(f);
	prof_input_close(in);
	prof_filter_free(f);
	return status;
}

static int
job_upgrade(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	(void)j;
	return filter_all(p, path, prof_upgrade_new(p, 16, 0), text);
}

static int
job_symbolize(struct prof *p, const struct job *j, const char *path,
    struct text *text)
{
	struct prof_filter *f = prof_symbolizer_new(p);
	char binary[4096];

	(void)j;
	snprintf(binary, sizeof(binary), "%.*s.debug",
	    (int)(strlen(path) - strlen(".memprofraw")), path);
	if (f != NULL && (prof_symbolizer_search(f, "/nonexistent") != 0 ||
	    prof_symbolizer_add(f, binary) != 0)) {
		prof_filter_free(f);
		return -1;
	}
	return filter_all(p, path, f, text);
}

/* A row may not run in a build without a library: it fails everywhere then. */
static const struct job jobs[] = {
#define READ(file)	file, "stream", .run = job_convert
	{ "a raw profile", READ("good/kinds.profraw") },
	{ "a raw profile of traces", READ("good/temporal.profraw") },
	{ "a heap profile", READ("memprof/v2.llvm22.profdata") },
	{ "a raw heap profile", READ("symbolize/app-22.memprofraw") },
	{ "YAML", READ("memprof/sample.yaml") },
	{ "a stream", READ("heap/app.ndjson") },
	{ "a damaged profile", READ("bad/names-zlib-cut/input"),
	    .option = PROF_SALVAGE },
	{ "a mapped file", READ("memprof/v2.llvm22.profdata"),
	    .option = PROF_MAP_FILES },
	{ "a gzip file", "good/kinds.profraw", "stream", .run = job_gzip },
	{ "names that are looked up", "memprof/v4.mixed.profdata", "stream",
	    .run = job_select },
	{ "a shared cache", "good/kinds.profraw", "stream", .run = job_share },
	{ "items of the caller", "", "stream", .run = job_items },
	{ "an indexed profile is written", "good/v11-64le.profraw", "indexed",
	    .run = job_convert },
	{ "LPRF is written", "good/v11-64le.profraw", "lprf",
	    .run = job_convert },
	{ "YAML is written", "memprof/v2.llvm22.profdata", "yaml",
	    .run = job_convert },
	{ "a sum", "good/v11-64le.profraw", "indexed", .run = job_sum },
	{ "a sum of heap profiles", "memprof/v4.mixed.profdata", "indexed",
	    .run = job_sum },
	{ "a sum in bounded memory", "good/v11-64le.profraw",
	    .run = job_bounded },
	{ "figures and differences", "memprof/v4.mixed.profdata",
	    .run = job_figures },
	{ "an older release", "good/kinds.profraw", .run = job_upgrade },
	{ "symbols", "symbolize/app-22.memprofraw", .run = job_symbolize }
};

/* What became of a job. */
struct outcome {
	bool done, no_memory;
};

static struct outcome
run_job(const struct job *j, const char *path, struct text *text)
{
	struct prof *p = prof_new();
	int status = p == NULL ? NO_MEMORY : 0;
	const struct prof_problem *problem = NULL;

	text->size = 0;
	if (p != NULL)
		status = j->run(p, j, path, text);
	if (status == -1)
		problem = prof_error(p);
	if (problem != NULL && prof_problem_code(problem) == PROF_E_MEMORY)
		status = NO_MEMORY;
	else if (problem != NULL)
		printf("# %s\n", prof_problem_text(problem));
	prof_free(p);
	return (struct outcome){ status == 0, status == NO_MEMORY };
}

/* Whether the job with an allocation that fails ends as it should. */
static bool
fails_well(const struct job *j, const char *path, const struct failing *how,
    const struct text *want, struct text *text)
{
	struct outcome got;
	bool right;

	failing_begin(how);
	got = run_job(j, path, text);
	failing_end();
	right = got.done ? text->size == want->size &&
	    memcmp(text->data, want->data, text->size) == 0 : got.no_memory;
	if (!right)
		printf("# allocation %lu%s: %s\n", how->number,
		    how->from_there ? " and all behind" : "", got.done ?
		    "another result" : "another error");
	return right;
}

static void
test_job(const struct job *j, const char *path, struct text *want,
    struct text *text)
{
	struct failing how = { .kind = FAILING_MEMORY };
	struct outcome plain = run_job(j, path, want);
	unsigned long calls, step;
	bool right;

	failing_begin(&how);
	run_job(j, path, text);
	calls = failing_end();
	step = calls / (RUNS / 2) + 1;
	right = calls > 0;
	for (how.number = 1; how.number <= calls && plain.done;
	    how.number += step) {
		how.from_there = false;
		right = fails_well(j, path, &how, want, text) && right;
		how.from_there = true;
		right = fails_well(j, path, &how, want, text) && right;
	}
	check(right, "%s: each of %lu allocations may fail", j->name, calls);
}

/* An output whose caller did not ask if an item was put is not finished. */
static void
test_lost_item(struct text *text)
{
	static uint64_t counts[100000];
	struct prof *p = prof_new();
	struct prof_item *items[] = { prof_item_new(p, PROF_ITEM_PROFILE),
		prof_item_new(p, PROF_ITEM_FUNCTION),
		prof_item_new(p, PROF_ITEM_END) };
	struct prof_output *out = prof_output_new(p, "indexed", text_add, text);

	prof_item_set_number(items[0], PROF_LEVEL, PROF_LEVEL_IR);
	prof_item_set_bytes(items[1], PROF_NAME, "f", 1);
	prof_item_set_numbers(items[1], PROF_COUNTS, counts, COUNT(counts));
	prof_output_put(out, items[0]);
	failing_begin(&(struct failing){ .kind = FAILING_MEMORY, .number = 1 });
	prof_output_put(out, items[1]);
	failing_end();
	prof_output_put(out, items[2]);
	check(prof_output_finish(out) != 0 &&
	    prof_problem_code(prof_error(p)) == PROF_E_MEMORY,
	    "an output that lacks an item is not finished");
	prof_output_free(out);
	for (size_t i = 0; i < COUNT(items); i++)
		prof_item_free(items[i]);
	prof_free(p);
}

int
main(void)
{
	const char *top = getenv("top_srcdir");
	struct text want = { malloc(MOST), 0 }, text = { malloc(MOST), 0 };
	char path[4096];

	if (top == NULL)
		skip_all("no test data: set top_srcdir");
	for (size_t i = 0; i < COUNT(jobs); i++) {
		snprintf(path, sizeof(path), "%s/tests/data/%s", top,
		    jobs[i].file);
		test_job(&jobs[i], path, &want, &text);
	}
	text.size = 0;
	test_lost_item(&text);
	free(want.data);
	free(text.data);
	return done_testing();
}
