/* The table of formats, and those that are a page: folded, speedscope. */
#include "config.h"

#include "export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/numbers.h"
#include "export/shared.h"

const struct export_format export_formats[] = {
	{ "folded", "folded", false, export_folded },
	{ "pprof", "pb", true, export_pprof },
	{ "speedscope", "speedscope.json", false, export_speedscope },
	{ "svg", "svg", false, export_svg },
	{ "firefox", "firefox.json", false, export_firefox },
};

const size_t export_formats_size =
    sizeof(export_formats) / sizeof(export_formats[0]);

const struct export_format *
export_format_named(const char *name)
{
	for (size_t i = 0; i < export_formats_size; i++) {
		if (strcmp(export_formats[i].name, name) == 0)
			return &export_formats[i];
	}
	return NULL;
}

#ifndef HAVE_PROTOBUF
enum prof_status
export_pprof(struct buf *out, const struct heap *heap,
    const struct export_options *options, struct prof_error *err)
{
	(void)out;
	(void)heap;
	(void)options;
	return err_not_built(err, "protobuf-c", "writes profiles for pprof");
}
#endif

/*
 * A stack as text.  The text is named by its offset, since the buffer moves
 * while it grows.
 */
struct folded_line {
	const struct buf *text;
	size_t start, size;
	uint64_t value;
};

static struct prof_span
folded_text(const struct folded_line *l)
{
	return (struct prof_span){ l->text->data + l->start, l->size };
}

static int
folded_by_text(const void *a, const void *b)
{
	return prof_span_compare(folded_text(a), folded_text(b));
}

/*
 * Folded stacks, one a line, as flamegraph.pl reads them:
 *
 *	root;...;leaf VALUE
 */
enum prof_status
export_folded(struct buf *out, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	const size_t count = h->contexts_size;
	struct folded_line *lines = calloc(count + 1, sizeof(*lines));
	const struct prof_frame *f;
	struct buf text = { 0 };
	enum heap_line kind;
	uint32_t line;
	size_t start;

	for (size_t i = 0; lines != NULL && i < count; i++) {
		const struct heap_context *c = &h->contexts[i];

		lines[i] = (struct folded_line){ &text, text.size, 0,
		    c->info.value[heap_fields[o->by]] };
		for (size_t k = c->size; k-- > c->site;) {
			f = &h->frames[c->frames[k]].source;
			kind = heap_frame_line(f, &line);
			start = text.size;
			export_name(&text, h, c->frames[k], o->name);
			if (o->lines && f->file.size != 0) {
				buf_text(&text, " ");
				export_text(&text, f->file);
			}
			if (o->lines && kind != HEAP_LINE_UNKNOWN)
				buf_print(&text, "%s%" PRIu32, kind ==
				    HEAP_LINE_OF_FILE ? ":" : "+", line);
			/* A semicolon separates frames: a colon is none. */
			for (; !text.failed && start < text.size; start++) {
				if (text.data[start] == ';')
					text.data[start] = ':';
			}
			if (k > c->site)
				buf_text(&text, ";");
		}
		if (c->size == 0)
			buf_text(&text, "[no stack]");
		lines[i].size = text.size - lines[i].start;
	}
	out->failed = out->failed || lines == NULL || text.failed;
	if (!out->failed)
		qsort(lines, count, sizeof(*lines), folded_by_text);
	/*
	 * Contexts may differ in frames' columns, files or lines that the text
	 * leaves out: those of equal text become one line with the sum of their
	 * values, which saturates.
	 */
	for (size_t i = 0, next; !out->failed && i < count; i = next) {
		uint64_t sum = lines[i].value;

		for (next = i + 1; next < count &&
		    folded_by_text(&lines[i], &lines[next]) == 0; next++)
			sum = saturating_add(sum, lines[next].value);
		buf_put(out, folded_text(&lines[i]).data, lines[i].size);
		buf_print(out, " %" PRIu64 "\n", sum);
	}
	free(lines);
	buf_free(&text);
	return out->failed ? err_memory(err) : PROF_OK;
}

/*
 * speedscope's own format: one "sampled" profile, in which each heap context is
 * a sample and its value the weight of the sample.  Facts:
 * https://www.speedscope.app/file-format-schema.json, which is generated from
 * file-format-spec.ts of speedscope's sources.
 *
 * Numbers above 2^53 are written whole: JavaScript reads them as doubles and
 * rounds.
 */
enum prof_status
export_speedscope(struct buf *b, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	const struct export_value *v = &export_values[o->by];
	uint64_t total = 0, n;
	uint32_t line;

	buf_text(b, "{\"$schema\":"
	    "\"https://www.speedscope.app/file-format-schema.json\",\n"
	    "\"exporter\":\"" PACKAGE_STRING "\",\"name\":\"heap\",\n"
	    "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < h->frames_size; i++) {
		const struct prof_frame *f = &h->frames[i].source;
		struct buf text = { 0 };

		export_name(&text, h, (uint32_t)i, o->name);
		buf_print(b, "%s\n{\"name\":", i == 0 ? "" : ",");
		json_text_string(b, buf_span(&text));
		if (f->file.size != 0) {
			text.size = 0;
			export_text(&text, f->file);
			buf_text(b, ",\"file\":");
			json_text_string(b, buf_span(&text));
		}
		b->failed = b->failed || text.failed;
		buf_free(&text);
		if (heap_frame_line(f, &line) != HEAP_LINE_UNKNOWN)
			buf_print(b, ",\"line\":%" PRIu32, line);
		if ((f->flags & PROF_FRAME_COLUMN) != 0)
			buf_print(b, ",\"col\":%" PRIu32, f->column);
		buf_text(b, "}");
	}
	buf_print(b, "]},\n\"profiles\":[{\"type\":\"sampled\","
	    "\"name\":\"%s\",\"unit\":\"%s\",\"samples\":[", v->title,
	    v->unit);
	/* A sample is a list of frames from the root to the allocation. */
	for (size_t i = 0; i < h->contexts_size; i++) {
		const struct heap_context *c = &h->contexts[i];

		buf_text(b, i == 0 ? "\n[" : ",\n[");
		for (size_t k = c->size; k-- > c->site;) {
			digits_append(b, c->frames[k]);
			if (k > c->site)
				buf_text(b, ",");
		}
		buf_text(b, "]");
	}
	buf_text(b, "],\"weights\":[");
	for (size_t i = 0; i < h->contexts_size; i++) {
		n = h->contexts[i].info.value[heap_fields[o->by]];
		buf_text(b, i == 0 ? "" : ",");
		digits_append(b, n);
		total = saturating_add(total, n);
	}
	buf_print(b, "],\"startValue\":0,\"endValue\":%" PRIu64 "}]}\n",
	    total);
	return b->failed ? err_memory(err) : PROF_OK;
}
