/*
 * cmd/show/heap_print.c - what --heap prints, as JSON and for people
 *
 * With --json one object a line; numbers, names and frames as in
 * prof-stream(5).
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json_text.h"
#include "cmd/print/print.h"
#include "cmd/show/show.h"
#include "model/mib.h"

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
	heap_frame_json(s->text, &s->heap, n, s->style->name != NULL);
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

/* The text of prof-show --heap for people. */

/* Columns of a histogram's chart, and the shades of a column. */
enum { CHART = 64 };
static const char shades[] = " .:-=+*#%@";

/* Columns of figures. */
enum { BYTES_COLUMNS = 13, COUNT_COLUMNS = 9 };

static void
heap_people_classes(struct buf *b, const struct heap_figures *g)
{
	bool open = false;

	show_row_print(b, "contexts", g->contexts);
	for (int i = 0; i < HEAP_CLASSES; i++)
		show_part_print(b, show_heap_classes[i].text,
		    g->class_contexts[i], &open);
	show_print(b, "%s\n", open ? ")" : "");
}

static void
heap_people_class_bytes(struct buf *b, const struct heap_figures *g)
{
	for (int i = 0; i < HEAP_CLASSES; i++) {
		char what[32];

		if (g->class_contexts[i] == 0)
			continue;
		snprintf(what, sizeof(what), "bytes %s",
		    show_heap_classes[i].text);
		show_row_print(b, what, g->class_bytes[i]);
		show_print(b, "  (up to ");
		show_number(b, g->class_max[i], 0);
		show_print(b, " in a context)\n");
	}
}

static void
heap_people_value(struct buf *b, const struct heap_figures *g,
    enum heap_value value)
{
	show_row_print(b, show_heap_values[value].text, g->values[value]);
	show_print(b, "\n");
}

static void
heap_people_summary(const struct show_heap *s)
{
	const struct heap_figures *g = &s->figures;
	struct buf *b = s->text;

	show_source(b, &s->header->source);
	show_print(b, ": ");
	show_kind(b, s->header);
	show_print(b, "\n");
	heap_people_classes(b, g);
	show_rows_people(b, s->others, SHOW_DATA_ACCESSES,
	    SHOW_COLD_LITERALS);
	if (g->contexts == 0)
		return;
	show_row_print(b, "sites", s->sites.size);
	show_print(b, "\n");
	heap_people_value(b, g, HEAP_COUNT);
	heap_people_value(b, g, HEAP_BYTES);
	heap_people_class_bytes(b, g);
	if (g->known[HEAP_ACCESSES])
		heap_people_value(b, g, HEAP_ACCESSES);
	if (g->known[HEAP_LIFETIME])
		show_print(b, "  %-22s %20.2f  ms\n",
		    show_heap_values[HEAP_LIFETIME].text,
		    heap_average_lifetime(g));
	show_print(b, "%*s %6s %*s %10s %12s\n", BYTES_COLUMNS,
	    show_heap_values[HEAP_BYTES].key, "share", COUNT_COLUMNS,
	    show_heap_values[HEAP_COUNT].key, "average ms",
	    show_heap_values[HEAP_ACCESSES].key);
}

/* The share is that of the value by which the sites are sorted. */
static void
heap_people_figures(const struct show_heap *s, const struct heap_figures *g)
{
	struct buf *b = s->text;
	uint64_t total = s->figures.values[s->style->by];

	show_number(b, g->values[HEAP_BYTES], BYTES_COLUMNS);
	if (total == 0)
		show_print(b, " %6s ", "-");
	else
		show_print(b, " %5.1f%% ", 100.0 * (double)
		    g->values[s->style->by] / (double)total);
	show_number(b, g->values[HEAP_COUNT], COUNT_COLUMNS);
	show_print(b, " ");
	if (g->known[HEAP_LIFETIME])
		show_print(b, "%10.1f ", heap_average_lifetime(g));
	else
		show_print(b, "%10s ", "-");
	if (g->known[HEAP_ACCESSES])
		show_number(b, g->values[HEAP_ACCESSES], 12);
	else
		show_print(b, "%12s", "-");
	show_print(b, "  ");
}

static void
heap_people_place(struct buf *b, const struct prof_frame *f)
{
	enum heap_line kind;
	uint32_t line;

	if (f->file.size != 0) {
		show_print(b, "  ");
		buf_put(b, f->file.data, f->file.size);
	}
	kind = heap_frame_line(f, &line);
	if (kind == HEAP_LINE_OF_FILE)
		show_print(b, "%s%" PRIu32, f->file.size != 0 ? ":" :
		    "  line ", line);
	else if (kind == HEAP_LINE_OF_FUNCTION)
		show_print(b, "  +%" PRIu32, line);
	if (kind != HEAP_LINE_UNKNOWN && (f->flags & PROF_FRAME_COLUMN) != 0 &&
	    f->column != 0)
		show_print(b, ":%" PRIu32, f->column);
}

static void
heap_people_frame(const struct show_heap *s, uint32_t n)
{
	struct buf *b = s->text;
	size_t start = b->size, end;

	if (n == HEAP_NO_FRAME) {
		show_print(b, "[no stack]\n");
		return;
	}
	heap_put_name(b, &s->heap, &s->heap.frames[n], s->style->name);
	end = b->size;
	heap_people_place(b, &s->heap.frames[n].source);
	show_printable(b, start);
	show_fit(b, start, end);
	show_print(b, "\n");
}

static void
heap_people_site(const struct show_heap *s, const struct heap_site *site)
{
	heap_people_figures(s, &site->figures);
	heap_people_frame(s, site->frame);
}

static void
heap_people_caller(const struct show_heap *s, const struct heap_caller *c,
    size_t level, bool among)
{
	heap_people_figures(s, &c->figures);
	for (size_t i = 0; i <= level; i++)
		buf_put(s->text, "  ", 2);
	show_print(s->text, among ? "+ " : "< ");
	heap_people_frame(s, c->frame);
}

/* Each column stands for as many entries as it takes to fit; its peak shows. */
static void
heap_people_chart(struct buf *b, const struct prof_mib *m)
{
	size_t size = (size_t)m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	size_t step = size / CHART + (size % CHART != 0);
	uint64_t peak = 0;

	for (size_t i = 0; i < size; i++)
		peak = m->histogram[i] > peak ? m->histogram[i] : peak;
	show_print(b, "%16s|", "");
	for (size_t i = 0; i < size; i += step) {
		uint64_t most = 0;

		for (size_t k = i; k < size && k - i < step; k++)
			most = m->histogram[k] > most ? m->histogram[k] :
			    most;
		/* Whatever is not 0 shows. */
		buf_put(b, &shades[most == 0 ? 0 : 1 + (size_t)
		    ((double)most / (double)peak *
		    (double)(sizeof(shades) - 3))], 1);
	}
	show_print(b, "| %zu bytes each, accesses up to %" PRIu64 "\n",
	    8 * step, peak);
}

static void
heap_people_context(const struct show_heap *s, const struct heap_context *c)
{
	struct heap_figures g = { .contexts = 0 };

	heap_figures_add(&g, c, s->style->hot);
	heap_people_figures(s, &g);
	show_print(s->text, "  %s\n",
	    show_heap_classes[heap_classify(&c->info, s->style->hot)].text);
	if (s->style->histograms && c->info.histogram != NULL)
		heap_people_chart(s->text, &c->info);
	for (size_t i = 0; s->style->stacks && i < c->size; i++) {
		const struct heap_frame *f = &s->heap.frames[c->frames[i]];

		show_print(s->text, "%14s%s", "",
		    (f->source.flags & PROF_FRAME_INLINE) != 0 ? "~ " : "  ");
		heap_people_frame(s, c->frames[i]);
	}
}

static void
heap_people_others(const struct show_heap *s, const struct heap_figures *g,
    size_t sites)
{
	heap_people_figures(s, g);
	show_print(s->text, "(%zu other site%s)\n", sites,
	    sites == 1 ? "" : "s");
}

static void
heap_people_left_out(const struct show_heap *s, size_t callers)
{
	show_print(s->text, "%zu more caller%s: see --callers=N\n", callers,
	    callers == 1 ? "" : "s");
}

const struct show_heap_face show_heap_people = {
	heap_people_summary, heap_people_site, heap_people_caller,
	    heap_people_context, heap_people_others, heap_people_left_out
};
