/*
 * The heap of a profile: contexts as prof-show --heap --json --stacks --hot has
 * them, but for their frames, which are numbers; and plain HTML of the sites.
 */
#include "config.h"

#include <stdlib.h>

#include "base/json_text.h"
#include "cmd/print/demangle.h"
#include "cmd/print/figure_rows.h"
#include "cmd/print/frame_json.h"
#include "cmd/report/report.h"
#include "model/mib.h"
#include "ops/heap/view.h"

static uint64_t
context_bytes(const struct heap_context *c)
{
	return c->info.value[heap_fields[HEAP_BYTES]];
}

/* Contexts with most bytes come first, equal ones in the order of arrival. */
static int
compare_contexts(const void *a, const void *b)
{
	const struct heap_context *const *x = a, *const *y = b;
	int by = compare_u64(context_bytes(*y), context_bytes(*x));

	return by != 0 ? by : (*x > *y) - (*x < *y);
}

static void
heap_context_json(struct buf *b, const struct heap_context *c)
{
	json_text_plain(b, "{");
	json_member_text(b, "class",
	    show_heap_classes[heap_classify(&c->info, true)].key);
	json_member_number(b, "site", c->site);
	json_member_key(b, "frames");
	json_text_plain(b, "[");
	for (size_t i = 0; i < c->size; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		json_text_number(b, c->frames[i]);
	}
	json_text_plain(b, "]");
	mib_put_info(b, &c->info);
	json_text_plain(b, "}");
}

static bool
heap_contexts_json(struct report_data *d, const struct heap *h, size_t limit)
{
	struct buf *b = &d->text;
	bool done = true;
	const size_t n = h->contexts_size;
	const struct heap_context **sorted = calloc(n + 1, sizeof(*sorted));

	if (sorted == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &h->contexts[i];
	qsort(sorted, n, sizeof(*sorted), compare_contexts);
	json_member_key(b, "contexts");
	json_text_plain(b, "[");
	for (size_t i = 0; i < n && i < limit && done; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		heap_context_json(b, sorted[i]);
		done = report_data_flush(d, false);
	}
	json_text_plain(b, "]");
	free(sorted);
	return done;
}

bool
report_heap_json(struct report_data *d, const struct heap *h, size_t limit)
{
	struct buf *b = &d->text;

	json_text_plain(b, "{");
	json_member_key(b, "frames");
	json_text_plain(b, "[");
	for (size_t i = 0; i < h->frames_size; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		heap_frame_json(b, h, (uint32_t)i, show_demangled);
	}
	json_text_plain(b, "]");
	if (!heap_contexts_json(d, h, limit))
		return false;
	json_text_plain(b, "}");
	return !b->failed;
}

static void
plain_site(struct buf *b, const struct heap *h, const struct heap_site *s)
{
	size_t start;

	buf_text(b, "<tr>");
	report_cell_number(b, s->figures.values[HEAP_BYTES]);
	report_cell_number(b, s->figures.values[HEAP_COUNT]);
	report_cell_number(b, s->figures.contexts);
	start = report_cell_name(b);
	if (s->frame != HEAP_NO_FRAME)
		heap_put_name(b, h, &h->frames[s->frame], show_demangled);
	report_cell_end(b, start);
}

bool
report_heap_plain(struct buf *b, const struct heap *h)
{
	struct heap_sites sites;
	bool done = heap_sites_make(&sites, h, HEAP_BYTES, true);

	if (done && sites.size != 0) {
		buf_text(b, "<table class=\"plain\">\n<thead><tr>"
		    "<th>bytes</th><th>allocations</th><th>contexts</th>"
		    "<th class=\"name\">site</th></tr></thead>\n<tbody>\n");
		for (size_t i = 0; i < sites.size && i < REPORT_PLAIN_ROWS;
		    i++)
			plain_site(b, h, &sites.sites[i]);
		buf_text(b, "</tbody>\n</table>\n");
	}
	heap_sites_free(&sites);
	return done && !b->failed;
}
