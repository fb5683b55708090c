/*
 * lookup - what it takes to read some functions, or all, of a profile
 *
 *	lookup PROFILE ROUNDS <names
 *
 * The names are those of functions of the profile, in order, one a line.
 * Prints a line of figures, the medians of so many rounds, each of which takes
 * other names; of CPU time, but for COLD:
 *
 *	ONE	microseconds to open a profile that was read before, and to look
 *		one function up in it, again and again, and the pages that this
 *		touches
 *	CLUSTER	the same for 50 functions whose names follow one another, by
 *		function, and the pages of all of them
 *	COLD	microseconds for one of a file that is not in memory
 *	COUNTS	milliseconds to read names and counters of all functions in the
 *		order of their names; of a hash table, they are sorted
 *	SCAN	milliseconds to read the targets of value sites as well
 *	SUM	of the counters that were found, to be compared
 *
 * Pages are counted by taking all access to the image away, and giving back
 * that to the page of each fault.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/radix_sort.h"
#include "prof.h"

/* Others may run on the machine, but for what waits for the disk. */
#define USED	CLOCK_PROCESS_CPUTIME_ID

/* Several look-ups are timed, since the clock takes as long as one. */
enum { CLUSTER = 50, ROUNDS_MAX = 10001, REPEATS = 8 };

struct profile {
	const char *path;
	struct prof_context *context;	/* of all readers */
	struct prof_span image;
	struct prof_span *names;
	size_t size, room;
	uint64_t sum;			/* of the counters that were found */
};

static volatile size_t faults;
static size_t page;

static void
die(const char *what)
{
	fprintf(stderr, "lookup: %s\n", what);
	exit(1);
}

static double
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void
give_back(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr / page * page;

	(void)signal;
	(void)context;
	faults++;
	if (mprotect((void *)at, page, PROT_READ) != 0)
		_exit(1);
}

static struct prof_span
map(const char *path, bool cold)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st) != 0)
		die(path);
	if (cold)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		die("mmap");
	/* As the programs map what they look up. */
	madvise(p, (size_t)st.st_size, MADV_RANDOM);
	return (struct prof_span){ p, (size_t)st.st_size };
}

static void
read_names(struct profile *p)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		struct prof_span s = { (const uint8_t *)line, (size_t)n - 1 };

		if (!ARRAY_ADD(p->names, p->size, p->room, s))
			die("out of memory");
		line = NULL;
		room = 0;
	}
	free(line);
	if (p->size < CLUSTER)
		die("too few names");
	prof_span_sort(p->names, p->size);
}

/* Looks n names up from the first one on, and adds their counters. */
static void
look_up(struct profile *p, struct prof_span image, size_t first, size_t n)
{
	struct prof_reader *r = prof_open(p->context, image, NULL);
	struct prof_record record;
	size_t found = 0;

	if (r == NULL)
		die("not a profile");
	prof_select(r, p->names + first, n);
	while (prof_next(r, &record, NULL) == PROF_OK) {
		const struct prof_function *f = &record.u.function;

		if (record.kind != PROF_REC_FUNCTION || !prof_span_in(
		    f->symbol.name, p->names + first, n))
			continue;
		for (size_t i = 0; i < f->counts_size; i++)
			p->sum += f->counts[i];
		found++;
	}
	if (found < n)
		die("a function is not found");
	prof_close(r);
}

static int
compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double
median(double *figures, size_t n)
{
	qsort(figures, n, sizeof(*figures), compare_numbers);
	return figures[n / 2];
}

/* The first of n names, another one each round. */
static size_t
name_of_round(const struct profile *p, size_t round, size_t n)
{
	return (size_t)(round * UINT64_C(7919) % (p->size - n + 1));
}

static void
print_look_up(struct profile *p, size_t rounds, size_t n)
{
	static double times[ROUNDS_MAX], pages[ROUNDS_MAX];
	void *image = (void *)(uintptr_t)p->image.data;

	for (size_t i = 0; i < rounds; i++) {
		size_t first = name_of_round(p, i, n);
		double start;

		look_up(p, p->image, first, n);
		start = now(USED);
		for (size_t k = 0; k < REPEATS; k++)
			look_up(p, p->image, first, n);
		times[i] = (now(USED) - start) / REPEATS / (double)n;
		faults = 0;
		mprotect(image, p->image.size, PROT_NONE);
		look_up(p, p->image, first, n);
		pages[i] = (double)faults;
		mprotect(image, p->image.size, PROT_READ);
	}
	printf("%.1f %.0f ", median(times, rounds), median(pages, rounds));
}

static void
print_cold(struct profile *p, size_t rounds)
{
	static double times[ROUNDS_MAX];

	munmap((void *)(uintptr_t)p->image.data, p->image.size);
	for (size_t i = 0; i < rounds; i++) {
		struct prof_span image = map(p->path, true);
		double start = now(CLOCK_MONOTONIC);

		look_up(p, image, name_of_round(p, i, 1), 1);
		times[i] = now(CLOCK_MONOTONIC) - start;
		munmap((void *)(uintptr_t)image.data, image.size);
	}
	p->image = map(p->path, false);
	printf("%.0f ", median(times, rounds));
}

static int
compare_sums(const void *a, const void *b)
{
	(void)a;
	(void)b;
	return 0;
}

/* Reads all functions; those that are not in order are sorted. */
static uint64_t
scan(const struct profile *p, struct prof_context *context)
{
	const bool sorted = strcmp(prof_sniff(p->image), "lprf") == 0;
	struct prof_reader *r = prof_open(context, p->image, NULL);
	struct radix_sort_item *items = NULL;
	struct arena a = { 0 };
	struct prof_record record;
	size_t size = 0, room = 0;
	uint64_t sum = 0;

	while (prof_next(r, &record, NULL) == PROF_OK) {
		const struct prof_function *f = &record.u.function;

		if (record.kind != PROF_REC_FUNCTION)
			continue;
		for (size_t i = 0; i < f->counts_size; i++)
			sum += f->counts[i];
		if (!sorted && !ARRAY_ADD(items, size, room,
		    (struct radix_sort_item){ arena_copy(&a,
		    f->symbol.name), NULL, 0 }))
			die("out of memory");
	}
	if (size != 0)
		radix_sort(items, size, compare_sums);
	free(items);
	arena_free(&a);
	prof_close(r);
	return sum;
}

static void
print_scan(struct profile *p, size_t rounds, bool targets)
{
	static double times[ROUNDS_MAX];

	for (size_t i = 0; i < rounds; i++) {
		double start = now(USED);
		struct prof_context *context = prof_context_new(NULL, NULL);

		if (!targets)
			prof_context_without_targets(context);
		p->sum += scan(p, context);
		prof_context_free(context);
		times[i] = (now(USED) - start) / 1e3;
	}
	printf("%.1f ", median(times, rounds));
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = give_back,
	    .sa_flags = SA_SIGINFO };
	struct profile p = { .path = argc == 3 ? argv[1] : "" };
	size_t rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (rounds < 1 || rounds > ROUNDS_MAX)
		die("usage: lookup PROFILE ROUNDS <names");
	page = (size_t)sysconf(_SC_PAGESIZE);
	read_names(&p);
	p.context = prof_context_new(NULL, NULL);
	p.image = map(p.path, false);
	sigaction(SIGSEGV, &action, NULL);
	print_look_up(&p, rounds, 1);
	print_look_up(&p, rounds / 10 + 1, CLUSTER);
	print_cold(&p, rounds / 10 + 1);
	print_scan(&p, rounds / 100 + 3, false);
	print_scan(&p, rounds / 100 + 3, true);
	printf("%llu\n", (unsigned long long)p.sum);
	prof_context_free(p.context);
	return 0;
}
