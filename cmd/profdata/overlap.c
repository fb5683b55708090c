/*
 * llvm-profdata overlap
 *
 * Unlike LLVM, records of context-sensitive and of plain instrumentation are
 * never mixed: LLVM compares all of them with the sum of one class.
 */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "ops/diff/overlap.h"

static const char *const kind_names[PROF_VALUE_KINDS] = {
	"IndirectCall", "MemOP", "VTable"
};

struct overlap_read {
	const struct profdata *p;
	struct diff_table *functions;
	int side;
};

static enum prof_status
overlap_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	const struct overlap_read *read = arg;
	struct prof_record plain;

	if (r->kind == PROF_REC_RAW_COUNTERS &&
	    profdata_refuses_correlated(read->p, err))
		return PROF_FAIL;
	/* Functions that differ in these are added. */
	if (r->kind == PROF_REC_FUNCTION && (r->u.function.bitmap.size != 0 ||
	    r->u.function.uniform_size != 0)) {
		plain = *r;
		plain.u.function.bitmap.size = 0;
		plain.u.function.uniform_size = 0;
		r = &plain;
	}
	return diff_table_add(read->functions, read->side, r, err);
}

static void
read_overlap_side(struct profdata *p, int side, struct diff_table *t)
{
	struct overlap_read read = { p, t, side };
	const char *path = p->options.operands[side];
	static const char where[] = "error in getting profile count sums";
	struct prof_error err = { 0 };

	profdata_require(where, path);
	if (profdata_read(p, path, overlap_record, &read, &err) != PROF_OK)
		profdata_fail_reading(p, where, &err);
}

/* The common share of two sites, whose values are sorted by target. */
static double
overlap_site_score(const struct diff_site *a, const struct diff_site *b,
    uint64_t sum_a, uint64_t sum_b)
{
	double sum = 0;

	for (size_t i = 0, k = 0; i < a->size && k < b->size;) {
		const struct diff_value *x = &a->values[i], *y = &b->values[k];

		i += x->target <= y->target;
		k += y->target <= x->target;
		if (x->target == y->target)
			sum += overlap_of_counts(x->count, y->count,
			    (double)sum_a, (double)sum_b);
	}
	return sum;
}

/* Shares are fractions, or below 0: not printed. */
struct printed_shares {
	double overlap, mismatch, unique;
	double base_sum, test_sum;
};

static void
print_overlap_shares(struct profdata_out *out, const char *what,
    const struct printed_shares *s)
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

/* The overlap of the values of a kind. */
static void
print_value_overlap(struct profdata_out *out, const struct diff_function *f,
    int kind)
{
	const struct diff_record *a = f->records[OVERLAP_OLD];
	const struct diff_record *b = f->records[OVERLAP_NEW];
	uint64_t sum_a = diff_value_sum(a, kind);
	uint64_t sum_b = diff_value_sum(b, kind);
	double overlap = 0;

	if (sum_a == 0 && sum_b == 0)
		return;
	for (size_t i = 0; i < diff_sites_size(a, kind); i++)
		overlap += overlap_site_score(&a->sites[kind][i],
		    &b->sites[kind][i], sum_a, sum_b);
	print_overlap_shares(out, kind_names[kind], &(struct printed_shares){
	    overlap, -1, -1, (double)sum_a, (double)sum_b });
}

static void
print_function_overlap(struct profdata_out *out, const struct diff_function *f)
{
	const struct diff_record *a = f->records[OVERLAP_OLD];
	const struct diff_record *b = f->records[OVERLAP_NEW];

	profdata_print(out, "Function level:\n  Function: ");
	profdata_put(out, f->symbol.name);
	profdata_print(out, " (Hash=%" PRIu64 ")\n"
	    "  # of edge counters overlap: %zu\n", f->hash,
	    b->counts_size);
	print_overlap_shares(out, "Edge", &(struct printed_shares){
	    overlap_of_function(f), -1, -1, (double)diff_count_sum(a),
	    (double)diff_count_sum(b) });
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		print_value_overlap(out, f, k);
}

static uint64_t
overlap_max_count(const struct diff_record *r)
{
	uint64_t max = 0;

	for (size_t i = 0; i < r->counts_size; i++) {
		if (r->counts[i] > max)
			max = r->counts[i];
	}
	return max;
}

/* The functions that the options select, in the order of the test profile. */
static void
print_function_overlaps(struct profdata *p, struct profdata_out *out,
    const struct diff_table *t, bool context_sensitive)
{
	const struct profdata_options *o = &p->options;
	uint64_t most = o->overlap_cutoff;

	for (size_t i = 0; i < t->sides[OVERLAP_NEW].size; i++) {
		const struct diff_function *f = diff_table_function(t,
		    OVERLAP_NEW, i);
		const struct diff_record *a = f->records[OVERLAP_OLD];
		const struct diff_record *b = f->records[OVERLAP_NEW];
		uint64_t cutoff = profdata_selects(o, f->symbol.name) ? 0 :
		    most;
		uint64_t max = overlap_max_count(b);

		if (f->context_sensitive == context_sensitive && max != 0 &&
		    max >= cutoff && a != NULL && diff_records_fit(a, b))
			print_function_overlap(out, f);
	}
}

static void
print_program_overlap(struct profdata *p, struct profdata_out *out,
    const struct overlap *o)
{
	uint64_t mismatch = o->mismatched - o->unused, unique = o->unique;

	profdata_print(out, "Profile overlap %s for base_profile: ",
	    profdata_since(p, 20) ? "information" : "infomation");
	profdata_put(out, span_of_text(p->options.operands[0]));
	profdata_print(out, " and test_profile: ");
	profdata_put(out, span_of_text(p->options.operands[1]));
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

		if (m->sum[OVERLAP_OLD] < 1 && m->sum[OVERLAP_NEW] < 1)
			continue;
		print_overlap_shares(out, k < 0 ? "Edge" : kind_names[k],
		    &(struct printed_shares){ m->overlap.sum,
		    mismatch == 0 ? -1 : m->mismatched.sum,
		    unique == 0 ? -1 : m->unique.sum,
		    m->sum[OVERLAP_OLD], m->sum[OVERLAP_NEW] });
	}
}

int
profdata_overlap(struct profdata *p)
{
	struct diff_table functions = { .as_llvm = true };
	struct profdata_out *out;
	struct overlap o;
	bool cs;

	read_overlap_side(p, OVERLAP_OLD, &functions);
	read_overlap_side(p, OVERLAP_NEW, &functions);
	cs = p->options.context_sensitive && (functions.sides[OVERLAP_OLD].ir ||
	    functions.sides[OVERLAP_NEW].ir);
	out = profdata_out_open(p);
	if (!overlap_compare(&functions, cs, &o, NULL))
		profdata_out_of_memory();
	/* If a side has no counts, LLVM prints nothing either. */
	if (o.counts.sum[OVERLAP_OLD] >= 1 && o.counts.sum[OVERLAP_NEW] >= 1) {
		print_function_overlaps(p, out, &functions, cs);
		print_program_overlap(p, out, &o);
	}
	profdata_out_close(out);
	diff_table_free(&functions);
	return 0;
}
