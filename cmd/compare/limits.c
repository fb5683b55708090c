#include "config.h"

#include "cmd/common/messages.h"
#include "cmd/compare/limits.h"

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
		cli_usage_error(c, "%s needs %s, not '%s'", rows[i].option,
		    rows[i].minimum ? "a percentage" : "a number or a "
		    "percentage", text);
	if (too_large)
		cli_usage_error(c, "%s accepts at most 100%%, not '%s'",
		    rows[i].option, text);
	l->of[i].set = true;
	l->of[i].percent = percent;
	l->of[i].value = value;
}

struct limit_check {
	const struct diff_limits *limits;
	struct diff_verdicts *verdicts;
	int subject;
};

/*
 * A value is a sum of rounded quotients: one that differs by less than the
 * rounding from its limit reaches it.
 */
static void
limit_judge(struct limit_check *k, enum diff_limit i, double value)
{
	struct diff_verdicts *all = k->verdicts;
	double limit = k->limits->of[i].value, rounding = limit * 1e-12;

	if (!k->limits->of[i].set)
		return;
	all->items[all->size++] = (struct diff_verdict){
		.option = rows[i].option, .what = rows[i].what,
		.unit = k->limits->of[i].percent ? "%" : "",
		.subject = k->subject, .value = value, .limit = limit,
		.failed = rows[i].minimum ? value < limit - rounding :
		    value > limit + rounding };
}

/* n functions of `all`, or contexts, as a number or a percentage. */
static void
limit_judge_number(struct limit_check *k, enum diff_limit i, uint64_t n,
    uint64_t all)
{
	double value = (double)n;

	if (k->limits->of[i].percent)
		value = all == 0 ? 0 : 100 * (double)n / (double)all;
	limit_judge(k, i, value);
}

/*
 * If both sums are 0, the overlap counts as complete.  If that of A is 0, its
 * counts have no share in B, and there is no verdict.
 */
static void
limit_judge_sums(struct limit_check *k, double overlap, const double
    sum[OVERLAP_SIDES])
{
	bool none = sum[OVERLAP_A] < 1 && sum[OVERLAP_B] < 1;

	limit_judge(k, DIFF_MIN_OVERLAP, none ? 100 : 100 * overlap);
	if (sum[OVERLAP_A] >= 1)
		limit_judge(k, DIFF_MIN_COUNT_SHARE,
		    100 * sum[OVERLAP_B] / sum[OVERLAP_A]);
}

void
diff_limits_check(const struct diff_limits *l, struct diff *d)
{
	struct limit_check k = { .limits = l, .verdicts = &d->verdicts };

	for (k.subject = 0; k.subject < DIFF_SUBJECTS; k.subject++) {
		const struct overlap *o = diff_overlap(d, k.subject);

		if (!d->has[k.subject])
			continue;
		limit_judge_sums(&k, overlap_shares_sum(&o->counts.overlap),
		    o->counts.sum);
		limit_judge_number(&k, DIFF_MAX_LOST, o->unmatched[OVERLAP_A],
		    o->records[OVERLAP_A]);
		limit_judge_number(&k, DIFF_MAX_NEW, o->unmatched[OVERLAP_B],
		    o->records[OVERLAP_B]);
		limit_judge_number(&k, DIFF_MAX_STALE, o->stale[OVERLAP_A],
		    o->records[OVERLAP_A]);
	}
}

bool
diff_limits_hold(const struct diff *d, const struct cli *c)
{
	char text[DIFF_VERDICT_SIZE];

	for (size_t i = 0; i < d->verdicts.size; i++) {
		const struct diff_verdict *v = &d->verdicts.items[i];

		if (!v->failed)
			continue;
		diff_verdict_text(text, v);
		message_print("%s: %s: %s\n", c->name,
		    diff_subjects[v->subject].whose, text);
	}
	return diff_failures(d) == 0;
}
