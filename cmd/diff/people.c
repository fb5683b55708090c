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
diff_people_pair(struct buf *b, const char *what, uint64_t x, uint64_t y)
{
	show_print(b, "  %-22s %20" PRIu64 " %20" PRIu64 "\n", what, x, y);
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
diff_people_part(struct buf *b, const char *what, uint64_t n, double share,
    const char *of)
{
	if (n != 0)
		show_print(b, "  %-22s %20" PRIu64 "  (%.3f%% of the %s)\n",
		    what, n, 100 * share, of);
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

static void
diff_people_class(struct buf *b, const struct diff *d, int class)
{
	const struct overlap *o = &d->overlap[class];
	const struct diff_changes *l = &d->changes[class];

	show_print(b, "%s\n", class == DIFF_PLAIN ? "functions:" :
	    "context-sensitive functions:");
	diff_people_pair(b, "functions", o->functions[OVERLAP_A],
	    o->functions[OVERLAP_B]);
	diff_people_sums(b, "total count", o->counts.sum);
	diff_people_overlap(b, "overlap", o->counts.overlap);
	diff_people_part(b, "lost", o->unmatched[OVERLAP_A],
	    o->counts.unmatched[OVERLAP_A], "counts of A");
	diff_people_part(b, "new", o->unmatched[OVERLAP_B],
	    o->counts.unmatched[OVERLAP_B], "counts of B");
	diff_people_part(b, "stale in A", o->stale[OVERLAP_A],
	    o->counts.stale[OVERLAP_A], "counts of A");
	diff_people_part(b, "stale in B", o->stale[OVERLAP_B],
	    o->counts.stale[OVERLAP_B], "counts of B");
	diff_people_part(b, "misfits", o->misfit,
	    o->counts.misfit[OVERLAP_B], "counts of B");
	diff_people_values(b, o);
	if (l->size == 0 || d->top == 0)
		return;
	show_print(b, "  %9s %9s %10s\n", "in A", "in B", "change");
	for (size_t i = 0; i < l->size && i < d->top; i++)
		diff_people_change(b, &l->items[i]);
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

static void
diff_people_heap(struct buf *b, const struct diff *d)
{
	const struct diff_heap *h = &d->heap;

	show_print(b, "heap:\n");
	diff_people_pair(b, "contexts", h->contexts[OVERLAP_A],
	    h->contexts[OVERLAP_B]);
	diff_people_sums(b, "bytes", h->bytes);
	diff_people_overlap(b, "overlap", h->overlap);
	diff_people_part(b, "lost", h->unmatched[OVERLAP_A],
	    h->unmatched_share[OVERLAP_A], "bytes of A");
	diff_people_part(b, "new", h->unmatched[OVERLAP_B],
	    h->unmatched_share[OVERLAP_B], "bytes of B");
	if (h->changed == 0 || d->top == 0)
		return;
	show_print(b, "  %9s %9s %10s\n", "in A", "in B", "change");
	for (size_t i = 0; i < h->changed && i < d->top; i++)
		diff_people_context(b, d, &h->changes[i]);
}

void
diff_people(struct buf *b, const struct diff *d)
{
	diff_people_files(b, d);
	for (int c = 0; c < DIFF_CLASSES; c++) {
		if (d->has_class[c])
			diff_people_class(b, d, c);
	}
	if (d->has_heap)
		diff_people_heap(b, d);
}
