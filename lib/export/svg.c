/*
 * A flame graph as SVG, for documents: a box for each function in the context
 * of its callers, as wide as what was allocated in it and below it, in the
 * colour of the class that most of this has.  Of two profiles a box is as wide
 * as both together, and its colour tells which of them has more.  There is no
 * script in it; the titles of boxes are shown as tooltips.  Positions are
 * integers, so that the bytes are the same on all machines.
 */
#include "config.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "export/shared.h"
#include "ops/heap/view.h"

/* Lengths in pixels; those of boxes are in tenths of one. */
enum {
	SVG_WIDTH = 1200, SVG_MARGIN = 10, SVG_HEAD = 48, SVG_FOOT = 26,
	SVG_ROW = 18, SVG_TENTHS = (SVG_WIDTH - 2 * SVG_MARGIN) * 10,
	SVG_NARROWEST = 5, SVG_COLUMN = 67,	/* tenths; a character's */
	SVG_NAME_COLUMNS = 600			/* in titles */
};

/*
 * Once there are so many boxes, no further row is added: a picture of more is
 * of no use, and stacks that share their bytes in a small file would make it
 * gigabytes.  A row has at most SVG_TENTHS / SVG_NARROWEST boxes, so that 444
 * rows always fit.
 */
enum { SVG_BOXES = 1 << 20 };

/*
 * What the colours of boxes tell, as the legend has them: the class that has
 * most of a box, the first one of equal ones; or how the two sides differ.
 */
enum svg_colour {
	SVG_HOT, SVG_WARM, SVG_COLD, SVG_UNKNOWN, SVG_MORE, SVG_LESS, SVG_SAME,
	SVG_COLOURS
};

static const struct {
	const char *style, *legend;
} svg_colours[SVG_COLOURS] = {
	[SVG_HOT] = { "hot", "hot" }, [SVG_WARM] = { "warm", "warm" },
	[SVG_COLD] = { "cold", "cold" },
	[SVG_UNKNOWN] = { "unknown", "unknown" },
	[SVG_MORE] = { "more", "more in B" },
	[SVG_LESS] = { "less", "less in B" },
	[SVG_SAME] = { "same", "the same" },
};

static const enum svg_colour svg_class_colours[HEAP_CLASSES] = {
	[HEAP_HOT] = SVG_HOT, [HEAP_WARM] = SVG_WARM, [HEAP_COLD] = SVG_COLD,
	[HEAP_UNKNOWN] = SVG_UNKNOWN
};

/* The profiles of a comparison. */
enum { SVG_A, SVG_B, SVG_SIDES };

/* Some of the stacks that have the same outer frames. */
struct svg_box {
	size_t first, end;	/* stacks */
	size_t depth;		/* frames; 0 is the root */
	uint64_t start, value;	/* of the total */
	union {
		uint64_t of_colour[SVG_COLOURS];	/* of classes */
		uint64_t of_side[SVG_SIDES];
	} parts;
	uint32_t rank;		/* of the name of the last frame */
};

struct svg {
	const struct export_options *options;
	bool pair;		/* of two profiles */
	struct export_ranks names;
	struct export_stack *stacks;
	struct svg_box *boxes;	/* in rows, the root first */
	size_t size, room;
	bool cut;		/* rows are left out: SVG_BOXES */
	uint64_t total;
	unsigned shift;		/* makes products of the total fit */
};

/* A part of the total in units of which the total has `whole`. */
static uint64_t
svg_part(const struct svg *g, uint64_t value, uint64_t whole)
{
	uint64_t total = g->total >> g->shift;

	if (value > g->total)
		value = g->total;
	return total == 0 ? 0 : (value >> g->shift) * whole / total;
}

static uint64_t
svg_width(const struct svg *g, const struct svg_box *x)
{
	return svg_part(g, saturating_add(x->start, x->value), SVG_TENTHS) -
	    svg_part(g, x->start, SVG_TENTHS);
}

/* The box of the stacks from `first` on with one name at that depth. */
static struct svg_box
svg_take(const struct svg *g, size_t first, size_t end, size_t depth)
{
	struct svg_box x = { .first = first, .end = first, .depth = depth };

	for (; x.end < end; x.end++) {
		const struct export_stack *s = &g->stacks[x.end];
		const struct prof_mib *m = &s->context->info;
		uint64_t value = m->value[heap_fields[g->options->by]], *part;
		uint32_t rank = depth == 0 ? 0 :
		    s->rank[export_stack_frame(s, depth - 1)];

		if (x.end != first && rank != x.rank)
			break;
		x.rank = rank;
		part = g->pair ?
		    &x.parts.of_side[s->of_second ? SVG_B : SVG_A] :
		    &x.parts.of_colour[
		    svg_class_colours[heap_classify(m, true)]];
		x.value = saturating_add(x.value, value);
		*part = saturating_add(*part, value);
	}
	return x;
}

/* The largest first; equal ones by name. */
static int
svg_compare(const void *a, const void *b)
{
	const struct svg_box *x = a, *y = b;
	int by = compare_u64(y->value, x->value);

	return by != 0 ? by : compare_u64(x->rank, y->rank);
}

/* Appends the boxes above a box, but for those that are too narrow to see. */
static bool
svg_add_above(struct svg *g, size_t below)
{
	const struct svg_box from = g->boxes[below];
	size_t old = g->size, kept = old, next;
	uint64_t start = from.start;

	for (size_t i = from.first; i < from.end; i = next) {
		next = i + 1;
		if (export_stack_depth(&g->stacks[i]) == from.depth)
			continue;
		if (!ARRAY_ADD(g->boxes, g->size, g->room,
		    svg_take(g, i, from.end, from.depth + 1)))
			return false;
		next = g->boxes[g->size - 1].end;
	}
	if (g->size != old)
		qsort(g->boxes + old, g->size - old, sizeof(*g->boxes),
		    svg_compare);
	for (size_t i = old; i < g->size; i++) {
		g->boxes[i].start = start;
		start = saturating_add(start, g->boxes[i].value);
		if (svg_width(g, &g->boxes[i]) >= SVG_NARROWEST)
			g->boxes[kept++] = g->boxes[i];
	}
	g->size = kept;
	return true;
}

static void
svg_put_number(struct buf *b, uint64_t n)
{
	uint8_t digits[DIGITS_MAX], grouped[DIGITS_GROUPED_MAX];
	size_t size = (size_t)(digits_put(digits, n) - digits);

	size = digits_group(grouped, digits, size);
	buf_put(b, grouped, size);
}

static void
svg_put_tenths(struct buf *b, uint64_t tenths)
{
	digits_append(b, tenths / 10);
	buf_print(b, ".%u", (unsigned)(tenths % 10));
}

/*
 * Appends text, cut at its end if it takes more columns.  Characters from
 * U+1000 on are taken for wide ones.
 */
static void
svg_put_text(struct buf *b, struct prof_span s, size_t columns)
{
	struct buf text = { 0 };
	size_t used = 0, fits = 0, i;

	buf_put(&text, s.data, s.size);
	printable_mask(text.data, text.size);
	for (i = 0; i < text.size && used <= columns; i++) {
		if ((text.data[i] & 0xc0) == 0x80)
			continue;
		if (used < columns)
			fits = i;
		used += text.data[i] >= 0xe1 ? 2 : 1;
	}
	b->failed |= text.failed;
	if (!b->failed && used > columns) {
		xml_put(b, (struct prof_span){ text.data, fits });
		buf_text(b, "\xe2\x80\xa6");
	} else if (!b->failed)
		xml_put(b, buf_span(&text));
	buf_free(&text);
}

static enum svg_colour
svg_colour(const struct svg *g, const struct svg_box *x)
{
	const uint64_t *side = x->parts.of_side;
	enum svg_colour best = SVG_HOT;

	if (g->pair)
		return side[SVG_B] > side[SVG_A] ? SVG_MORE :
		    side[SVG_B] < side[SVG_A] ? SVG_LESS : SVG_SAME;
	for (enum svg_colour i = SVG_WARM; i <= SVG_UNKNOWN; i++) {
		if (x->parts.of_colour[i] > x->parts.of_colour[best])
			best = i;
	}
	return best;
}

/* How much of `whole` a part is, in thousandths; 0 of nothing. */
static uint64_t
svg_thousandths(uint64_t part, uint64_t whole)
{
	while (part >> 48 != 0) {
		part >>= 1;
		whole >>= 1;
	}
	return whole == 0 ? 0 : part * 1000 / whole;
}

static uint64_t
svg_drift(const struct svg_box *x)
{
	uint64_t a = x->parts.of_side[SVG_A], b = x->parts.of_side[SVG_B];

	return a < b ? b - a : a - b;
}

/* "12 in A, 34 in B, +22 bytes (+183.3%)" */
static void
svg_put_sides(struct buf *b, const struct svg *g, const struct svg_box *x)
{
	const uint64_t *side = x->parts.of_side;
	uint64_t drift = svg_drift(x);
	uint64_t thousandths = svg_thousandths(drift, side[SVG_A]);
	const char *sign = side[SVG_A] > side[SVG_B] ? "-" : "+";

	svg_put_number(b, side[SVG_A]);
	buf_text(b, " in A, ");
	svg_put_number(b, side[SVG_B]);
	buf_print(b, " in B, %s", sign);
	svg_put_number(b, drift);
	buf_print(b, " %s", export_values[g->options->by].noun);
	if (thousandths == 0)
		return;
	buf_print(b, " (%s", sign);
	svg_put_tenths(b, thousandths);
	buf_text(b, "%)");
}

static void
svg_put_box(struct buf *b, const struct svg *g, const struct svg_box *x,
    uint64_t y)
{
	uint64_t left = SVG_MARGIN * 10 + svg_part(g, x->start, SVG_TENTHS);
	uint64_t width = svg_width(g, x), columns = width < 80 ? 0 :
	    (width - 80) / SVG_COLUMN;
	struct prof_span name = x->depth == 0 ? span_of_text("all") :
	    g->names.text[x->rank];
	unsigned sum = 0, opacity;

	buf_text(b, "<g><title>");
	svg_put_text(b, name, SVG_NAME_COLUMNS);
	buf_text(b, ": ");
	if (g->pair) {
		svg_put_sides(b, g, x);
		/* The stronger the more they differ. */
		opacity = svg_drift(x) == 0 ? 60 : 25 + (unsigned)(
		    svg_thousandths(svg_drift(x), x->value) * 7 / 100);
	} else {
		/* "12,345 bytes, 6.7%, 3 contexts", the share of the total. */
		svg_put_number(b, x->value);
		buf_print(b, " %s, ", export_values[g->options->by].noun);
		svg_put_tenths(b, (svg_part(g, x->value, 2000) + 1) / 2);
		buf_print(b, "%%, %zu context%s", x->end - x->first,
		    x->end - x->first == 1 ? "" : "s");
		/* Neighbours of one class differ a little, as ever. */
		for (size_t i = 0; i < name.size && i < 64; i++)
			sum = (sum * 31 + name.data[i]) % 997;
		opacity = 60 + 5 * (sum % 8);
	}
	buf_print(b, "</title><rect class=\"%s\" "
	    "fill-opacity=\".%02u\" x=\"",
	    svg_colours[svg_colour(g, x)].style, opacity);
	svg_put_tenths(b, left);
	buf_print(b, "\" y=\"%llu\" width=\"", ull(y));
	svg_put_tenths(b, width > 10 ? width - 5 : width);
	buf_print(b, "\" height=\"%d\"/>", SVG_ROW - 1);
	if (columns > 2) {
		buf_text(b, "<text x=\"");
		svg_put_tenths(b, left + 40);
		buf_print(b, "\" y=\"%llu\">", ull(y) + 13);
		svg_put_text(b, name, (size_t)columns);
		buf_text(b, "</text>");
	}
	buf_text(b, "</g>\n");
}

static const char svg_style[] =
    "<style>\n"
    ".paper{fill:#fff} .hot{fill:#d9480f} .warm{fill:#e9a820}\n"
    ".cold{fill:#5b9bd5} .unknown,.same{fill:#a8a29a}\n"
    ".more{fill:#e04a3f} .less{fill:#4b8ee6}\n"
    "text{font:11px \"DejaVu Sans Mono\",Menlo,Consolas,monospace;fill:#111}\n"
    "text.title{font:bold 16px sans-serif}\n"
    "text.note{font:12px sans-serif;fill:#59636e}\n"
    "</style>\n";

static void
svg_put_head(struct buf *b, const struct svg *g, uint64_t height)
{
	struct prof_span title = span_of_text(g->options->title != NULL ?
	    g->options->title : "heap profile");

	buf_print(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
	    "width=\"%d\" height=\"%llu\" viewBox=\"0 0 %d %llu\">\n"
	    "<title>", SVG_WIDTH, ull(height), SVG_WIDTH, ull(height));
	svg_put_text(b, title, SVG_NAME_COLUMNS);
	buf_print(b, "</title>\n%s<rect class=\"paper\" width=\"%d\" "
	    "height=\"%llu\"/>\n<text class=\"title\" x=\"%d\" y=\"22\">",
	    svg_style, SVG_WIDTH, ull(height), SVG_MARGIN);
	svg_put_text(b, title, 110);
	buf_print(b, "</text>\n<text class=\"note\" x=\"%d\" y=\"39\">%s: ",
	    SVG_MARGIN, export_values[g->options->by].title);
	if (g->pair)
		svg_put_sides(b, g, &g->boxes[0]);
	else
		svg_put_number(b, g->total);
	buf_print(b, ", by the functions on the stack, callers below</text>\n");
}

/* The colours of the boxes, each with its meaning. */
static void
svg_put_legend(struct buf *b, const struct svg *g, uint64_t y)
{
	bool there[SVG_COLOURS] = { false };
	int x = SVG_MARGIN;

	for (size_t i = 0; i < g->size; i++)
		there[svg_colour(g, &g->boxes[i])] = true;
	for (size_t i = 0; i < SVG_COLOURS; i++) {
		if (!there[i])
			continue;
		buf_print(b, "<rect class=\"%s\" x=\"%d\" y=\"%llu\" "
		    "width=\"11\" height=\"11\"/><text class=\"note\" "
		    "x=\"%d\" y=\"%llu\">%s</text>\n",
		    svg_colours[i].style, x, ull(y), x + 16,
		    ull(y) + 10, svg_colours[i].legend);
		x += g->pair ? 90 : 70;
	}
}

/* Draws one heap, or two if the second is not NULL. */
static enum prof_status
svg_draw(struct buf *b, const struct heap *h, const struct heap *second,
    const struct export_options *o, struct prof_error *err)
{
	struct svg drawn = { .options = o, .pair = second != NULL };
	struct svg *g = &drawn;
	bool done = export_ranks_make(&g->names, h, second, EXPORT_NAME, o) &&
	    (g->stacks = export_stacks(h, second, g->names.rank)) != NULL &&
	    ARRAY_ADD(g->boxes, g->size, g->room, svg_take(g, 0,
	    h->contexts_size + (second == NULL ? 0 :
	    second->contexts_size), 0));
	struct prof_error warning = { 0 };
	uint64_t rows_end;

	if (done)
		g->total = g->boxes[0].value;
	while (g->total >> g->shift >= UINT64_C(1) << 48)
		g->shift++;
	for (size_t i = 0; i < g->size && done && !g->cut; i++) {
		g->cut = g->size >= SVG_BOXES &&
		    g->boxes[i].depth != g->boxes[i - 1].depth;
		done = g->cut || svg_add_above(g, i);
	}
	if (done) {
		rows_end = SVG_HEAD +
		    (g->boxes[g->size - 1].depth + 1) * SVG_ROW;
		svg_put_head(b, g, rows_end + SVG_FOOT);
		for (size_t i = 0; i < g->size; i++)
			svg_put_box(b, g, &g->boxes[i], rows_end -
			    (g->boxes[i].depth + 1) * SVG_ROW);
		svg_put_legend(b, g, rows_end + 8);
		buf_text(b, "</svg>\n");
	}
	if (done && g->cut && o->warn != NULL) {
		err_set(&warning, PROF_E_LIMIT, "the flame graph has %zu "
		    "boxes: the rows above these are left out", g->size);
		o->warn(o->warn_arg, &warning);
	}
	free(g->stacks);
	free(g->boxes);
	export_ranks_free(&g->names);
	return !done || b->failed ? err_memory(err) : PROF_OK;
}

enum prof_status
export_svg(struct buf *b, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	return svg_draw(b, h, NULL, o, err);
}

enum prof_status
export_svg_pair(struct buf *b, const struct heap *heap_a,
    const struct heap *heap_b, const struct export_options *o,
    struct prof_error *err)
{
	return svg_draw(b, heap_a, heap_b, o, err);
}
