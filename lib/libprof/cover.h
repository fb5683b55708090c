/*
 * libprof/cover.h - which lines ran, from a sum of profiles and binaries
 *
 *	struct prof_cover *c = prof_cover_new(sum);
 *	uint32_t line;
 *	uint64_t count;
 *
 *	prof_cover_add_binary(c, "app");
 *	while (prof_cover_next_file(c, &path, &size) > 0)
 *		while (prof_cover_next_line(c, &line, &count) > 0)
 *			use(path, size, line, count);
 *
 * The figures are those of prof-cover(1).  Functions that return int return -1
 * on failure.
 */
#ifndef LIBPROF_COVER_H
#define LIBPROF_COVER_H

#include <libprof/merge.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct prof_cover;

/*
 * The counts are those of the sum, which is then written and can be freed.
 * PROF_E_USE: it was written before.
 */
struct prof_cover *prof_cover_new(struct prof_sum *);	/* prof_cover_free */

/*
 * Adds a program, shared library, object file, or archive of these, which was
 * compiled with -fcoverage-mapping.  PROF_E_FORMAT: it has no coverage.  After
 * another failure, the cover can only be freed.
 */
int prof_cover_add_binary(struct prof_cover *, const char *path);

/*
 * The next file: 1, or 0 after the last one, after which the first one comes
 * again.  Files are in the order of their paths.  No binary can be added once a
 * file was returned.  The listener of the struct prof is told of each function
 * that is left out because the profile has it of another build.
 */
int prof_cover_next_file(struct prof_cover *, const char **path, size_t *size);

/* The next executable line of that file: 1, or 0 after the last one. */
int prof_cover_next_line(struct prof_cover *, uint32_t *line, uint64_t *count);

/* The same of functions, with the line where each begins. */
int prof_cover_next_function(struct prof_cover *, const char **name,
    size_t *size, uint32_t *line, uint64_t *count);

enum prof_cover_number {
	PROF_COVER_LINES = 1,
	PROF_COVER_LINES_RUN,
	PROF_COVER_REGIONS,
	PROF_COVER_REGIONS_RUN,
	PROF_COVER_FUNCTIONS,
	PROF_COVER_FUNCTIONS_RUN,
	PROF_COVER_BRANCHES,		/* two for each that can go both ways */
	PROF_COVER_BRANCHES_RUN,
	PROF_COVER_CONDITIONS,		/* of decisions, MC/DC */
	PROF_COVER_CONDITIONS_RUN	/* that changed the result alone */
};

/* A number of the file that was returned last; 0 if there is no such number. */
uint64_t prof_cover_number(const struct prof_cover *, enum prof_cover_number);

void prof_cover_free(struct prof_cover *);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
