/*
 * speedscope's own format: a "sampled" profile whose samples are the contexts.
 * Facts: https://www.speedscope.app/file-format-schema.json and the
 * file-format-spec.ts that it is made of.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_text.h"
#include "export/export.h"

/* Names of values and units that speedscope knows. */
static const struct {
	const char *name, *unit;
} values[HEAP_VALUES] = {
	[HEAP_BYTES] = { "bytes allocated", "bytes" },
	[HEAP_COUNT] = { "allocations", "none" },
	[HEAP_LIFETIME] = { "total lifetime", "milliseconds" },
	[HEAP_ACCESSES] = { "accesses", "none" },
};

/* A number even above 2^53: what reads it has doubles and rounds. */
static void
put_number(struct buf *b, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	json_text_plain(b, text);
}

static void
put_string(struct buf *b, struct prof_span s)
{
	struct buf text = { 0 };

	export_text(&text, s);
	json_text_string(b, (struct prof_span){ text.data, text.size });
	b->failed = b->failed || text.failed;
	buf_free(&text);
}

static void
put_frame(struct buf *b, const struct heap *h, uint32_t n,
    const struct export_options *o)
{
	const struct prof_frame *f = &h->frames[n].source;
	struct buf name = { 0 };

	export_name(&name, h, n, o->name);
	json_text_plain(b, "{\"name\":");
	json_text_string(b, (struct prof_span){ name.data, name.size });
	b->failed = b->failed || name.failed;
	buf_free(&name);
	if (f->file.size != 0) {
		json_text_plain(b, ",\"file\":");
		put_string(b, f->file);
	}
	if ((f->flags & (PROF_FRAME_LINE | PROF_FRAME_LINE_OFFSET)) != 0) {
		json_text_plain(b, ",\"line\":");
		put_number(b, export_line(f));
	}
	if ((f->flags & PROF_FRAME_COLUMN) != 0) {
		json_text_plain(b, ",\"col\":");
		put_number(b, f->column);
	}
	json_text_plain(b, "}");
}

static void
put_frames(struct buf *b, const struct heap *h,
    const struct export_options *o)
{
	json_text_plain(b, "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < h->frames_size; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		put_frame(b, h, (uint32_t)i, o);
	}
	json_text_plain(b, "]}");
}

/* Root first. */
static void
put_sample(struct buf *b, const struct heap_context *c)
{
	json_text_plain(b, "[");
	for (size_t i = c->size; i-- > 0;) {
		put_number(b, c->frames[i]);
		if (i > 0)
			json_text_plain(b, ",");
	}
	json_text_plain(b, "]");
}

static void
put_profile(struct buf *b, const struct heap *h,
    const struct export_options *o)
{
	uint64_t total = 0;

	json_text_plain(b, "{\"type\":\"sampled\",\"name\":\"");
	json_text_plain(b, values[o->by].name);
	json_text_plain(b, "\",\"unit\":\"");
	json_text_plain(b, values[o->by].unit);
	json_text_plain(b, "\",\"samples\":[");
	for (size_t i = 0; i < h->contexts_size; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		put_sample(b, &h->contexts[i]);
	}
	json_text_plain(b, "],\"weights\":[");
	for (size_t i = 0; i < h->contexts_size; i++) {
		uint64_t n = h->contexts[i].info.value[heap_fields[o->by]];

		json_text_plain(b, i == 0 ? "" : ",");
		put_number(b, n);
		if (!add_u64(total, n, &total))
			total = UINT64_MAX;
	}
	json_text_plain(b, "],\"startValue\":0,\"endValue\":");
	put_number(b, total);
	json_text_plain(b, "}");
}

enum prof_status
export_speedscope(struct buf *b, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	json_text_plain(b, "{\"$schema\":"
	    "\"https://www.speedscope.app/file-format-schema.json\",\n"
	    "\"exporter\":\"" PACKAGE_STRING "\",\"name\":\"heap\",\n");
	put_frames(b, h, o);
	json_text_plain(b, ",\n\"profiles\":[");
	put_profile(b, h, o);
	json_text_plain(b, "]}\n");
	return b->failed ? err_memory(err) : PROF_OK;
}
