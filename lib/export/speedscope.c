/*
 * speedscope's own format: one "sampled" profile, in which each heap context is
 * a sample and its value the weight of the sample.  Facts:
 * https://www.speedscope.app/file-format-schema.json, which is generated from
 * file-format-spec.ts of speedscope's sources.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_text.h"
#include "export/export.h"
#include "export/text.h"

/*
 * Numbers above 2^53 are written whole: JavaScript reads them as doubles and
 * rounds.
 */
static void
speedscope_put_number(struct buf *b, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	json_text_plain(b, text);
}

static void
speedscope_put_string(struct buf *b, struct prof_span s)
{
	struct buf text = { 0 };

	export_text(&text, s);
	json_text_string(b, buf_span(&text));
	b->failed = b->failed || text.failed;
	buf_free(&text);
}

static void
speedscope_put_frame(struct buf *b, const struct heap *h, uint32_t n,
    const struct export_options *o)
{
	const struct prof_frame *f = &h->frames[n].source;
	struct buf name = { 0 };
	uint32_t line;

	export_name(&name, h, n, o->name);
	json_text_plain(b, "{\"name\":");
	json_text_string(b, buf_span(&name));
	b->failed = b->failed || name.failed;
	buf_free(&name);
	if (f->file.size != 0) {
		json_text_plain(b, ",\"file\":");
		speedscope_put_string(b, f->file);
	}
	if (heap_frame_line(f, &line) != HEAP_LINE_UNKNOWN) {
		json_text_plain(b, ",\"line\":");
		speedscope_put_number(b, line);
	}
	if ((f->flags & PROF_FRAME_COLUMN) != 0) {
		json_text_plain(b, ",\"col\":");
		speedscope_put_number(b, f->column);
	}
	json_text_plain(b, "}");
}

static void
speedscope_put_frames(struct buf *b, const struct heap *h,
    const struct export_options *o)
{
	json_text_plain(b, "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < h->frames_size; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		speedscope_put_frame(b, h, (uint32_t)i, o);
	}
	json_text_plain(b, "]}");
}

/* A sample is a list of frames from the root to the allocation site. */
static void
speedscope_put_sample(struct buf *b, const struct heap_context *c)
{
	json_text_plain(b, "[");
	for (size_t i = c->size; i-- > c->site;) {
		speedscope_put_number(b, c->frames[i]);
		if (i > c->site)
			json_text_plain(b, ",");
	}
	json_text_plain(b, "]");
}

static void
speedscope_put_profile(struct buf *b, const struct heap *h,
    const struct export_options *o)
{
	uint64_t total = 0;

	json_text_plain(b, "{\"type\":\"sampled\",\"name\":\"");
	json_text_plain(b, export_values[o->by].title);
	json_text_plain(b, "\",\"unit\":\"");
	json_text_plain(b, export_values[o->by].unit);
	json_text_plain(b, "\",\"samples\":[");
	for (size_t i = 0; i < h->contexts_size; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		speedscope_put_sample(b, &h->contexts[i]);
	}
	json_text_plain(b, "],\"weights\":[");
	for (size_t i = 0; i < h->contexts_size; i++) {
		uint64_t n = h->contexts[i].info.value[heap_fields[o->by]];

		json_text_plain(b, i == 0 ? "" : ",");
		speedscope_put_number(b, n);
		if (!add_u64(total, n, &total))
			total = UINT64_MAX;
	}
	json_text_plain(b, "],\"startValue\":0,\"endValue\":");
	speedscope_put_number(b, total);
	json_text_plain(b, "}");
}

enum prof_status
export_speedscope(struct buf *b, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	json_text_plain(b, "{\"$schema\":"
	    "\"https://www.speedscope.app/file-format-schema.json\",\n"
	    "\"exporter\":\"" PACKAGE_STRING "\",\"name\":\"heap\",\n");
	speedscope_put_frames(b, h, o);
	json_text_plain(b, ",\n\"profiles\":[");
	speedscope_put_profile(b, h, o);
	json_text_plain(b, "]}\n");
	return b->failed ? err_memory(err) : PROF_OK;
}
