/*
 * measure - two commands in turn, and what one costs of the other
 *
 *	measure ROUNDS LABEL COMMAND-A COMMAND-B
 *
 * Each command is run by sh, A B A B and so on after one round that is not
 * counted.  Prints the medians of CPU time (user + system) and of elapsed time
 * in seconds, the peak memory in MB of the largest process, and the ratio B/A
 * of CPU time pair by pair: median, least and greatest.  Status 1 if a command
 * fails.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 101 };

struct run {
	double cpu, wall, megabytes;
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
	r.wall = now() - start;
	r.cpu = seconds(u.ru_utime) + seconds(u.ru_stime);
	r.megabytes = (double)u.ru_maxrss / 1024;
	return r;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

int
main(int argc, char **argv)
{
	static double cpu[2][ROUNDS_MAX], wall[2][ROUNDS_MAX];
	static double ratio[ROUNDS_MAX];
	double megabytes[2] = { 0, 0 }, middle;
	size_t rounds;

	if (argc != 5 || (rounds = strtoul(argv[1], NULL, 10)) == 0 ||
	    rounds > ROUNDS_MAX) {
		fprintf(stderr,
		    "usage: measure ROUNDS LABEL COMMAND COMMAND\n");
		return 2;
	}
	for (int k = 0; k < 2; k++)
		run(argv[3 + k]);
	for (size_t i = 0; i < rounds; i++) {
		for (int k = 0; k < 2; k++) {
			struct run r = run(argv[3 + k]);

			cpu[k][i] = r.cpu;
			wall[k][i] = r.wall;
			if (r.megabytes > megabytes[k])
				megabytes[k] = r.megabytes;
		}
		ratio[i] = cpu[0][i] > 0 ? cpu[1][i] / cpu[0][i] : 0;
	}
	middle = median(ratio, rounds);
	printf("| %s | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f | "
	    "**%.1f** (%.1f to %.1f) |\n", argv[2],
	    median(cpu[0], rounds), median(cpu[1], rounds),
	    median(wall[0], rounds), median(wall[1], rounds), megabytes[0],
	    megabytes[1], middle, ratio[0], ratio[rounds - 1]);
	return 0;
}
