#include "config.h"

#include "cmd/common/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/cli.h"
#include "io/input.h"

/* The clock is read once in so many records, well below a millisecond. */
enum { RECORDS_PER_CLOCK = 256 };

/* 0 if unknown: lists and folders are read during the run. */
static uint64_t
progress_count_inputs(const struct cli *c)
{
	for (size_t i = 0; i < c->inputs.size; i++) {
		if (c->inputs.items[i].kind != CLI_FILE)
			return 0;
	}
	return c->inputs.size;
}

/* False if output goes to a terminal too, where it would mix with the line. */
static bool
progress_has_terminal(const struct cli *c)
{
	bool to_file = c->output.path != NULL && strcmp(c->output.path, "-") !=
	    0;

	return isatty(STDERR_FILENO) &&
	    (to_file || !isatty(STDOUT_FILENO));
}

void
cli_progress_begin(struct cli *c)
{
	struct cli_progress *p = c->report.progress;

	if (p->begun)
		return;
	p->silent = p->silent || c->options.quiet || !progress_has_terminal(c);
	p->begun = true;
	p->total = progress_count_inputs(c);
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->last = p->start;
}

static double
progress_seconds(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) +
	    (double)(to->tv_nsec - from->tv_nsec) / 1e9;
}

static uint64_t
progress_bytes(const struct cli_progress *p)
{
	return p->bytes + (p->input == NULL ? 0 : input_bytes(p->input));
}

static void
progress_put_line(const struct cli *c, double seconds)
{
	struct cli_progress *p = c->report.progress;

	fprintf(stderr, "\r%s: %" PRIu64, c->name, p->inputs);
	if (p->total != 0)
		fprintf(stderr, " of %" PRIu64, p->total);
	fprintf(stderr, " inputs, %" PRIu64 " MB, %" PRIu64 " functions, "
	    "%.0f s\033[K", progress_bytes(p) / 1000000, p->functions, seconds);
	p->shown = true;
}

static void
progress_update(struct cli *c)
{
	struct cli_progress *p = c->report.progress;
	struct timespec now;

	if (!p->begun || p->silent)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (progress_seconds(&p->last, &now) < 1)
		return;
	p->last = now;
	progress_put_line(c, progress_seconds(&p->start, &now));
}

void
cli_progress_input(struct cli *c, const struct input *in)
{
	c->report.progress->input = in;
	progress_update(c);
}

void
cli_progress_done(struct cli *c)
{
	struct cli_progress *p = c->report.progress;

	p->bytes = progress_bytes(p);
	p->input = NULL;
	p->inputs++;
	progress_update(c);
}

void
cli_progress_functions(struct cli *c, uint64_t functions)
{
	struct cli_progress *p = c->report.progress;

	p->functions += functions;
	if (++p->records % RECORDS_PER_CLOCK == 0)
		progress_update(c);
}

void
cli_progress_record(struct cli *c, const struct prof_record *r)
{
	cli_progress_functions(c, r->kind == PROF_REC_FUNCTION ? 1 :
	    r->kind == PROF_REC_BLOCK ? r->u.block.size : 0);
}

void
cli_progress_clear(const struct cli *c)
{
	if (!c->report.progress->shown)
		return;
	fputs("\r\033[K", stderr);
	c->report.progress->shown = false;
}
