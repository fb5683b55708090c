/*
 * measure - compares the time and memory of two commands, run in turn
 *
 *	measure [-c CPU] [-w WALL] [-m MEMORY] [-M MEGABYTES]
 *	    ROUNDS LABEL COMMAND-A COMMAND-B
 *
 * Each command is run by sh, A B A B and so on after one round that is not
 * counted.  Prints a row of a table: the ratios B/A of CPU time (user + system)
 * with least and greatest, of elapsed time and of memory, pair by pair and then
 * the median; the medians of the times in seconds, and the peak memory of the
 * largest process in MB; the ratios that were asked for, and whether they were
 * missed.  -M is what memory may come to.  Status 1 if a command fails.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 101 };

enum figure { CPU, WALL, MEMORY, FIGURES };

struct run {
	double figure[FIGURES];
};

/* Targets of -c, -w, -m and -M; 0 if there is none. */
struct targets {
	double ratio[FIGURES];
	double megabytes;
};

struct spread {
	double median, least, greatest;
};

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct run
run(const char *command)
{
	double start = now();
	struct rusage u;
	struct run r;
	int status;
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &u) != child ||
	    status != 0) {
		fprintf(stderr, "measure: failed: %s\n", command);
		exit(1);
	}
	r.figure[WALL] = now() - start;
	r.figure[CPU] = seconds(u.ru_utime) + seconds(u.ru_stime);
	r.figure[MEMORY] = (double)u.ru_maxrss / 1024;
	return r;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct spread
spread(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return (struct spread){
		n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2,
		v[0], v[n - 1]
	};
}

static struct spread
figure(const struct run *runs, enum figure f, size_t n)
{
	double v[ROUNDS_MAX];

	for (size_t i = 0; i < n; i++)
		v[i] = runs[i].figure[f];
	return spread(v, n);
}

static struct spread
ratio(const struct run *a, const struct run *b, enum figure f, size_t n)
{
	double v[ROUNDS_MAX];

	for (size_t i = 0; i < n; i++)
		v[i] = a[i].figure[f] > 0 ?
		    b[i].figure[f] / a[i].figure[f] : 0;
	return spread(v, n);
}

static void
put_targets(const struct targets *t, const struct spread *ratios,
    double megabytes)
{
	static const char *const names[FIGURES] = { "CPU", "wall", "memory" };
	bool missed = t->megabytes > 0 && megabytes > t->megabytes;
	const char *comma = "";

	for (unsigned f = 0; f < FIGURES; f++) {
		if (t->ratio[f] <= 0)
			continue;
		printf("%s%s %g", comma, names[f], t->ratio[f]);
		missed = missed || ratios[f].median < t->ratio[f];
		comma = ", ";
	}
	if (t->megabytes > 0)
		printf("%s%g MB", comma, t->megabytes);
	printf(missed ? ", missed |" : " |");
}

static void
put_row(const char *label, const struct targets *t, const struct run *a,
    const struct run *b, size_t n)
{
	struct spread ratios[FIGURES];

	for (unsigned f = 0; f < FIGURES; f++)
		ratios[f] = ratio(a, b, (enum figure)f, n);
	printf("| %s | **%.1f** (%.1f to %.1f) | %.1f | %.2f |", label,
	    ratios[CPU].median, ratios[CPU].least, ratios[CPU].greatest,
	    ratios[WALL].median, ratios[MEMORY].median);
	printf(" %.3f | %.3f | %.3f | %.3f | %.0f | %.0f | ",
	    figure(a, CPU, n).median, figure(b, CPU, n).median,
	    figure(a, WALL, n).median, figure(b, WALL, n).median,
	    figure(a, MEMORY, n).greatest, figure(b, MEMORY, n).greatest);
	put_targets(t, ratios, figure(a, MEMORY, n).greatest);
	printf("\n");
}

static int
usage(void)
{
	fprintf(stderr, "usage: measure [-c CPU] [-w WALL] [-m MEMORY] "
	    "[-M MEGABYTES]\n\t    ROUNDS LABEL COMMAND COMMAND\n");
	return 2;
}

int
main(int argc, char **argv)
{
	static struct run runs[2][ROUNDS_MAX];
	struct targets targets = { 0 };
	size_t rounds;
	int c;

	while ((c = getopt(argc, argv, "c:w:m:M:")) != -1) {
		switch (c) {
		case 'c': targets.ratio[CPU] = atof(optarg); break;
		case 'w': targets.ratio[WALL] = atof(optarg); break;
		case 'm': targets.ratio[MEMORY] = atof(optarg); break;
		case 'M': targets.megabytes = atof(optarg); break;
		default: return usage();
		}
	}
	argv += optind;
	if (argc - optind != 4 || (rounds = strtoul(argv[0], NULL, 10)) == 0 ||
	    rounds > ROUNDS_MAX)
		return usage();
	for (size_t i = 0; i <= rounds; i++) {
		for (int k = 0; k < 2; k++) {
			struct run r = run(argv[2 + k]);

			if (i != 0)
				runs[k][i - 1] = r;
		}
	}
	put_row(argv[1], &targets, runs[0], runs[1], rounds);
	return 0;
}
