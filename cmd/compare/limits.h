/* cmd/compare/limits.h - limits of change, for the exit status */
#ifndef CMD_COMPARE_LIMITS_H
#define CMD_COMPARE_LIMITS_H

#include "cmd/common/cli.h"
#include "cmd/compare/compare.h"

/* All zero: there is no limit. */
struct diff_limits {
	struct { bool set, percent; double value; } of[DIFF_LIMITS];
};

/* Rows of the options that set limits, by a function of the program. */
#define DIFF_LIMIT_ROWS(function) \
	{ 0, "min-overlap", "P", "exit with 1 if the overlap is below P%", \
	    CLI_CALLS(function), .value = DIFF_MIN_OVERLAP }, \
	{ 0, "min-count-share", "P", \
	    "the same if B has less than P% of the counts of A", \
	    CLI_CALLS(function), .value = DIFF_MIN_COUNT_SHARE }, \
	{ 0, "max-lost", "N", \
	    "the same if over N functions of A, or N%, are lost", \
	    CLI_CALLS(function), .value = DIFF_MAX_LOST }, \
	{ 0, "max-new", "N", \
	    "the same if over N functions of B, or N%, are new", \
	    CLI_CALLS(function), .value = DIFF_MAX_NEW }, \
	{ 0, "max-stale", "N", \
	    "the same if over N of A, or N%, have other hashes", \
	    CLI_CALLS(function), .value = DIFF_MAX_STALE }

/* Parses P or P% for a minimum, N or P% for a maximum; exits on other text. */
void diff_limits_set(struct diff_limits *, enum diff_limit, const char *text,
    const struct cli *);

/* Sets the verdicts: on each limit, for each subject that is there. */
void diff_limits_check(const struct diff_limits *, struct diff *);

/* False, with a line on standard error for each verdict that is a failure. */
bool diff_limits_hold(const struct diff *, const struct cli *);

#endif
