/*
 * Records to lines.  An end is held back until it is known whether it is the
 * last, and lines go to the sink whole, in pieces of 64 KiB: small pieces keep
 * both ends of a pipe at work.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/stream.h"
#include "format/stream/function.h"

enum { PIECE = 1 << 16 };

struct stream_writer {
	struct prof_writer base;
	struct buf out;			/* whole lines, but inside put */
	bool began;			/* a profile was put */
	bool inside;			/* and has not ended */
	bool broken;			/* the sink has failed */
	struct stream_frames frames;
	struct stream_heads heads;
};

void
stream_put_symbol(struct buf *b, const struct stream_symbol_keys *keys,
    const struct prof_symbol *s)
{
	if (s->name.size != 0) {
		json_member_bytes(b, keys->name, keys->hex, s->name);
	} else {
		json_member_id(b, keys->guid, prof_symbol_guid(s));
	}
}

void
stream_put_bitmap(struct buf *b, struct prof_span bitmap)
{
	if (bitmap.size != 0) {
		json_member_key(b, "bitmap");
		json_text_hex(b, bitmap);
	}
}

void
stream_put_extra(struct buf *b, struct prof_span extra)
{
	if (extra.size != 0) {
		buf_put(b, ",", 1);
		buf_put(b, extra.data, extra.size);
	}
}

static bool
is_known(const struct prof_source *s)
{
	return s->file.size != 0 || s->member.size != 0 || s->format != NULL ||
	    s->version != 0 || s->endian != 0 || s->pointer_bits != 0 ||
	    s->offset != 0;
}

static void
put_source(struct buf *b, const struct prof_source *s)
{
	if (!is_known(s))
		return;
	json_member_key(b, "source");
	buf_put(b, "{", 1);
	if (s->file.size != 0)
		json_member_bytes(b, "file", "file_hex", s->file);
	if (s->member.size != 0)
		json_member_bytes(b, "member", "member_hex", s->member);
	if (s->format != NULL)
		json_member_text(b, "format", s->format);
	if (s->version != 0)
		json_member_number(b, "version", s->version);
	if (s->endian != 0)
		json_member_text(b, "endian",
		    s->endian == 'b' ? "big" : "little");
	if (s->pointer_bits != 0)
		json_member_number(b, "pointer_bits", s->pointer_bits);
	if (s->offset != 0)
		json_member_number(b, "offset", s->offset);
	buf_put(b, "}", 1);
}

static void
put_profile(struct buf *b, const struct prof_header *h)
{
	const uint64_t versions[] = { h->frontend_first, h->frontend_last };

	json_member_number(b, "stream", STREAM_VERSION);
	json_member_text(b, "kind", words_kind[h->kind]);
	if (h->level != PROF_LEVEL_UNKNOWN)
		json_member_text(b, "level", words_level[h->level]);
	for (unsigned i = 0; i < PROF_FLAGS; i++) {
		if ((h->flags >> i & 1) != 0)
			json_member_flag(b,
			    stream_profile_keys[STREAM_FIRST_FLAG + i]);
	}
	if (h->frontend_first != 0) {
		json_member_key(b, "frontend_versions");
		json_text_numbers(b, versions, 2);
	}
	if (h->wave_size != 0)
		json_member_number(b, "wave_size", h->wave_size);
	if (h->has_trace_stream_size)
		json_member_number(b, "trace_stream_size",
		    h->trace_stream_size);
	if (h->inputs > 1)
		json_member_number(b, "inputs", h->inputs);
	put_source(b, &h->source);
	stream_put_extra(b, h->extra);
}

static void
put_vtable(struct buf *b, const struct prof_vtable *t)
{
	stream_put_symbol(b, &stream_symbol, &t->symbol);
	if (!t->has_range)
		return;
	if (t->symbol.name.size != 0) {
		json_member_id(b, "guid", prof_symbol_guid(&t->symbol));
	}
	json_member_id(b, "start", t->start);
	json_member_number(b, "size", t->size);
}

static void
put_trace(struct buf *b, const struct prof_trace *t)
{
	json_member_number(b, "weight", t->weight);
	json_member_key(b, "functions");
	buf_put(b, "[", 1);
	for (size_t i = 0; i < t->size; i++) {
		const struct prof_symbol *s = &t->functions[i];

		if (i != 0)
			buf_put(b, ",", 1);
		if (s->name.size != 0 && json_text_fits(s->name)) {
			json_text_string(b, s->name);
		} else {
			buf_put(b, "{", 1);
			stream_put_symbol(b, &stream_symbol, s);
			buf_put(b, "}", 1);
		}
	}
	buf_put(b, "]", 1);
}

static void
put_record(struct buf *b, struct stream_frames *frames,
    const struct prof_record *r)
{
	static const char *const names[] = {
		[PROF_REC_PROFILE] = "profile",
		[PROF_REC_BINARY] = "binary",
		[PROF_REC_VTABLE] = "vtable",
		[PROF_REC_RAW_COUNTERS] = "raw_counters",
		[PROF_REC_TRACE] = "trace",
		[PROF_REC_SEGMENT] = "segment",
		[PROF_REC_STACK] = "stack",
		[PROF_REC_ALLOCATION] = "allocation",
		[PROF_REC_MEMPROF_FUNCTION] = "memprof_function",
		[PROF_REC_DATA_ACCESS] = "data_access",
		[PROF_REC_COLD_SYMBOL] = "cold_symbol",
	};

	if (r->kind == PROF_REC_FUNCTION) {
		stream_put_function(b, &r->u.function);
		return;
	}
	if (r->kind == PROF_REC_OTHER) {
		buf_put(b, r->u.other.data, r->u.other.size);
		buf_put(b, "\n", 1);
		return;
	}
	json_text_plain(b, "{\"record\":\"");
	json_text_plain(b, names[r->kind]);
	json_text_plain(b, "\"");
	switch (r->kind) {
	case PROF_REC_PROFILE:
		put_profile(b, &r->u.profile);
		break;
	case PROF_REC_BINARY:
		json_member_key(b, "build_id");
		json_text_hex(b, r->u.build_id);
		break;
	case PROF_REC_VTABLE:
		put_vtable(b, &r->u.vtable);
		break;
	case PROF_REC_RAW_COUNTERS:
		json_member_key(b, "counts");
		json_text_numbers(b, r->u.raw_counters.counts,
		    r->u.raw_counters.counts_size);
		stream_put_bitmap(b, r->u.raw_counters.bitmap);
		break;
	case PROF_REC_TRACE:
		put_trace(b, &r->u.trace);
		break;
	case PROF_REC_SEGMENT:
		stream_put_segment(b, &r->u.segment);
		break;
	case PROF_REC_STACK:
		stream_put_stack(b, frames, &r->u.stack);
		break;
	case PROF_REC_ALLOCATION:
		stream_put_allocation(b, &r->u.allocation);
		break;
	case PROF_REC_MEMPROF_FUNCTION:
		stream_put_memprof_function(b, &r->u.memprof_function);
		break;
	case PROF_REC_DATA_ACCESS:
		stream_put_data_access(b, &r->u.data_access);
		break;
	case PROF_REC_COLD_SYMBOL:
		stream_put_cold_symbol(b, &r->u.cold_symbol);
		break;
	case PROF_REC_FUNCTION:
	case PROF_REC_BLOCK:	/* put_block */
	case PROF_REC_PAIRS:	/* nor this */
	case PROF_REC_OTHER:
	case PROF_REC_END:
		break;
	}
	buf_put(b, "}\n", 2);
}

static enum prof_status
flush(struct stream_writer *w, struct prof_error *err)
{
	enum prof_status status;

	if (w->broken)
		return err_set(err, PROF_E_SYSTEM, "write: failed before");
	status = sink_write(&w->base, w->out.data, w->out.size, err);
	w->out.size = 0;
	w->broken = status != PROF_OK;
	return status;
}

static enum prof_status
put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct stream_writer *w = (struct stream_writer *)base;
	size_t start = w->out.size;

	if (w->inside == (r->kind == PROF_REC_PROFILE))
		return err_set(err, PROF_E_CORRUPT, w->inside ?
		    "a profile begins inside a profile" :
		    "a record outside of a profile");
	w->inside = r->kind != PROF_REC_END;
	if (r->kind == PROF_REC_END)
		return PROF_OK;
	if (r->kind == PROF_REC_PROFILE && w->began)
		json_text_plain(&w->out, "{\"record\":\"end\"}\n");
	w->began = true;
	put_record(&w->out, &w->frames, r);
	if (w->out.failed) {
		w->out.size = start;
		return err_memory(err);
	}
	return w->out.size < PIECE ? PROF_OK : flush(w, err);
}

/* Often: what is put is whole lines. */
static enum prof_status
flush_lines(void *writer, struct prof_error *err)
{
	struct stream_writer *w = writer;

	return w->out.size < PIECE ? PROF_OK : flush(w, err);
}

static enum prof_status
put_block(struct prof_writer *base, const struct prof_block *b,
    struct prof_error *err)
{
	struct stream_writer *w = (struct stream_writer *)base;

	if (!w->inside)
		return err_set(err, PROF_E_CORRUPT,
		    "a record outside of a profile");
	return stream_put_block(&w->heads, &w->out, b, flush_lines, w, err);
}

static enum prof_status
finish(struct prof_writer *base, struct prof_error *err)
{
	struct stream_writer *w = (struct stream_writer *)base;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (w->inside)
		return err_set(err, PROF_E_TRUNCATED,
		    "the last profile has no end");
	json_text_plain(&w->out, "{\"record\":\"end\",\"last\":true}\n");
	return w->out.failed ? err_memory(err) : flush(w, err);
}

/*
 * Behind the lines that are whole.  The reason may quote bytes that are no
 * UTF-8, and must not stop us.
 */
static void
give_up(struct prof_writer *base, const char *reason)
{
	struct stream_writer *w = (struct stream_writer *)base;
	char text[PROF_REASON_SIZE];
	struct prof_span s = { (const uint8_t *)text, 0 };

	w->out.failed = false;
	for (; s.size < sizeof(text) && reason[s.size] != '\0'; s.size++) {
		uint8_t c = (uint8_t)reason[s.size];

		text[s.size] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	json_text_plain(&w->out, "{\"record\":\"abort\",\"reason\":");
	json_text_string(&w->out, s);
	json_text_plain(&w->out, "}\n");
	if (!w->out.failed)
		flush(w, NULL);
}

static void
free_writer(struct prof_writer *base)
{
	struct stream_writer *w = (struct stream_writer *)base;

	buf_free(&w->out);
	stream_frames_free(&w->frames);
	stream_heads_free(&w->heads);
	free(w);
}

static const struct writer_ops ops = {
	.put = put,
	.put_block = put_block,
	.finish = finish,
	.abort = give_up,
	.free = free_writer,
};

struct prof_writer *
stream_writer_new(struct prof_context *context,
    const struct prof_target *target, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct stream_writer *w = calloc(1, sizeof(*w));

	(void)target;			/* there is one version */
	if (w == NULL) {
		err_memory(err);
		return NULL;
	}
	w->base = (struct prof_writer){ &ops, context, sink, arg };
	return &w->base;
}
