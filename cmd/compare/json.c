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

/* {"old":x,"new":y} */
static void
diff_json_reals(struct buf *b, const char *key, const double x[OVERLAP_SIDES])
{
	json_member_key(b, key);
	json_text_plain(b, "{");
	diff_json_real(b, "old", x[OVERLAP_OLD]);
	diff_json_real(b, "new", x[OVERLAP_NEW]);
	json_text_plain(b, "}");
}

void
diff_json_numbers(struct buf *b, const char *key,
    const uint64_t x[OVERLAP_SIDES])
{
	json_member_key(b, key);
	json_text_plain(b, "{");
	json_member_number(b, "old", x[OVERLAP_OLD]);
	json_member_number(b, "new", x[OVERLAP_NEW]);
	json_text_plain(b, "}");
}

/* Of NEW to OLD, which is not 0. */
static void
diff_json_ratio(struct buf *b, const uint64_t x[OVERLAP_SIDES])
{
	if (x[OVERLAP_OLD] != 0)
		diff_json_real(b, "ratio", (double)x[OVERLAP_NEW] /
		    (double)x[OVERLAP_OLD]);
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
		json_member_key(b, s == OVERLAP_OLD ? "old" : "new");
		json_text_literal(b, span_of_text(text));
	}
	json_text_plain(b, "}");
}

/* File names may have any bytes: others than UTF-8 are written as hex. */
static void
diff_json_files(struct buf *b, const struct diff *d)
{
	static const char *const keys[OVERLAP_SIDES][2] = {
		{ "file_old", "file_old_hex" },
		{ "file_new", "file_new_hex" },
	};

	for (int s = 0; s < OVERLAP_SIDES; s++)
		json_member_bytes(b, keys[s][0], keys[s][1],
		    span_of_text(d->file[s]));
}

/* Functions or contexts by state, in the order of the table. */
static void
diff_json_states(struct buf *b, const struct overlap *o, const char *records)
{
	json_member_key(b, "states");
	json_text_plain(b, "{");
	for (int i = 0; i < OVERLAP_STATES_SIZE; i++) {
		const double x[OVERLAP_SIDES] = {
			overlap_shares_sum(&o->states[i].share[OVERLAP_OLD]),
			overlap_shares_sum(&o->states[i].share[OVERLAP_NEW]),
		};

		json_member_key(b, overlap_words[i].word);
		json_text_plain(b, "{");
		json_member_number(b, records, o->states[i].changes);
		diff_json_reals(b, "share", x);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "}");
}

static void
diff_json_measure(struct buf *b, const char *sum_key,
    const struct overlap_measure *m)
{
	diff_json_totals(b, sum_key, m->total);
	diff_json_real(b, "overlap", overlap_shares_sum(&m->overlap));
}

static void
diff_json_values(struct buf *b, const struct overlap *o)
{
	json_member_key(b, "values");
	json_text_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		json_member_key(b, words_value_kind[k]);
		json_text_plain(b, "{");
		diff_json_measure(b, "sum", &o->values[k]);
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
	if (d->binary) {
		json_member_key(b, "binary");
		json_text_plain(b, "true");
	} else
		diff_json_measure(b, words->sum_key, &o->counts);
	diff_json_states(b, o, words->records);
	if (!heap && !d->binary)
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
	json_member_text(b, "state", overlap_words[c->state].word);
	json_member_bytes(b, "name", "name_hex", f->symbol.name);
	if (diff_change_renames(c))
		json_member_bytes(b, "old_name", "old_name_hex",
		    c->function[OVERLAP_OLD]->symbol.name);
	if (f->symbol.name.data == NULL) {
		json_member_key(b, "guid");
		json_text_id(b, f->symbol.guid);
	} else if (demangle)
		show_demangled_key(b, f->symbol.name, false);
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (c->function[s] == NULL)
			continue;
		json_member_key(b, s == OVERLAP_OLD ? "hash_old" :
		    "hash_new");
		json_text_id(b, c->function[s]->hash);
	}
	diff_json_numbers(b, "count", c->count);
	/* A function of a binary has no count. */
	if (f->records[OVERLAP_NEW] == NULL ||
	    !f->records[OVERLAP_NEW]->hash_only)
		diff_json_ratio(b, c->count);
	diff_json_reals(b, "share", c->share);
	/* Only a function that both sides have has an overlap of its own. */
	if (c->function[OVERLAP_OLD] == c->function[OVERLAP_NEW] &&
	    c->state != OVERLAP_STALE)
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
	    overlap_words[c->change.state].word);
	diff_json_numbers(b, "bytes", c->change.count);
	diff_json_ratio(b, c->change.count);
	diff_json_numbers(b, "count", c->allocations);
	diff_json_reals(b, "share", c->change.share);
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
