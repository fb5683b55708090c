/* The text of prof-diff for people. */
#include "config.h"

#include <inttypes.h>

#include "cmd/diff/print.h"
#include "cmd/common/people_text.h"

const char *const diff_states[] = {
	[OVERLAP_CHANGED] = "changed", [OVERLAP_MISFIT] = "misfit",
	[OVERLAP_STALE] = "stale", [OVERLAP_LOST] = "lost",
	[OVERLAP_NEW] = "new",
};

const struct diff_subject diff_subjects[DIFF_SUBJECTS] = {
	[DIFF_PLAIN] = { "functions", "functions", "functions",
	    "total count", "sum", "counts" },
	[DIFF_SENSITIVE] = { "context-sensitive functions",
	    "context-sensitive functions", "functions",
	    "total count", "sum", "counts" },
	[DIFF_HEAP] = { "heap", "heap contexts", "contexts",
	    "bytes", "bytes", "bytes" },
};

/* What a function is called: its name, or its guid. */
static void
diff_put_name(struct buf *b, const struct overlap_change *c)
{
	const struct diff_function *f = diff_change_function(c);

	if (f->symbol.name.data == NULL)
		show_print(b, "0x%016" PRIx64, f->symbol.guid);
	else
		buf_put(b, f->symbol.name.data, f->symbol.name.size);
}

static void
diff_people_files(struct buf *b, const struct diff *d)
{
	size_t start;

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		show_print(b, "%c: ", "AB"[s]);
		start = b->size;
		buf_put(b, d->file[s], strlen(d->file[s]));
		show_printable(b, start);
		show_print(b, "\n");
	}
}

static void
diff_people_sums(struct buf *b, const char *what, const double
    sum[OVERLAP_SIDES])
{
	show_print(b, "  %-22s %20.0f %20.0f", what, sum[OVERLAP_A],
	    sum[OVERLAP_B]);
	if (sum[OVERLAP_A] >= 1)
		show_print(b, "  (%.1f%%)",
		    100 * sum[OVERLAP_B] / sum[OVERLAP_A]);
	show_print(b, "\n");
}

static void
diff_people_overlap(struct buf *b, const char *what, double overlap)
{
	show_print(b, "  %-22s %19.3f%%\n", what, 100 * overlap);
}

static void
diff_people_values(struct buf *b, const struct overlap *o)
{
	static const char *const words[PROF_VALUE_KINDS] = {
		"indirect calls", "memory operations", "vtables",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		const struct overlap_measure *m = &o->values[k];

		if (m->sum[OVERLAP_A] < 1 && m->sum[OVERLAP_B] < 1)
			continue;
		diff_people_sums(b, words[k], m->sum);
		diff_people_overlap(b, "  their overlap", m->overlap);
	}
}

static void
diff_people_shares(struct buf *b, const double share[OVERLAP_SIDES],
    const char *state)
{
	show_print(b, "  %8.3f%% %8.3f%% %+9.3f%%  %-8s ",
	    100 * share[OVERLAP_A], 100 * share[OVERLAP_B],
	    100 * (share[OVERLAP_B] - share[OVERLAP_A]), state);
}

static void
diff_people_change(struct buf *b, const struct overlap_change *c)
{
	size_t start;

	diff_people_shares(b, c->share, diff_states[c->state]);
	start = b->size;
	diff_put_name(b, c);
	show_printable(b, start);
	show_print(b, "\n");
}

/* Functions or contexts, their sum, and the shares that have no overlap. */
static void
diff_people_overlaps(struct buf *b, const struct diff_subject *words,
    const struct overlap *o)
{
	const struct overlap_measure *m = &o->counts;
	const struct {
		const char *what;
		uint64_t n;
		double share;
		char side;
	} parts[] = {
		{ "lost", o->unmatched[OVERLAP_A], m->unmatched[OVERLAP_A],
		    'A' },
		{ "new", o->unmatched[OVERLAP_B], m->unmatched[OVERLAP_B],
		    'B' },
		{ "stale in A", o->stale[OVERLAP_A], m->stale[OVERLAP_A],
		    'A' },
		{ "stale in B", o->stale[OVERLAP_B], m->stale[OVERLAP_B],
		    'B' },
		{ "misfits", o->misfit, m->misfit[OVERLAP_B], 'B' },
	};

	show_print(b, "%s:\n  %-22s %20" PRIu64 " %20" PRIu64 "\n",
	    words->title, words->records, o->records[OVERLAP_A],
	    o->records[OVERLAP_B]);
	diff_people_sums(b, words->sum, m->sum);
	diff_people_overlap(b, "overlap", m->overlap);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].n != 0)
			show_print(b, "  %-22s %20" PRIu64
			    "  (%.3f%% of the %s of %c)\n", parts[i].what,
			    parts[i].n, 100 * parts[i].share, words->unit,
			    parts[i].side);
	}
	diff_people_values(b, o);
}

static void
diff_people_context(struct buf *b, const struct diff *d, const struct
    diff_context *c)
{
	int side = diff_context_side(c);
	const struct heap *h = &d->heaps[side];
	const struct heap_context *context = c->context[side];
	size_t start;

	diff_people_shares(b, c->share, diff_context_state(c));
	start = b->size;
	for (size_t i = context->site; i < context->size; i++) {
		if (i != context->site)
			show_print(b, " < ");
		heap_put_name(b, h, &h->frames[context->frames[i]], NULL);
	}
	show_printable(b, start);
	show_print(b, "\n");
}

void
diff_people(struct buf *b, const struct diff *d)
{
	diff_people_files(b, d);
	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		size_t shown = diff_changes_shown(d, s);

		if (!d->has[s])
			continue;
		diff_people_overlaps(b, &diff_subjects[s], diff_overlap(d, s));
		if (shown != 0)
			show_print(b, "  %9s %9s %10s\n", "in A", "in B",
			    "change");
		for (size_t i = 0; i < shown; i++) {
			if (s == DIFF_HEAP)
				diff_people_context(b, d, &d->heap.changes[i]);
			else
				diff_people_change(b, &d->changes[s].items[i]);
		}
	}
}
