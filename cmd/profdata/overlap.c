/*
 * llvm-profdata overlap
 *
 * Unlike LLVM, records of context-sensitive and of plain instrumentation are
 * never mixed: LLVM compares all of them with the sum of one class.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "ops/diff/overlap.h"
#include "cmd/profdata/profdata.h"

static const char *const kind_names[PROF_VALUE_KINDS] = {
	"IndirectCall", "MemOP", "VTable"
};

static enum prof_status
overlap_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	return diff_table_add(arg, r, err);
}

static void
read_overlap_side(struct profdata *p, size_t side, struct diff_table *t)
{
	const char *path = p->options.operands.items[side];
	static const char where[] = "error in getting profile count sums";
	char message[PROFDATA_MESSAGE_SIZE];
	struct prof_error err = { 0 };

	profdata_require(where, path);
	if (profdata_read(p, path, overlap_record, t, &err) != PROF_OK)
		profdata_fail(where, "%s%s", profdata_message(message, &err),
		    err.code != PROF_E_FORMAT ? "" : "\nnote: Perhaps you "
		    "forgot to use the --sample or --memory option?");
}

/* The common share of two counts of functions with these sums, 0 to 1. */
static double
overlap_score(uint64_t a, uint64_t b, uint64_t sum_a, uint64_t sum_b)
{
	double x, y;

	if (sum_a == 0 || sum_b == 0)
		return 0;
	x = (double)a / (double)sum_a;
	y = (double)b / (double)sum_b;
	return x < y ? x : y;
}

/* The common share of two sites, whose values are sorted by target. */
static double
overlap_site_score(const struct diff_site *a, const struct diff_site *b,
    uint64_t sum_a, uint64_t sum_b)
{
	double sum = 0;

	for (size_t i = 0, k = 0; i < a->size && k < b->size;) {
		const struct prof_value *x = &a->values[i], *y = &b->values[k];

		i += x->value <= y->value;
		k += y->value <= x->value;
		if (x->value == y->value)
			sum += overlap_score(x->count, y->count, sum_a, sum_b);
	}
	return sum;
}

/* Shares are fractions, or below 0: not printed. */
struct overlap_shares {
	double overlap, mismatch, unique;
	double base_sum, test_sum;
};

static void
print_overlap_shares(struct profdata_out *out, const char *what,
    const struct overlap_shares *s)
{
	profdata_print(out, "  %s profile overlap: %.3f%%\n", what,
	    s->overlap * 100);
	if (s->mismatch >= 0)
		profdata_print(out, "  Mismatched count percentage (%s): "
		    "%.3f%%\n", what, s->mismatch * 100);
	if (s->unique >= 0)
		profdata_print(out, "  Percentage of %s profile only in "
		    "test_profile: %.3f%%\n", what, s->unique * 100);
	profdata_print(out, "  %s profile base count sum: %.0f\n", what,
	    s->base_sum);
	profdata_print(out, "  %s profile test count sum: %.0f\n", what,
	    s->test_sum);
}

static void
print_function_overlap(struct profdata_out *out, const struct diff_function *a,
    const struct diff_function *b)
{
	double overlap = 0;

	for (size_t i = 0; i < a->counts_size; i++)
		overlap += overlap_score(a->counts[i], b->counts[i],
		    a->count_sum, b->count_sum);
	profdata_print(out, "Function level:\n  Function: ");
	profdata_put(out, b->symbol.name);
	profdata_print(out, " (Hash=%" PRIu64 ")\n"
	    "  # of edge counters overlap: %zu\n", b->hash, b->counts_size);
	print_overlap_shares(out, "Edge", &(struct overlap_shares){ overlap, -1,
	    -1, (double)a->count_sum, (double)b->count_sum });
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (a->value_sums[k] == 0 && b->value_sums[k] == 0)
			continue;
		overlap = 0;
		for (size_t i = 0; i < a->sites_size[k]; i++)
			overlap += overlap_site_score(&a->sites[k][i],
			    &b->sites[k][i], a->value_sums[k],
			    b->value_sums[k]);
		print_overlap_shares(out, kind_names[k],
		    &(struct overlap_shares){ overlap, -1, -1,
		    (double)a->value_sums[k], (double)b->value_sums[k] });
	}
}

/* The functions that the options select, in the order of the test profile. */
static void
print_function_overlaps(struct profdata *p, struct profdata_out *out,
    const struct diff_table *base, const struct diff_table *test,
    bool context_sensitive)
{
	const struct profdata_options *o = &p->options;
	uint64_t most = o->has_value_cutoff ? o->value_cutoff : UINT64_MAX;

	for (size_t i = 0; i < test->size; i++) {
		const struct diff_function *b = &test->functions[i], *a;
		uint64_t cutoff = profdata_selects(o, b->symbol.name) ? 0 :
		    most;
		uint64_t max = 0;

		if (b->context_sensitive != context_sensitive ||
		    b->count_sum == 0)
			continue;
		for (size_t k = 0; k < b->counts_size; k++)
			max = b->counts[k] > max ? b->counts[k] : max;
		if (max < cutoff)
			continue;
		a = diff_table_find(base, b);
		if (a != NULL && diff_fits(a, b))
			print_function_overlap(out, a, b);
	}
}

static void
print_program_overlap(struct profdata *p, struct profdata_out *out,
    const struct overlap *o)
{
	uint64_t mismatch = o->misfit + o->stale[OVERLAP_B] - o->unused;
	uint64_t unique = o->unmatched[OVERLAP_B];

	profdata_print(out, "Profile overlap %s for base_profile: ",
	    profdata_since(p, 20) ? "information" : "infomation");
	profdata_put(out, span_of_text(p->options.operands.items[0]));
	profdata_print(out, " and test_profile: ");
	profdata_put(out, span_of_text(p->options.operands.items[1]));
	profdata_print(out, "\nProgram level:\n"
	    "  # of functions overlap: %" PRIu64 "\n", o->common + o->unused);
	if (mismatch != 0)
		profdata_print(out, "  # of functions mismatch: %" PRIu64
		    "\n", mismatch);
	if (unique != 0)
		profdata_print(out, "  # of functions only in test_profile: %"
		    PRIu64 "\n", unique);
	for (int k = -1; k < PROF_VALUE_KINDS; k++) {
		const struct overlap_measure *m = k < 0 ? &o->counts :
		    &o->values[k];

		if (m->sum[OVERLAP_A] < 1 && m->sum[OVERLAP_B] < 1)
			continue;
		print_overlap_shares(out, k < 0 ? "Edge" : kind_names[k],
		    &(struct overlap_shares){ m->overlap, mismatch == 0 ? -1 :
		    m->stale[OVERLAP_B] + m->misfit[OVERLAP_B], unique == 0 ?
		    -1 : m->unmatched[OVERLAP_B], m->sum[OVERLAP_A],
		    m->sum[OVERLAP_B] });
	}
}

int
profdata_overlap(struct profdata *p)
{
	struct diff_table base = { 0 }, test = { 0 };
	struct profdata_out *out;
	struct overlap o;
	bool cs;

	read_overlap_side(p, 0, &base);
	read_overlap_side(p, 1, &test);
	cs = p->options.context_sensitive && (base.ir || test.ir);
	out = profdata_out_open(p);
	overlap_compare((struct diff_table *[]){ &base, &test }, cs, &o, NULL,
	    NULL);
	/* If a side has no counts, LLVM prints nothing either. */
	if (o.counts.sum[OVERLAP_A] >= 1 && o.counts.sum[OVERLAP_B] >= 1) {
		print_function_overlaps(p, out, &base, &test, cs);
		print_program_overlap(p, out, &o);
	}
	profdata_out_close(out);
	diff_table_free(&base);
	diff_table_free(&test);
	return 0;
}
