/* cmd/diff/limits.h - limits of change for the exit status of prof-diff */
#ifndef CMD_DIFF_LIMITS_H
#define CMD_DIFF_LIMITS_H

#include "cmd/common/cli.h"
#include "cmd/diff/print.h"

/* All zero: there is no limit. */
struct diff_limits {
	struct { bool set, percent; double value; } of[DIFF_LIMITS];
};

/* Parses P or P% for a minimum, N or P% for a maximum; exits on other text. */
void diff_limits_set(struct diff_limits *, enum diff_limit, const char *text,
    const struct cli *);

/* Sets the verdicts: on each limit, for each subject that is there. */
void diff_limits_check(const struct diff_limits *, struct diff *);

/* False, with a line on standard error for each verdict that is a failure. */
bool diff_limits_hold(const struct diff *, const struct cli *);

#endif
