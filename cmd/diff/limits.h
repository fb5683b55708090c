/* cmd/diff/limits.h - how much may change before prof-diff says no */
#ifndef CMD_DIFF_LIMITS_H
#define CMD_DIFF_LIMITS_H

#include "cmd/common/cli.h"
#include "cmd/diff/print.h"

enum diff_limit {
	DIFF_MIN_OVERLAP, DIFF_MIN_COUNT_SHARE, DIFF_MAX_LOST, DIFF_MAX_NEW,
	DIFF_MAX_STALE, DIFF_LIMITS
};

/* All zero: nothing is asked for. */
struct diff_limits {
	struct { bool set, percent; double value; } of[DIFF_LIMITS];
};

/* Takes P or P% of a minimum, N or P% of a maximum; exits on anything else. */
void diff_limits_set(struct diff_limits *, enum diff_limit, const char *text,
    const struct cli *);

/* False, with a line on standard error for each, if any limit is passed. */
bool diff_limits_hold(const struct diff_limits *, const struct diff *,
    const struct cli *);

#endif
