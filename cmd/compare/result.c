/* A comparison: its sides from their records, its result, and limits of it. */
#include "config.h"

#include "cmd/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/messages.h"
#include "cmd/print/print.h"
#include "model/record.h"

/* Hashes of front-end and IR profiles have nothing to do with each other. */
static enum prof_status
diff_check_level(struct diff_sides *d, struct prof_error *err)
{
	const char *file = d->cli->inputs.file;

	if (d->level == PROF_LEVEL_UNKNOWN)
		return PROF_OK;
	if (d->first_level == PROF_LEVEL_UNKNOWN) {
		d->first_level = d->level;
		d->first_file = d->diff->file[d->side - d->sides];
	}
	return d->level == d->first_level ? PROF_OK : err_set(err,
	    PROF_E_MISMATCH, "%s (%s) cannot be compared with %s (%s)",
	    words_level_profile[d->level], file,
	    words_level_profile[d->first_level], d->first_file);
}

static enum prof_status
diff_add_record(void *arg, const struct prof_record *record,
    struct prof_error *err)
{
	struct diff_sides *d = arg;
	struct diff_side *s = d->side;

	if (record->kind == PROF_REC_PROFILE) {
		d->level = record->u.profile.level;
		s->any = true;
		s->has_heap = s->has_heap ||
		    record->u.profile.kind != PROF_INSTR;
	}
	if (record->kind == PROF_REC_RAW_COUNTERS)
		return record_refuse_counters(err);
	if (record->kind == PROF_REC_FUNCTION &&
	    diff_check_level(d, err) != PROF_OK)
		return PROF_FAIL;
	if (diff_table_add(&d->functions, (int)(s - d->sides), record, err) !=
	    PROF_OK || heap_view_add(s->heap, record, err) != PROF_OK)
		return PROF_FAIL;
	/* A binary without symbols does not tell front-end from IR hashes. */
	if (d->functions.binary && d->level == PROF_LEVEL_UNKNOWN)
		d->functions.sides[OVERLAP_NEW].ir =
		    d->functions.sides[OVERLAP_OLD].ir;
	return d->also == NULL ? PROF_OK : d->also(d->also_arg, record, err);
}

/* The records of a file of a side. */
static enum prof_status
diff_read_file(struct diff_sides *d, int side)
{
	struct cli *c = d->cli;
	const char *path = d->diff->file[side];
	const struct cli_input in = { .path = path, .weight = { 1, 1 } };
	uint64_t misfits;

	d->side = &d->sides[side];
	if (d->diff->binary && side == OVERLAP_NEW)
		return cli_read_binary(c, path, diff_add_record, d);
	cli_add_input(c, &in);
	if (cli_read(c, diff_add_record, d) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = path;
	if (!d->side->any)
		return err_set(&c->err, PROF_E_FORMAT, ERR_NO_PROFILE);
	misfits = d->functions.sides[side].misfits;
	if (misfits != 0 && !c->options.quiet)
		message_print("%s: %s: warning: records of %llu functions do "
		    "not match others of the same name and hash: left out\n",
		    c->name, path, (unsigned long long)misfits);
	c->inputs.file = NULL;
	return PROF_OK;
}

static enum prof_status
diff_read_side(struct diff_sides *d, int side)
{
	struct heap_view *heap = heap_view_new(false);

	d->sides[side].heap = heap;
	if (heap == NULL)
		return err_memory(&d->cli->err);
	if (diff_read_file(d, side) != PROF_OK)
		return PROF_FAIL;
	if (d->names != NULL)
		heap_view_name(heap, d->names);
	d->diff->heaps[side] = heap_view_get(heap);
	return PROF_OK;
}

enum prof_status
diff_sides_read(struct diff_sides *d)
{
	d->functions.binary = d->diff->binary;
	/* Inputs are added one by one. */
	cli_progress_begin(d->cli);
	d->cli->report.progress->total = OVERLAP_SIDES;
	d->cli->report.damage.needs_all = true;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (diff_read_side(d, s) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Compares what at least one side has, or else empty sets of functions. */
enum prof_status
diff_sides_compare(struct diff_sides *sides)
{
	struct diff *d = sides->diff;
	struct prof_error *err = &sides->cli->err;

	for (int class = 0; class < DIFF_CLASSES; class++) {
		struct overlap *o = &d->overlap[class];

		d->changes[class].most = d->top;
		d->changes[class].sort = d->sort;
		if (!overlap_compare(&sides->functions,
		    class == DIFF_SENSITIVE, o, &d->changes[class]))
			return err_memory(err);
		d->has[class] = o->records[OVERLAP_OLD] +
		    o->records[OVERLAP_NEW] != 0;
		if (o->masked != 0 && !sides->cli->options.quiet)
			message_print("%s: warning: stale functions whose "
			    "hashes differ only in bits that clang 22 clears: "
			    "%llu (prof-diff --for clang-22 compares them)\n",
			    sides->cli->name, (unsigned long long)o->masked);
	}
	d->has[DIFF_HEAP] = sides->sides[OVERLAP_OLD].has_heap ||
	    sides->sides[OVERLAP_NEW].has_heap;
	if (!d->has[DIFF_SENSITIVE] && !d->has[DIFF_HEAP])
		d->has[DIFF_PLAIN] = true;
	d->heap.sort = d->sort;
	return diff_heap_compare(&d->heap, &d->heaps[OVERLAP_OLD],
	    &d->heaps[OVERLAP_NEW], err);
}

void
diff_sides_free(struct diff_sides *sides)
{
	struct diff *d = sides->diff;

	diff_table_free(&sides->functions);
	for (int s = 0; s < OVERLAP_SIDES; s++)
		heap_view_free(sides->sides[s].heap);
	if (d == NULL)
		return;
	for (int c = 0; c < DIFF_CLASSES; c++)
		diff_changes_free(&d->changes[c]);
	diff_heap_free(&d->heap);
}

/* The result of prof-diff as its formats need it: words, rows, verdicts. */

const struct diff_subject diff_subjects[DIFF_SUBJECTS] = {
	[DIFF_PLAIN] = { "functions", "functions", "functions",
	    "total count", "sum", "counts" },
	[DIFF_SENSITIVE] = { "context-sensitive functions",
	    "context-sensitive functions", "functions",
	    "total count", "sum", "counts" },
	[DIFF_HEAP] = { "heap", "heap contexts", "contexts",
	    "bytes", "bytes", "bytes" },
};

size_t
diff_rows(const struct diff *d, int subject)
{
	size_t size = subject == DIFF_HEAP ? d->heap.changed :
	    d->changes[subject].size;

	return size < d->top ? size : d->top;
}

const struct overlap_change *
diff_row(const struct diff *d, int subject, size_t i)
{
	return subject == DIFF_HEAP ? &d->heap.changes[i].change :
	    &d->changes[subject].items[i];
}

/* Divides by 10, from the upper 32 bits on; the remainders are the digits. */
void
diff_total_text(char text[DIFF_TOTAL_SIZE], const struct overlap_total *t)
{
	uint64_t parts[] = { t->high >> 32, t->high & UINT32_MAX, t->low >> 32,
		t->low & UINT32_MAX }, left;
	char *p = &text[DIFF_TOTAL_SIZE - 1];

	*p = '\0';
	do {
		uint64_t rest = 0;

		left = 0;
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
			uint64_t part = rest << 32 | parts[i];

			parts[i] = part / 10;
			rest = part % 10;
			left |= parts[i];
		}
		*--p = (char)('0' + rest);
	} while (left != 0);
	memmove(text, p, strlen(p) + 1);
}

void
diff_verdict_text(char text[DIFF_VERDICT_SIZE], const struct diff_verdict *v)
{
	snprintf(text, DIFF_VERDICT_SIZE, "%.6g%s %s: %s is %.6g%s", v->value,
	    v->unit, v->what, v->option, v->limit, v->unit);
}

static const struct {
	const char *option, *what;
	bool minimum;
} rows[DIFF_LIMITS] = {
#define LIMIT_ROW(id, word, limit, meaning) \
	[OVERLAP_##id] = { "--" limit, word, false },
	[DIFF_MIN_OVERLAP] = { "--min-overlap", "overlap", true },
	[DIFF_MIN_COUNT_SHARE] = { "--min-count-share",
	    "of the counts of OLD", true },
	OVERLAP_LIMITED_STATES(LIMIT_ROW)
};

void
diff_limits_set(struct diff_limits *l, int i, const char *text,
    const struct cli *c)
{
	char *end;
	double value = strtod(text, &end);
	bool percent = *end == '%' || rows[i].minimum;
	/* NEW may have more counts than OLD. */
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

void
diff_limits_need_counts(const struct diff_limits *l, const struct cli *c)
{
	for (int i = OVERLAP_RENAMED + 1; i < DIFF_LIMITS; i++) {
		if (l->of[i].set && i != OVERLAP_NO_LONGER_RUN)
			cli_usage_error(c, "%s needs two profiles",
			    rows[i].option);
	}
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
limit_judge(struct limit_check *k, int i, double value)
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
limit_judge_number(struct limit_check *k, int i, uint64_t n,
    uint64_t all)
{
	double value = (double)n;

	if (k->limits->of[i].percent)
		value = all == 0 ? 0 : 100 * (double)n / (double)all;
	limit_judge(k, i, value);
}

/*
 * If both sums are 0, the overlap counts as complete.  If that of OLD is 0, its
 * counts have no share in NEW, and there is no verdict.
 */
static void
limit_judge_sums(struct limit_check *k, double overlap, const double
    sum[OVERLAP_SIDES])
{
	bool none = sum[OVERLAP_OLD] < 1 && sum[OVERLAP_NEW] < 1;

	limit_judge(k, DIFF_MIN_OVERLAP, none ? 100 : 100 * overlap);
	if (sum[OVERLAP_OLD] >= 1)
		limit_judge(k, DIFF_MIN_COUNT_SHARE,
		    100 * sum[OVERLAP_NEW] / sum[OVERLAP_OLD]);
}

void
diff_limits_check(const struct diff_limits *l, struct diff *d)
{
	struct limit_check k = { .limits = l, .verdicts = &d->verdicts };

	for (k.subject = 0; k.subject < DIFF_SUBJECTS; k.subject++) {
		const struct overlap *o = diff_overlap(d, k.subject);

		if (!d->has[k.subject])
			continue;
		if (!d->binary)
			limit_judge_sums(&k,
			    overlap_shares_sum(&o->counts.overlap),
			    o->counts.sum);
		for (int i = 0; i < OVERLAP_CHANGED; i++)
			limit_judge_number(&k, i, o->states[i].changes,
			    o->records[i == OVERLAP_NEWLY_RUN ? OVERLAP_NEW :
			    OVERLAP_OLD]);
	}
}

bool
diff_limits_hold(const struct diff *d, const struct cli *c)
{
	char text[DIFF_VERDICT_SIZE];
	bool hold = true;

	for (size_t i = 0; i < d->verdicts.size; i++) {
		const struct diff_verdict *v = &d->verdicts.items[i];

		if (!v->failed)
			continue;
		hold = false;
		diff_verdict_text(text, v);
		message_print("%s: %s: %s\n", c->name,
		    diff_subjects[v->subject].whose, text);
	}
	return hold;
}
