/*
 * stages - how fast the library does each of its steps
 *
 *	stages [-r ROUNDS] [-b PROGRAM] RUN.ndjson...
 *	stages -s STAGE [-b PROGRAM] RUN.ndjson...
 *	stages -l
 *
 * The files are streams of several runs of one program, of its functions or of
 * its heap; addresses of heaps are looked up in PROGRAM, which has debug
 * information.  Prints a row of a table for each stage that there are runs and
 * a program for: millions of bytes, and of functions or contexts, in a second
 * of CPU time, medians of rounds.  With -s, one stage is done once, for a tool
 * that counts what is inside run_stage(), and the number of functions or
 * contexts is printed.  -l lists the stages.
 *
 * A stage that does not come to as many of them as there are ends the program
 * with status 2.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "stage.h"

enum { ROUNDS_MAX = 101 };

/* Least duration of a round in seconds of CPU time. */
static const double long_enough = 0.05;

static const struct stage stages[] = {
	{ "decode-raw", "decode raw", stage_decode, .form = RAW },
	{ "decode-raw-blocks", "decode raw, several of a program", stage_decode,
	    .form = RAW, .all = true, .blocks = true },
	{ "decode-indexed", "decode indexed", stage_decode, .form = INDEXED },
	{ "decode-indexed-blocks", "decode indexed, several of a program",
	    stage_decode, .form = INDEXED, .all = true, .blocks = true },
	{ "decode-text", "decode text", stage_decode, .form = TEXT },
	{ "format", "format stream lines", stage_encode, .form = STREAM },
	{ "scan", "scan stream lines", stage_decode, .form = STREAM },
	{ "scan-blocks", "scan stream lines, several of a program",
	    stage_decode, .form = STREAM, .all = true, .blocks = true },
	{ "cat-raw", "raw to stream lines, several of a program", stage_cat,
	    .form = RAW, .all = true, .blocks = true },
	{ "merge", "merge records", stage_merge_records, .form = FORMS,
	    .all = true },
	{ "merge-raw", "decode and merge raw", stage_merge_images, .form = RAW,
	    .all = true, .blocks = true },
	{ "merge-indexed", "decode and merge indexed", stage_merge_images,
	    .form = INDEXED, .all = true, .blocks = true },
	{ "merge-stream", "scan and merge stream lines", stage_merge_images,
	    .form = STREAM, .all = true, .blocks = true },
	{ "write-indexed", "write indexed", stage_encode, .form = INDEXED },
	{ "write-text", "write text", stage_encode, .form = TEXT },
	{ "look-up", "look one function up", stage_look_up, .form = FORMS },
	{ "decode-heap", "decode raw heap profile", stage_decode,
	    .form = HEAP_RAW, .input = HEAP },
	{ "format-heap", "format stream lines of heap profile", stage_encode,
	    .form = STREAM, .input = HEAP },
	{ "scan-heap", "scan stream lines of heap profile", stage_decode,
	    .form = STREAM, .input = HEAP },
	{ "merge-heap", "merge records of heap profiles", stage_merge_records,
	    .form = FORMS, .input = HEAP, .all = true },
	{ "merge-heap-raw", "decode and merge raw heap profiles",
	    stage_merge_images, .form = HEAP_RAW, .input = HEAP, .all = true,
	    .blocks = true },
	{ "merge-heap-stream", "scan and merge stream lines of heap profiles",
	    stage_merge_images, .form = STREAM, .input = HEAP, .all = true,
	    .blocks = true },
	{ "symbolize", "symbolize heap profile", stage_symbolize,
	    .form = FORMS, .input = SYMBOLIZED },
	{ "scan-symbolized", "scan stream lines with frames", stage_decode,
	    .form = STREAM, .input = SYMBOLIZED },
	{ "write-heap-indexed", "write indexed heap profile", stage_encode,
	    .form = INDEXED, .input = SYMBOLIZED },
};

enum { STAGES = sizeof(stages) / sizeof(stages[0]) };

/* A tool that counts instructions looks for this name. */
__attribute__((noinline)) static void
run_stage(struct stage_work *w)
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

/* The input of all stages. */
struct inputs {
	struct stage_runs functions, heaps;
	const char *program;		/* or NULL */
};

static bool
has_input(const struct stage *stage, const struct inputs *in)
{
	if (stage->input == PROGRAM)
		return in->functions.size != 0;
	return in->heaps.size != 0 &&
	    (stage->input == HEAP || in->program != NULL);
}

/*
 * Makes the input of a stage before it is measured, and gives the number of
 * bytes that the stage reads or writes.  Several streams are joined, as
 * profraw-cat writes them.
 */
static uint64_t
prepare(struct stage_work *w, const struct stage *stage,
    const struct inputs *in)
{
	const struct stage_runs *from = stage->input == PROGRAM ?
	    &in->functions : &in->heaps;
	uint64_t bytes = 0;

	*w = (struct stage_work){ stage, from->runs,
	    stage->all ? from->size : 1,
	    from->runs[0].functions, 0 };
	if (stage->all && stage->form == STREAM) {
		w->runs = stage_joined(from->runs, from->size);
		w->size = 1;
	}
	if (stage->input == SYMBOLIZED) {
		struct stage_run *symbolized = stage_symbolized(from->runs);

		if (stage->run != stage_symbolize)
			w->runs = symbolized;
	}
	for (size_t i = 0; i < w->size && stage->form != FORMS; i++)
		bytes += stage_image(&w->runs[i], stage->form).size;
	if (stage->run == stage_look_up)
		stage_image(w->runs, INDEXED);
	return bytes;
}

static void
check(const struct stage_work *w)
{
	uint64_t expected = 0;

	for (size_t i = 0; i < w->size; i++)
		expected += w->runs[i].functions;
	if (w->stage->run == stage_look_up)
		expected = STAGE_NAMES;
	if (w->functions != expected)
		stage_fail("a stage has lost functions", NULL);
}

/* Seconds that a stage takes, the mean of one round. */
static double
round_of(struct stage_work *w)
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
measure(const struct stage *stage, const struct inputs *in, size_t rounds)
{
	struct stage_work w;
	uint64_t bytes = prepare(&w, stage, in);
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
once(const char *name, const struct inputs *in)
{
	struct stage_work w;

	for (size_t i = 0; i < STAGES; i++) {
		if (strcmp(stages[i].name, name) != 0)
			continue;
		if (!has_input(&stages[i], in))
			stage_fail("there is nothing for that stage", NULL);
		prepare(&w, &stages[i], in);
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
	fprintf(stderr, "usage: stages [-r ROUNDS | -s STAGE] [-b PROGRAM] "
	    "RUN.ndjson...\n       stages -l\n");
	return 2;
}

static void
measure_all(const struct inputs *in, size_t rounds)
{
	printf("| stage | MB/s | million functions or contexts/s |\n"
	    "| --- | --- | --- |\n");
	for (size_t i = 0; i < STAGES; i++) {
		if (has_input(&stages[i], in))
			measure(&stages[i], in, rounds);
	}
}

int
main(int argc, char **argv)
{
	struct inputs in = { .program = NULL };
	const char *only = NULL;
	size_t rounds = 5;
	int c;

	while ((c = getopt(argc, argv, "b:lr:s:")) != -1) {
		switch (c) {
		case 'b': in.program = optarg; break;
		case 'l': return list();
		case 'r': rounds = strtoul(optarg, NULL, 10); break;
		case 's': only = optarg; break;
		default: return usage();
		}
	}
	if (optind == argc || rounds == 0 || rounds > ROUNDS_MAX)
		return usage();
	stage_symbolize_with(in.program);
	stage_read(argv + optind, (size_t)(argc - optind), &in.functions,
	    &in.heaps);
	if (only != NULL)
		once(only, &in);
	else
		measure_all(&in, rounds);
	return 0;
}
