/*
 * prof-show --heap --json: one object a line; numbers, names and frames as in
 * prof-stream(5).
 */
#include "config.h"

#include "base/json_member.h"
#include "model/mib.h"
#include "cmd/show/heap.h"
#include "cmd/print/figure_rows.h"
#include "cmd/print/frame_json.h"
#include "cmd/print/json_members.h"

static void
heap_json_start(const struct show_heap *s, const char *what)
{
	json_text_plain(s->text, "{");
	json_member_text(s->text, "heap", what);
	json_member_key(s->text, "source");
	json_text_plain(s->text, "{");
	show_source_keys(s->text, &s->header->source);
	json_text_plain(s->text, "}");
}

static void
heap_json_values(struct buf *b, const struct heap_figures *g)
{
	for (int i = 0; i < HEAP_VALUES; i++) {
		if (g->known[i])
			json_member_number(b, show_heap_values[i].key,
			    g->values[i]);
	}
	if (g->known[HEAP_LIFETIME]) {
		json_member_key(b, "average_lifetime");
		json_text_real(b, heap_average_lifetime(g));
	}
}

static void
heap_json_classes(struct buf *b, const struct heap_figures *g)
{
	json_member_key(b, "classes");
	json_text_plain(b, "{");
	for (int i = 0; i < HEAP_CLASSES; i++) {
		json_member_key(b, show_heap_classes[i].key);
		json_text_plain(b, "{");
		json_member_number(b, "contexts", g->class_contexts[i]);
		json_member_number(b, "bytes", g->class_bytes[i]);
		json_member_number(b, "max_bytes", g->class_max[i]);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "}");
}

static void
heap_json_figures(struct buf *b, const struct heap_figures *g)
{
	json_member_number(b, "contexts", g->contexts);
	heap_json_values(b, g);
	heap_json_classes(b, g);
}

static void
heap_json_summary(const struct show_heap *s)
{
	heap_json_start(s, "summary");
	show_kind_keys(s->text, s->header);
	json_member_number(s->text, "sites", s->sites.size);
	heap_json_figures(s->text, &s->figures);
	show_data_json(s->text, s->others);
	json_text_plain(s->text, "}\n");
}

static void
heap_json_frame(const struct show_heap *s, uint32_t n)
{
	heap_frame_json(s->text, &s->heap, n, s->style->name);
}

static void
heap_json_frame_key(const struct show_heap *s, uint32_t frame)
{
	if (frame == HEAP_NO_FRAME)
		return;
	json_member_key(s->text, "frame");
	heap_json_frame(s, frame);
}

static void
heap_json_site(const struct show_heap *s, const struct heap_site *site)
{
	heap_json_start(s, "site");
	heap_json_frame_key(s, site->frame);
	heap_json_figures(s->text, &site->figures);
	json_text_plain(s->text, "}\n");
}

static void
heap_json_caller(const struct show_heap *s, const struct heap_caller *c,
    size_t level, bool among)
{
	(void)level;
	(void)among;
	heap_json_start(s, "caller");
	json_member_number(s->text, "depth", c->depth);
	heap_json_frame_key(s, c->frame);
	json_member_number(s->text, "contexts", c->figures.contexts);
	heap_json_values(s->text, &c->figures);
	json_text_plain(s->text, "}\n");
}

static void
heap_json_context(const struct show_heap *s, const struct heap_context *c)
{
	heap_json_start(s, "context");
	json_member_text(s->text, "class",
	    show_heap_classes[heap_classify(&c->info, s->style->hot)].key);
	if (s->style->stacks) {
		json_member_number(s->text, "site", c->site);
		json_member_key(s->text, "frames");
		json_text_plain(s->text, "[");
		for (size_t i = 0; i < c->size; i++) {
			json_text_plain(s->text, i == 0 ? "" : ",");
			heap_json_frame(s, c->frames[i]);
		}
		json_text_plain(s->text, "]");
	}
	mib_put_info(s->text, &c->info);
	json_text_plain(s->text, "}\n");
}

static void
heap_json_others(const struct show_heap *s, const struct heap_figures *g,
    size_t sites)
{
	heap_json_start(s, "others");
	json_member_number(s->text, "sites", sites);
	heap_json_figures(s->text, g);
	json_text_plain(s->text, "}\n");
}

static void
heap_json_left_out(const struct show_heap *s, size_t callers)
{
	heap_json_start(s, "left out");
	json_member_number(s->text, "callers", callers);
	json_text_plain(s->text, "}\n");
}

const struct show_heap_face show_heap_json = {
	heap_json_summary, heap_json_site, heap_json_caller, heap_json_context,
	    heap_json_others, heap_json_left_out
};
