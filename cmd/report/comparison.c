/*
 * Two profiles compared: the lines of prof-diff --json with the changes of all
 * functions, and the text of prof-diff as plain HTML.
 */
#include "config.h"

#include "base/hash.h"
#include "base/json_text.h"
#include "cmd/print/print.h"
#include "cmd/report/report.h"

static bool
comparison_functions(struct page_data *d, const struct diff_changes *l)
{
	struct buf *b = &d->text;
	bool done = true;

	json_member_key(b, "rows");
	json_text_plain(b, "[");
	for (size_t i = 0; i < l->size && done; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",");
		diff_json_change(b, &l->items[i], true);
		done = page_data_flush(d, false);
	}
	json_text_plain(b, "]");
	return done;
}

static bool
comparison_frame(struct buf *b, struct intern *names, const struct heap *h,
    const struct heap_frame *f)
{
	struct buf name = { 0 };
	uint32_t n = INDEX_NONE;

	heap_put_name(&name, h, f, show_demangled);
	if (!name.failed)
		n = intern_add(names, name.data, name.size);
	buf_free(&name);
	json_text_number(b, n);
	return n != INDEX_NONE;
}

/* A context; its frames are numbers of names, from the site on. */
static bool
comparison_context(struct buf *b, const struct diff *d,
    const struct diff_context *c, struct intern *names)
{
	int side = diff_context_side(c);
	const struct heap_context *context = c->context[side];
	const struct heap *h = &d->heaps[side];

	json_text_plain(b, "{");
	json_member_text(b, "state", overlap_words[c->change.state].word);
	diff_json_numbers(b, "bytes", c->change.count);
	diff_json_numbers(b, "count", c->allocations);
	json_member_key(b, "frames");
	json_text_plain(b, "[");
	for (size_t i = context->site; i < context->size; i++) {
		json_text_plain(b, i == context->site ? "" : ",");
		if (!comparison_frame(b, names, h,
		    &h->frames[context->frames[i]]))
			return false;
	}
	json_text_plain(b, "]}");
	return true;
}

static void
comparison_names(struct buf *b, const struct intern *names)
{
	json_member_key(b, "names");
	json_text_plain(b, "[");
	for (size_t i = 0; i < names->size; i++) {
		size_t start;

		json_text_plain(b, i == 0 ? "\n" : ",\n");
		start = b->size;
		if (json_text_fits(names->items[i]))
			json_text_string(b, names->items[i]);
		else
			json_text_hex(b, names->items[i]);
		b->failed |= b->size == start;
	}
	json_text_plain(b, "]");
}

static bool
comparison_contexts(struct page_data *data, const struct diff *d)
{
	struct buf *b = &data->text;
	struct intern names = { .size = 0 };
	bool done = true;

	json_member_key(b, "rows");
	json_text_plain(b, "[");
	for (size_t i = 0; i < d->heap.size && i < d->top && done; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		done = comparison_context(b, d, &d->heap.changes[i],
		    &names) && page_data_flush(data, false);
	}
	json_text_plain(b, "]");
	comparison_names(b, &names);
	intern_free(&names);
	return done;
}

static void
comparison_meanings(struct buf *b)
{
	json_member_key(b, "meanings");
	json_text_plain(b, "{");
	for (int i = 0; i < OVERLAP_STATES_SIZE; i++)
		json_member_text(b, overlap_words[i].word,
		    overlap_words[i].meaning);
	json_text_plain(b, "}");
}

bool
report_comparison_json(struct page_data *data, const struct diff *d)
{
	struct buf *b = &data->text;
	bool any = false;

	json_text_plain(b, "[");
	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		if (!d->has[s])
			continue;
		json_text_plain(b, any ? ",{" : "{");
		any = true;
		json_member_key(b, "subject");
		diff_json_subject(b, d, s);
		comparison_meanings(b);
		if (s == DIFF_HEAP ? !comparison_contexts(data, d) :
		    !comparison_functions(data, &d->changes[s]))
			return false;
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
	return !b->failed;
}

static void
plain_verdicts(struct buf *b, const struct diff *d)
{
	char text[DIFF_VERDICT_SIZE];

	if (d->verdicts.size == 0)
		return;
	buf_text(b, "<ul class=\"verdicts\">\n");
	for (size_t i = 0; i < d->verdicts.size; i++) {
		const struct diff_verdict *v = &d->verdicts.items[i];

		diff_verdict_text(text, v);
		buf_print(b, "<li>%s: %s: %s</li>\n", v->failed ? "failed" :
		    "passed", diff_subjects[v->subject].whose, text);
	}
	buf_text(b, "</ul>\n");
}

bool
report_comparison_plain(struct buf *b, const struct diff *all)
{
	struct diff d = *all;
	size_t start;

	if (d.top > REPORT_PLAIN_ROWS)
		d.top = REPORT_PLAIN_ROWS;
	buf_text(b, "<section class=\"profile\">\n<h2>Comparison</h2>\n");
	plain_verdicts(b, &d);
	buf_text(b, "<pre class=\"totals\">");
	start = b->size;
	diff_people(b, &d);
	markup_xml(b, start);
	buf_text(b, "</pre>\n</section>\n");
	return !b->failed;
}
