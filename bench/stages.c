/*
 * stages - how fast the library does each of its steps
 *
 *	stages [-r ROUNDS] RUN.ndjson...
 *	stages -s STAGE RUN.ndjson...
 *	stages -l
 *
 * The files are streams of several runs of one program.  Prints a row of a
 * table for each stage: millions of bytes and of functions in a second of CPU
 * time, medians of rounds.  With -s, one stage is done once, for a tool that
 * counts what is inside run_stage(), and the number of functions is printed.
 * -l lists the stages.
 *
 * A stage that does not come to as many functions as there are ends the program
 * with status 2.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "format/codec.h"
#include "ops/merge.h"
#include "stage_data.h"

enum { ROUNDS_MAX = 101, NAMES = 1000 };

/* A round lasts so long, in seconds of CPU time. */
static const double long_enough = 0.05;

struct stage;

/* What a stage is done with. */
struct work {
	const struct stage *stage;
	struct stage_run *runs;
	size_t size;
	uint64_t program;		/* functions of it */
	uint64_t functions;		/* that came out of the runs */
};

struct stage {
	const char *name, *what;
	void (*run)(struct work *);
	enum form form;
	bool all;			/* runs, and not only the first */
	bool blocks;
};

static void
demand(enum prof_status status, const struct work *w,
    const struct prof_error *err)
{
	if (status == PROF_FAIL)
		stage_fail(w->stage->name, err);
}

/* A writer that only counts. */
struct counter {
	struct prof_writer base;
	uint64_t *functions;
};

static enum prof_status
count_record(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	(void)err;
	*((struct counter *)base)->functions += stage_functions(r);
	return PROF_OK;
}

static enum prof_status
count_block(struct prof_writer *base, const struct prof_block *b,
    struct prof_error *err)
{
	(void)err;
	*((struct counter *)base)->functions += b->size;
	return PROF_OK;
}

static enum prof_status
finish_count(struct prof_writer *base, struct prof_error *err)
{
	(void)base;
	(void)err;
	return PROF_OK;
}

static const struct writer_ops counter_ops = {
	.put = count_record,
	.put_block = count_block,
	.finish = finish_count,
};

/* Reads images, and puts or adds their records if there is where to. */
static void
read_images(struct work *w, struct prof_writer *to, struct merge *sum)
{
	struct prof_context *context = stage_context(w->stage->blocks);

	for (size_t i = 0; i < w->size; i++) {
		struct stage_pipe pipe;
		struct prof_reader *r = stage_reader(context, &w->runs[i],
		    w->stage->form, &pipe);
		struct prof_error err = { 0 };
		struct prof_record record;
		enum prof_status status;

		while ((status = prof_next(r, &record, &err)) == PROF_OK) {
			w->functions += stage_functions(&record);
			if (to != NULL)
				demand(prof_put(to, &record, &err), w, &err);
			if (sum != NULL)
				demand(merge_add(sum, &record, NULL, &err), w,
				    &err);
		}
		demand(status, w, &err);
		prof_close(r);
	}
	prof_context_free(context);
}

static void
decode(struct work *w)
{
	read_images(w, NULL, NULL);
}

/* What profraw-cat does. */
static void
cat(struct work *w)
{
	struct prof_writer *to = stage_writer(STREAM, NULL);
	struct prof_error err = { 0 };

	read_images(w, to, NULL);
	demand(prof_finish(to, &err), w, &err);
	prof_writer_free(to);
}

static struct merge *
new_sum(void)
{
	struct merge *sum = merge_new(NULL, NULL);

	if (sum == NULL)
		stage_fail("out of memory", NULL);
	return sum;
}

/* The sum has the functions of one run, as all have the same. */
static void
write_sum(struct work *w, struct merge *sum)
{
	static const struct merge_output output;
	uint64_t functions = 0;
	struct counter counter = {
		.base = { .ops = &counter_ops },
		.functions = &functions,
	};
	struct prof_error err = { 0 };

	demand(merge_write(sum, &output, &counter.base, &err), w, &err);
	merge_free(sum);
	if (functions != w->program)
		stage_fail("a sum has other functions than its parts", NULL);
}

static void
merge_images(struct work *w)
{
	struct merge *sum = new_sum();

	read_images(w, NULL, sum);
	write_sum(w, sum);
}

static void
merge_records(struct work *w)
{
	struct merge *sum = new_sum();
	struct prof_error err = { 0 };

	for (size_t i = 0; i < w->size; i++) {
		for (size_t k = 0; k < w->runs[i].records_size; k++)
			demand(merge_add(sum, &w->runs[i].records[k], NULL,
			    &err), w, &err);
		w->functions += w->runs[i].functions;
	}
	write_sum(w, sum);
}

static void
encode(struct work *w)
{
	struct prof_writer *to = stage_writer(w->stage->form, NULL);
	struct prof_error err = { 0 };

	for (size_t k = 0; k < w->runs[0].records_size; k++)
		demand(prof_put(to, &w->runs[0].records[k], &err), w, &err);
	demand(prof_finish(to, &err), w, &err);
	prof_writer_free(to);
	w->functions = w->runs[0].functions;
}

/* Functions of all parts of the program, each by itself. */
static void
look_up(struct work *w)
{
	const struct stage_run *run = &w->runs[0];
	struct stage_pipe pipe;
	struct prof_error err = { 0 };

	for (size_t i = 0; i < NAMES; i++) {
		const struct prof_record *wanted = &run->records[2 +
		    i * run->functions / NAMES];
		struct prof_reader *r = stage_reader(NULL, w->runs, INDEXED,
		    &pipe);
		struct prof_record record;
		enum prof_status status;

		prof_select(r, &wanted->u.function.symbol.name, 1);
		while ((status = prof_next(r, &record, &err)) == PROF_OK)
			w->functions += stage_functions(&record);
		demand(status, w, &err);
		prof_close(r);
	}
}

static const struct stage stages[] = {
	{ "decode-raw", "decode raw", decode, .form = RAW },
	{ "decode-raw-blocks", "decode raw, several of a program", decode,
	    .form = RAW, .all = true, .blocks = true },
	{ "decode-indexed", "decode indexed", decode, .form = INDEXED },
	{ "decode-indexed-blocks", "decode indexed, several of a program",
	    decode, .form = INDEXED, .all = true, .blocks = true },
	{ "decode-text", "decode text", decode, .form = TEXT },
	{ "format", "format stream lines", encode, .form = STREAM },
	{ "scan", "scan stream lines", decode, .form = STREAM },
	{ "scan-blocks", "scan stream lines, several of a program", decode,
	    .form = STREAM, .all = true, .blocks = true },
	{ "cat-raw", "raw to stream lines, several of a program", cat,
	    .form = RAW, .all = true, .blocks = true },
	{ "merge", "merge records", merge_records, .form = FORMS,
	    .all = true },
	{ "merge-raw", "decode and merge raw", merge_images, .form = RAW,
	    .all = true, .blocks = true },
	{ "merge-indexed", "decode and merge indexed", merge_images,
	    .form = INDEXED, .all = true, .blocks = true },
	{ "merge-stream", "scan and merge stream lines", merge_images,
	    .form = STREAM, .all = true, .blocks = true },
	{ "write-indexed", "write indexed", encode, .form = INDEXED },
	{ "write-raw", "write raw", encode, .form = RAW },
	{ "write-text", "write text", encode, .form = TEXT },
	{ "look-up", "look one function up", look_up, .form = FORMS },
};

enum { STAGES = sizeof(stages) / sizeof(stages[0]) };

/* A tool that counts instructions looks for this name. */
__attribute__((noinline)) static void
run_stage(struct work *w)
{
	w->functions = 0;
	w->stage->run(w);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * Makes what the stage needs, so that it is not measured: how many bytes it
 * reads or writes.  Several streams come as one, as profraw-cat writes them.
 */
static uint64_t
prepare(struct work *w, const struct stage *stage, struct stage_run *runs,
    size_t size)
{
	uint64_t bytes = 0;

	*w = (struct work){ stage, runs, stage->all ? size : 1,
	    runs[0].functions, 0 };
	if (stage->all && stage->form == STREAM) {
		w->runs = stage_joined(runs, size);
		w->size = 1;
	}
	for (size_t i = 0; i < w->size && stage->form != FORMS; i++)
		bytes += stage_image(&w->runs[i], stage->form).size;
	if (stage->run == look_up)
		stage_image(&runs[0], INDEXED);
	return bytes;
}

static void
check(const struct work *w)
{
	uint64_t expected = 0;

	for (size_t i = 0; i < w->size; i++)
		expected += w->runs[i].functions;
	if (w->stage->run == look_up)
		expected = NAMES;
	if (w->functions != expected)
		stage_fail("a stage has lost functions", NULL);
}

/* Seconds that it takes once. */
static double
round_of(struct work *w)
{
	double start = now(), seconds;
	unsigned times = 0;

	do {
		run_stage(w);
		times++;
		seconds = now() - start;
	} while (seconds < long_enough);
	return seconds / times;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
measure(const struct stage *stage, struct stage_run *runs, size_t size,
    size_t rounds)
{
	struct work w;
	uint64_t bytes = prepare(&w, stage, runs, size);
	double seconds[ROUNDS_MAX], functions;

	for (size_t i = 0; i < rounds; i++)
		seconds[i] = round_of(&w);
	check(&w);
	qsort(seconds, rounds, sizeof(*seconds), compare);
	functions = (double)w.functions / 1e6;
	printf("| %s | ", stage->what);
	if (bytes != 0)
		printf("%.0f", (double)bytes / 1e6 / seconds[rounds / 2]);
	printf(" | %.2f (%.2f to %.2f) |\n",
	    functions / seconds[rounds / 2], functions / seconds[rounds - 1],
	    functions / seconds[0]);
}

static void
once(const char *name, struct stage_run *runs, size_t size)
{
	struct work w;

	for (size_t i = 0; i < STAGES; i++) {
		if (strcmp(stages[i].name, name) != 0)
			continue;
		prepare(&w, &stages[i], runs, size);
		run_stage(&w);
		check(&w);
		printf("%llu\n", (unsigned long long)w.functions);
		return;
	}
	stage_fail("there is no such stage", NULL);
}

static int
list(void)
{
	for (size_t i = 0; i < STAGES; i++)
		printf("%s\n", stages[i].name);
	return 0;
}

static int
usage(void)
{
	fprintf(stderr, "usage: stages [-r ROUNDS | -s STAGE] RUN.ndjson...\n"
	    "       stages -l\n");
	return 2;
}

int
main(int argc, char **argv)
{
	struct stage_run *runs;
	const char *only = NULL;
	size_t rounds = 5, size;
	int c;

	while ((c = getopt(argc, argv, "lr:s:")) != -1) {
		switch (c) {
		case 'l': return list();
		case 'r': rounds = strtoul(optarg, NULL, 10); break;
		case 's': only = optarg; break;
		default: return usage();
		}
	}
	if (optind == argc || rounds == 0 || rounds > ROUNDS_MAX)
		return usage();
	size = (size_t)(argc - optind);
	runs = stage_runs(argv + optind, size);
	if (only != NULL) {
		once(only, runs, size);
		return 0;
	}
	printf("| stage | MB/s | million functions/s |\n"
	    "| --- | --- | --- |\n");
	for (size_t i = 0; i < STAGES; i++)
		measure(&stages[i], runs, size, rounds);
	return 0;
}
