#include "config.h"

#include "cmd/diff/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *option, *what;
	bool minimum;
} rows[DIFF_LIMITS] = {
	[DIFF_MIN_OVERLAP] = { "--min-overlap", "overlap", true },
	[DIFF_MIN_COUNT_SHARE] = { "--min-count-share",
	    "of the counts of A", true },
	[DIFF_MAX_LOST] = { "--max-lost", "lost", false },
	[DIFF_MAX_NEW] = { "--max-new", "new", false },
	[DIFF_MAX_STALE] = { "--max-stale", "stale", false },
};

void
diff_limits_set(struct diff_limits *l, enum diff_limit i, const char *text,
    const struct cli *c)
{
	char *end;
	double value = strtod(text, &end);
	bool percent = *end == '%' || rows[i].minimum;
	/* B may have more counts than A. */
	bool too_large = percent && value > 100 && i != DIFF_MIN_COUNT_SHARE;

	if (*end == '%')
		end++;
	if (*text < '0' || *text > '9' || *end != '\0' || !isfinite(value))
		cli_usage_error(c, "%s takes %s: not '%s'", rows[i].option,
		    rows[i].minimum ? "a percentage" :
		    "a number, or a percentage", text);
	if (too_large)
		cli_usage_error(c, "%s takes at most 100%%: not '%s'",
		    rows[i].option, text);
	l->of[i].set = true;
	l->of[i].percent = percent;
	l->of[i].value = value;
}

struct limit_check {
	const struct diff_limits *limits;
	const struct cli *cli;
	const char *whose;		/* what is compared, for messages */
	bool holds;
};

static void
limit_exceeded(struct limit_check *k, enum diff_limit i, double value)
{
	const char *unit = k->limits->of[i].percent ? "%" : "";

	k->holds = false;
	fprintf(stderr, "%s: %s: %.6g%s %s: %s is %.6g%s\n", k->cli->name,
	    k->whose, value, unit, rows[i].what, rows[i].option,
	    k->limits->of[i].value, unit);
}

/* The share is a fraction, which may be above 1. */
static void
limit_at_least(struct limit_check *k, enum diff_limit i, double share)
{
	if (k->limits->of[i].set && 100 * share < k->limits->of[i].value)
		limit_exceeded(k, i, 100 * share);
}

static void
limit_at_most(struct limit_check *k, enum diff_limit i, uint64_t n,
    uint64_t all)
{
	double value = (double)n;

	if (k->limits->of[i].percent)
		value = all == 0 ? 0 : 100 * (double)n / (double)all;
	if (k->limits->of[i].set && value > k->limits->of[i].value)
		limit_exceeded(k, i, value);
}

/* If both sums are 0, the overlap counts as complete. */
static void
limit_check_sums(struct limit_check *k, double overlap, const double
    sum[OVERLAP_SIDES])
{
	bool none = sum[OVERLAP_A] < 1 && sum[OVERLAP_B] < 1;

	limit_at_least(k, DIFF_MIN_OVERLAP, none ? 1 : overlap);
	if (sum[OVERLAP_A] >= 1)
		limit_at_least(k, DIFF_MIN_COUNT_SHARE,
		    sum[OVERLAP_B] / sum[OVERLAP_A]);
}

bool
diff_limits_hold(const struct diff_limits *l, const struct diff *d,
    const struct cli *c)
{
	struct limit_check k = { l, c, NULL, true };

	for (int i = 0; i < DIFF_SUBJECTS; i++) {
		const struct overlap *o = diff_overlap(d, i);

		if (!d->has[i])
			continue;
		k.whose = diff_subjects[i].whose;
		limit_check_sums(&k, o->counts.overlap, o->counts.sum);
		limit_at_most(&k, DIFF_MAX_LOST, o->unmatched[OVERLAP_A],
		    o->records[OVERLAP_A]);
		limit_at_most(&k, DIFF_MAX_NEW, o->unmatched[OVERLAP_B],
		    o->records[OVERLAP_B]);
		limit_at_most(&k, DIFF_MAX_STALE, o->stale[OVERLAP_A],
		    o->records[OVERLAP_A]);
	}
	return k.holds;
}
