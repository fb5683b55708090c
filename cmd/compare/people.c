/* The text of prof-diff for people. */
#include "config.h"

#include <inttypes.h>

#include "cmd/compare/compare.h"
#include "cmd/print/print.h"

/* Two numbers in the columns of A and B, without the end of the line. */
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
	if (m->sum[OVERLAP_A] >= 1)
		show_print(b, "  (%.1f%%)",
		    100 * m->sum[OVERLAP_B] / m->sum[OVERLAP_A]);
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

		if (m->sum[OVERLAP_A] < 1 && m->sum[OVERLAP_B] < 1)
			continue;
		diff_people_sums(b, kinds[k], m);
		diff_people_overlap(b, "  their overlap", m);
	}
}

/* Functions or contexts, their sum, and the shares that have no overlap. */
static void
diff_people_overlaps(struct buf *b, const struct diff *d, int subject)
{
	const struct diff_subject *words = &diff_subjects[subject];
	const struct overlap *o = diff_overlap(d, subject);
	const struct overlap_measure *m = &o->counts;
	const struct overlap_total records[] = {
		{ .low = o->records[OVERLAP_A] },
		{ .low = o->records[OVERLAP_B] },
	};
	/* Records without a match, and their share of the sum of a side. */
	const struct {
		const char *what;
		int side;
		uint64_t n;
		const struct overlap_shares *share;
	} parts[] = {
		{ "lost", OVERLAP_A, o->unmatched[OVERLAP_A],
		    &m->unmatched[OVERLAP_A] },
		{ "new", OVERLAP_B, o->unmatched[OVERLAP_B],
		    &m->unmatched[OVERLAP_B] },
		{ "stale in A", OVERLAP_A, o->stale[OVERLAP_A],
		    &m->stale[OVERLAP_A] },
		{ "stale in B", OVERLAP_B, o->stale[OVERLAP_B],
		    &m->stale[OVERLAP_B] },
		{ "misfits", OVERLAP_B, o->misfit, &m->misfit[OVERLAP_B] },
	};

	show_print(b, "%s:\n", words->title);
	diff_people_numbers(b, words->records, records);
	buf_u8(b, '\n');
	diff_people_sums(b, words->sum, m);
	diff_people_overlap(b, "overlap", m);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].n != 0)
			show_print(b, "  %-22s %20" PRIu64 "  (%.3f%% of the "
			    "%s of %c)\n", parts[i].what, parts[i].n,
			    100 * overlap_shares_sum(parts[i].share),
			    words->unit, "AB"[parts[i].side]);
	}
	diff_people_values(b, o);
}

/* The name of a function, or its guid. */
static void
diff_people_function(struct buf *b, const struct overlap_change *c,
    bool demangle)
{
	const struct prof_symbol *s = &diff_change_function(c)->symbol;

	if (s->name.data == NULL)
		show_print(b, "0x%016" PRIx64, s->guid);
	else
		show_name(b, s->name, demangle);
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

static void
diff_people_changes(struct buf *b, const struct diff *d, int subject)
{
	const size_t rows = diff_rows(d, subject);

	if (rows != 0)
		show_print(b, "  %9s %9s %10s\n", "in A", "in B", "change");
	for (size_t i = 0; i < rows; i++) {
		bool heap = subject == DIFF_HEAP;
		const struct overlap_change *c = heap ? NULL :
		    &d->changes[subject].items[i];
		const struct diff_context *context = heap ?
		    &d->heap.changes[i] : NULL;
		const double *share = heap ? context->share : c->share;
		size_t start;

		show_print(b, "  %8.3f%% %8.3f%% %+9.3f%%  %-8s ",
		    100 * share[OVERLAP_A], 100 * share[OVERLAP_B],
		    100 * (share[OVERLAP_B] - share[OVERLAP_A]),
		    diff_states[heap ? diff_context_state(context) :
		    c->state]);
		start = b->size;
		if (heap)
			diff_people_context(b, d, context);
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

		show_print(b, "%c: ", "AB"[s]);
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
