/* The result of prof-diff as its formats need it: words, rows, verdicts. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/compare/compare.h"
#include "cmd/print/demangle.h"
#include "cmd/print/terminal.h"

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

const char *const diff_value_kinds[PROF_VALUE_KINDS] = {
	"indirect calls", "memory operations", "vtables",
};

static const double *
diff_shares(const struct diff *d, int subject, size_t i)
{
	return subject == DIFF_HEAP ? d->heap.changes[i].share :
	    d->changes[subject].items[i].share;
}

struct diff_row
diff_row(const struct diff *d, int subject, size_t i)
{
	bool heap = subject == DIFF_HEAP;
	enum overlap_state state = heap ?
	    diff_context_state(&d->heap.changes[i]) :
	    d->changes[subject].items[i].state;
	const double *share = diff_shares(d, subject, i);
	struct diff_row row = { .state = diff_states[state],
		.word = diff_states[state], .share = share,
		.change = share[OVERLAP_B] - share[OVERLAP_A],
		.useless = !heap && state != OVERLAP_CHANGED &&
		    state != OVERLAP_NEW };

	if (state == OVERLAP_CHANGED)
		row.word = heap ? (row.change > 0 ? "more" : "less") :
		    row.change > 0 ? "hotter" : "colder";
	return row;
}

size_t
diff_rows(const struct diff *d, int subject)
{
	size_t size = subject == DIFF_HEAP ? d->heap.changed :
	    d->changes[subject].size;

	return size < d->top ? size : d->top;
}


/* The name of a function, or its guid. */
static void
diff_put_function(struct buf *b, const struct overlap_change *c, bool demangle)
{
	const struct diff_function *f = diff_change_function(c);

	if (f->symbol.name.data == NULL)
		buf_print(b, "0x%016" PRIx64, f->symbol.guid);
	else
		show_name(b, f->symbol.name, demangle);
}

/* The functions of a context, from the one that allocates to its callers. */
static void
diff_put_context(struct buf *b, const struct diff *d,
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

void
diff_put_name(struct buf *b, const struct diff *d, int subject, size_t i)
{
	if (subject == DIFF_HEAP)
		diff_put_context(b, d, &d->heap.changes[i]);
	else
		diff_put_function(b, &d->changes[subject].items[i],
		    d->demangle);
}

size_t
diff_parts(const struct overlap *o, struct diff_part parts[DIFF_PARTS])
{
	const struct overlap_measure *m = &o->counts;
	const struct diff_part all[DIFF_PARTS] = {
		{ "lost", OVERLAP_A, o->unmatched[OVERLAP_A],
		    overlap_shares_sum(&m->unmatched[OVERLAP_A]) },
		{ "new", OVERLAP_B, o->unmatched[OVERLAP_B],
		    overlap_shares_sum(&m->unmatched[OVERLAP_B]) },
		{ "stale in A", OVERLAP_A, o->stale[OVERLAP_A],
		    overlap_shares_sum(&m->stale[OVERLAP_A]) },
		{ "stale in B", OVERLAP_B, o->stale[OVERLAP_B],
		    overlap_shares_sum(&m->stale[OVERLAP_B]) },
		{ "misfits", OVERLAP_B, o->misfit,
		    overlap_shares_sum(&m->misfit[OVERLAP_B]) },
	};
	size_t size = 0;

	for (size_t i = 0; i < DIFF_PARTS; i++) {
		if (all[i].n != 0)
			parts[size++] = all[i];
	}
	return size;
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
diff_put_sum(struct buf *b, const struct overlap_total *t, size_t width,
    bool grouped)
{
	char text[DIFF_TOTAL_SIZE];

	if (t->high == 0) {
		columns_number(b, t->low, width, grouped);
		return;
	}
	diff_total_text(text, t);
	buf_print(b, "%*s", (int)width, text);
}

void
diff_verdict_text(char text[DIFF_VERDICT_SIZE], const struct diff_verdict *v)
{
	snprintf(text, DIFF_VERDICT_SIZE, "%.6g%s %s: %s is %.6g%s", v->value,
	    v->unit, v->what, v->option, v->limit, v->unit);
}

size_t
diff_failures(const struct diff *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->verdicts.size; i++)
		n += d->verdicts.items[i].failed;
	return n;
}
