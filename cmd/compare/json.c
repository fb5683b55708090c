/* What prof-diff --json prints: one object a line. */
#include "config.h"

#include "base/json_text.h"
#include "cmd/compare/compare.h"
#include "cmd/print/print.h"
#include "model/record.h"

static void
diff_json_real(struct buf *b, const char *key, double x)
{
	json_member_key(b, key);
	json_text_real(b, x);
}

/* {"a":x,"b":y} */
static void
diff_json_reals(struct buf *b, const char *key, const double x[OVERLAP_SIDES])
{
	json_member_key(b, key);
	json_text_plain(b, "{");
	diff_json_real(b, "a", x[OVERLAP_A]);
	diff_json_real(b, "b", x[OVERLAP_B]);
	json_text_plain(b, "}");
}

void
diff_json_numbers(struct buf *b, const char *key,
    const uint64_t x[OVERLAP_SIDES])
{
	json_member_key(b, key);
	json_text_plain(b, "{");
	json_member_number(b, "a", x[OVERLAP_A]);
	json_member_number(b, "b", x[OVERLAP_B]);
	json_text_plain(b, "}");
}

static void
diff_json_totals(struct buf *b, const char *key,
    const struct overlap_total x[OVERLAP_SIDES])
{
	char text[DIFF_TOTAL_SIZE];

	json_member_key(b, key);
	json_text_plain(b, "{");
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		diff_total_text(text, &x[s]);
		json_member_key(b, s == OVERLAP_A ? "a" : "b");
		json_text_literal(b, span_of_text(text));
	}
	json_text_plain(b, "}");
}

/* File names may have any bytes: others than UTF-8 are written as hex. */
static void
diff_json_files(struct buf *b, const struct diff *d)
{
	static const char *const keys[OVERLAP_SIDES][2] = {
		{ "file_a", "file_a_hex" }, { "file_b", "file_b_hex" },
	};

	for (int s = 0; s < OVERLAP_SIDES; s++)
		json_member_bytes(b, keys[s][0], keys[s][1],
		    span_of_text(d->file[s]));
}

static void
diff_json_shares(struct buf *b, const char *key,
    const struct overlap_shares s[OVERLAP_SIDES])
{
	const double x[OVERLAP_SIDES] = {
		[OVERLAP_A] = overlap_shares_sum(&s[OVERLAP_A]),
		[OVERLAP_B] = overlap_shares_sum(&s[OVERLAP_B]),
	};

	diff_json_reals(b, key, x);
}

/* Contexts of heap profiles are neither stale nor misfits. */
static void
diff_json_measure(struct buf *b, const char *sum_key,
    const struct overlap_measure *m, bool heap)
{
	diff_json_totals(b, sum_key, m->total);
	diff_json_real(b, "overlap", overlap_shares_sum(&m->overlap));
	diff_json_real(b, "lost_share",
	    overlap_shares_sum(&m->unmatched[OVERLAP_A]));
	diff_json_real(b, "new_share",
	    overlap_shares_sum(&m->unmatched[OVERLAP_B]));
	if (heap)
		return;
	diff_json_shares(b, "stale_share", m->stale);
	diff_json_shares(b, "misfit_share", m->misfit);
}

static void
diff_json_values(struct buf *b, const struct overlap *o)
{
	json_member_key(b, "values");
	json_text_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		json_member_key(b, words_value_kind[k]);
		json_text_plain(b, "{");
		diff_json_measure(b, "sum", &o->values[k], false);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "}");
}

/* The member `verdicts`, if there are any about the subject. */
static void
diff_json_verdicts(struct buf *b, const struct diff *d, int subject)
{
	bool any = false;

	for (size_t i = 0; i < d->verdicts.size; i++) {
		const struct diff_verdict *v = &d->verdicts.items[i];

		if (v->subject != subject)
			continue;
		if (!any)
			json_member_key(b, "verdicts");
		json_text_plain(b, any ? ",{" : "[{");
		any = true;
		json_member_text(b, "option", v->option);
		json_member_text(b, "unit", *v->unit == '%' ? "percent" :
		    "number");
		diff_json_real(b, "limit", v->limit);
		diff_json_real(b, "value", v->value);
		json_member_text(b, "verdict", v->failed ? "failed" :
		    "passed");
		json_text_plain(b, "}");
	}
	if (any)
		json_text_plain(b, "]");
}

void
diff_json_subject(struct buf *b, const struct diff *d, int subject)
{
	const struct diff_subject *words = &diff_subjects[subject];
	const struct overlap *o = diff_overlap(d, subject);
	bool heap = subject == DIFF_HEAP;

	json_text_plain(b, "{");
	json_member_text(b, "diff", heap ? "heap" : "functions");
	if (!heap) {
		json_member_key(b, "context_sensitive");
		json_text_plain(b, subject == DIFF_SENSITIVE ? "true" :
		    "false");
	}
	diff_json_files(b, d);
	diff_json_numbers(b, words->records, o->records);
	json_member_number(b, "common", o->common);
	json_member_number(b, "lost", o->unmatched[OVERLAP_A]);
	json_member_number(b, "new", o->unmatched[OVERLAP_B]);
	if (!heap) {
		diff_json_numbers(b, "stale", o->stale);
		json_member_number(b, "misfit", o->misfit);
		json_member_number(b, "unused", o->unused);
	}
	diff_json_measure(b, words->sum_key, &o->counts, heap);
	if (!heap)
		diff_json_values(b, o);
	diff_json_verdicts(b, d, subject);
	json_text_plain(b, "}\n");
}

void
diff_json_change(struct buf *b, const struct overlap_change *c, bool demangle)
{
	const struct diff_function *f = diff_change_function(c);

	json_text_plain(b, "{");
	json_member_text(b, "diff", "function");
	json_member_text(b, "state", diff_states[c->state]);
	json_member_bytes(b, "name", "name_hex", f->symbol.name);
	if (f->symbol.name.data == NULL) {
		json_member_key(b, "guid");
		json_text_id(b, f->symbol.guid);
	} else if (demangle)
		show_demangled_key(b, f->symbol.name, false);
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (c->function[s] == NULL)
			continue;
		json_member_key(b, s == OVERLAP_A ? "hash_a" : "hash_b");
		json_text_id(b, c->function[s]->hash);
	}
	diff_json_numbers(b, "count", c->count);
	diff_json_reals(b, "share", c->share);
	if (c->state == OVERLAP_CHANGED)
		diff_json_real(b, "overlap", overlap_of_function(f));
	json_text_plain(b, "}\n");
}

static void
diff_json_frame(struct buf *b, const struct heap *h, const struct heap_frame *f,
    heap_name *demangle)
{
	struct buf name = { 0 };

	heap_put_name(&name, h, f, demangle);
	if (name.failed)
		b->failed = true;
	else if (json_text_fits(buf_span(&name)))
		json_text_string(b, buf_span(&name));
	else
		json_text_hex(b, buf_span(&name));
	buf_free(&name);
}

/* The array `key` with the names of a context's frames. */
static void
diff_json_frames(struct buf *b, const char *key, const struct heap *h,
    const struct heap_context *c, heap_name *demangle)
{
	json_member_key(b, key);
	json_text_plain(b, "[");
	for (size_t i = 0; i < c->size; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		diff_json_frame(b, h, &h->frames[c->frames[i]], demangle);
	}
	json_text_plain(b, "]");
}

static void
diff_json_context(struct buf *b, const struct diff *d,
    const struct diff_context *c)
{
	int side = diff_context_side(c);
	const struct heap *h = &d->heaps[side];
	const struct heap_context *context = c->context[side];

	json_text_plain(b, "{");
	json_member_text(b, "diff", "context");
	json_member_text(b, "state",
	    diff_states[diff_context_state(c)]);
	diff_json_numbers(b, "bytes", c->bytes);
	diff_json_numbers(b, "count", c->count);
	diff_json_reals(b, "share", c->share);
	diff_json_frames(b, "frames", h, context, NULL);
	if (d->demangle)
		diff_json_frames(b, "demangled", h, context, show_demangled);
	json_text_plain(b, "}\n");
}

void
diff_json(struct buf *b, const struct diff *d)
{
	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		size_t rows;

		if (!d->has[s])
			continue;
		rows = diff_rows(d, s);
		diff_json_subject(b, d, s);
		for (size_t i = 0; i < rows; i++) {
			if (s == DIFF_HEAP)
				diff_json_context(b, d, &d->heap.changes[i]);
			else
				diff_json_change(b, &d->changes[s].items[i],
				    d->demangle);
		}
	}
}
