/* The text of prof-diff for people. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/compare/compare.h"
#include "cmd/print/print.h"

/* Two numbers in the columns of both sides, without the end of the line. */
static void
diff_people_numbers(struct buf *b, const char *what,
    const struct overlap_total n[OVERLAP_SIDES])
{
	char text[DIFF_TOTAL_SIZE];

	show_print(b, "  %-22s", what);
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		diff_total_text(text, &n[s]);
		show_print(b, " %20s", text);
	}
}

static void
diff_people_sums(struct buf *b, const char *what,
    const struct overlap_measure *m)
{
	diff_people_numbers(b, what, m->total);
	if (m->sum[OVERLAP_OLD] >= 1)
		show_print(b, "  (%.1f%%)",
		    100 * m->sum[OVERLAP_NEW] / m->sum[OVERLAP_OLD]);
	buf_u8(b, '\n');
}

static void
diff_people_overlap(struct buf *b, const char *what,
    const struct overlap_measure *m)
{
	show_print(b, "  %-22s %19.3f%%\n", what,
	    100 * overlap_shares_sum(&m->overlap));
}

static void
diff_people_values(struct buf *b, const struct overlap *o)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect calls", "memory operations", "vtables",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		const struct overlap_measure *m = &o->values[k];

		if (m->sum[OVERLAP_OLD] < 1 && m->sum[OVERLAP_NEW] < 1)
			continue;
		diff_people_sums(b, kinds[k], m);
		diff_people_overlap(b, "  their overlap", m);
	}
}

/* How many functions or contexts are in each state, and their shares. */
static void
diff_people_states(struct buf *b, const struct diff *d, int subject)
{
	const struct overlap *o = diff_overlap(d, subject);

	for (int i = 0; i < OVERLAP_STATES_SIZE; i++) {
		const struct overlap_shares *share = o->states[i].share;
		char text[64];

		if (o->states[i].changes == 0)
			continue;
		snprintf(text, sizeof(text), "%s: %" PRIu64,
		    overlap_words[i].word, o->states[i].changes);
		show_print(b, "  %-22s %19.3f%%", text,
		    100 * overlap_shares_sum(&share[OVERLAP_OLD]));
		if (!d->binary)
			show_print(b, " %19.3f%%",
			    100 * overlap_shares_sum(&share[OVERLAP_NEW]));
		buf_text(b, i == OVERLAP_MOVED ? "  (alike with prof-filter "
		    "--remap-prefix or --strip-path, or --for)\n" : "\n");
	}
}

/* Functions or contexts, their sum, the overlap, and states. */
static void
diff_people_overlaps(struct buf *b, const struct diff *d, int subject)
{
	const struct diff_subject *words = &diff_subjects[subject];
	const struct overlap *o = diff_overlap(d, subject);
	const struct overlap_measure *m = &o->counts;
	const struct overlap_total records[] = {
		{ .low = o->records[OVERLAP_OLD] },
		{ .low = o->records[OVERLAP_NEW] },
	};

	show_print(b, "%s:\n", words->title);
	diff_people_numbers(b, words->records, records);
	buf_u8(b, '\n');
	if (!d->binary) {
		diff_people_sums(b, words->sum, m);
		diff_people_overlap(b, "overlap", m);
		diff_people_values(b, o);
	}
	diff_people_states(b, d, subject);
}

/* The name of a function, or its guid. */
static void
diff_people_name(struct buf *b, const struct diff_function *f, bool demangle)
{
	const struct prof_symbol *s = &f->symbol;

	if (s->name.data == NULL)
		show_print(b, "0x%016" PRIx64, s->guid);
	else
		show_name(b, s->name, demangle);
}

/*
 * The name, both names, or the name and both hashes; and whether one side lacks
 * a function that the other runs.
 */
static void
diff_people_function(struct buf *b, const struct overlap_change *c,
    bool demangle)
{
	if (diff_change_renames(c)) {
		diff_people_name(b, c->function[OVERLAP_OLD], demangle);
		buf_text(b, " -> ");
	}
	diff_people_name(b, diff_change_function(c), demangle);
	for (int s = 0; s < OVERLAP_SIDES && c->state == OVERLAP_STALE; s++) {
		buf_text(b, s == OVERLAP_OLD ? "  " : " -> ");
		if (c->function[s] == NULL)
			buf_text(b, "none");
		else
			show_print(b, "0x%016" PRIx64, c->function[s]->hash);
	}
	if (c->state == OVERLAP_NEWLY_RUN && c->function[OVERLAP_OLD] == NULL)
		buf_text(b, "  (new)");
	if (c->state == OVERLAP_NO_LONGER_RUN &&
	    c->function[OVERLAP_NEW] == NULL)
		buf_text(b, "  (gone)");
}

/* The functions of a context, from the one that allocates to its callers. */
static void
diff_people_context(struct buf *b, const struct diff *d,
    const struct diff_context *c)
{
	int side = diff_context_side(c);
	const struct heap *h = &d->heaps[side];
	const struct heap_context *context = c->context[side];

	for (size_t i = context->site; i < context->size; i++) {
		if (i != context->site)
			buf_text(b, " < ");
		heap_put_name(b, h, &h->frames[context->frames[i]],
		    d->demangle ? show_demangled : NULL);
	}
}

static int
diff_people_width(const struct diff *d, int subject, size_t rows, int side)
{
	uint64_t most = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t n = diff_row(d, subject, i)->count[side];

		most = n > most ? n : most;
	}
	return snprintf(NULL, 0, "%9" PRIu64, most);
}

/* Shares, counts and ratio of a row; a binary as NEW has none of these. */
static void
diff_people_figures(struct buf *b, const struct diff *d,
    const struct overlap_change *r, const int width[OVERLAP_SIDES])
{
	const uint64_t old = r->count[OVERLAP_OLD];
	const uint64_t new = r->count[OVERLAP_NEW];
	char ratio[32] = "-";

	show_print(b, "  %8.3f%%", 100 * r->share[OVERLAP_OLD]);
	if (!d->binary)
		show_print(b, " %8.3f%%", 100 * r->share[OVERLAP_NEW]);
	show_print(b, " %*" PRIu64, width[OVERLAP_OLD], old);
	if (d->binary)
		return;
	if (old != 0)
		snprintf(ratio, sizeof(ratio), "%.3gx", (double)new /
		    (double)old);
	show_print(b, " %*" PRIu64 " %7s", width[OVERLAP_NEW], new, ratio);
}

static void
diff_people_changes(struct buf *b, const struct diff *d, int subject)
{
	const size_t rows = diff_rows(d, subject);
	const int width[OVERLAP_SIDES] = {
		diff_people_width(d, subject, rows, OVERLAP_OLD),
		diff_people_width(d, subject, rows, OVERLAP_NEW),
	};
	const char *unit = diff_subjects[subject].unit;

	if (rows != 0 && d->binary)
		show_print(b, "  %9s %*s\n", "in OLD", width[OVERLAP_OLD],
		    unit);
	else if (rows != 0)
		show_print(b, "  %9s %9s %*s %*s %7s\n", "in OLD", "in NEW",
		    width[OVERLAP_OLD], unit, width[OVERLAP_NEW], unit,
		    "ratio");
	for (size_t i = 0; i < rows; i++) {
		const struct overlap_change *c = diff_row(d, subject, i);
		size_t start;

		diff_people_figures(b, d, c, width);
		show_print(b, "  %-13s ", overlap_words[c->state].word);
		start = b->size;
		if (subject == DIFF_HEAP)
			diff_people_context(b, d, &d->heap.changes[i]);
		else
			diff_people_function(b, c, d->demangle);
		show_printable(b, start);
		buf_u8(b, '\n');
	}
}

void
diff_people(struct buf *b, const struct diff *d)
{
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		size_t start;

		show_print(b, "%s: ", s == OVERLAP_OLD ? "OLD" : "NEW");
		start = b->size;
		buf_text(b, d->file[s]);
		show_printable(b, start);
		buf_u8(b, '\n');
	}
	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		if (!d->has[s])
			continue;
		diff_people_overlaps(b, d, s);
		diff_people_changes(b, d, s);
	}
}
