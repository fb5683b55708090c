#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json_text.h"
#include "model/value_sites.h"
#include "format/values_json.h"
#include "format/stream/stream.h"

static void
stream_put_function(struct buf *b, const struct prof_function *f)
{
	json_text_plain(b, "{\"record\":\"function\"");
	stream_put_symbol(b, &stream_symbol, &f->symbol);
	json_text_plain(b, ",\"hash\":");
	json_text_id(b, f->hash);
	json_text_plain(b, ",\"counts\":");
	json_text_numbers(b, f->counts, f->counts_size);
	if (f->bitmap.size != 0) {
		json_member_key(b, "bitmap");
		json_text_hex(b, f->bitmap);
	}
	if (f->uniform_size != 0) {
		json_member_key(b, "uniform_counts");
		json_text_numbers(b, f->uniform_counts, f->uniform_size);
	}
	if (value_sites_count(f->values) != 0) {
		json_text_plain(b, ",\"values\":");
		values_put_json(b, f->values);
	}
	stream_put_extra(b, f->extra);
	json_text_plain(b, "}\n");
}

void
stream_put_record(struct buf *b, const struct prof_record *r)
{
	const struct record_object *t;

	if (r->kind == PROF_REC_FUNCTION) {
		stream_put_function(b, &r->u.function);
		return;
	}
	if (r->kind == PROF_REC_OTHER) {
		buf_put(b, r->u.other.data, r->u.other.size);
		buf_put(b, "\n", 1);
		return;
	}
	t = record_object_of(r->kind);
	json_text_plain(b, "{\"record\":\"");
	json_text_plain(b, t->record);
	json_text_plain(b, "\"");
	stream_put_object(b, t, &r->u);
	buf_put(b, "}\n", 2);
}

/*
 * The writer of streams.  The end record of a profile is written when the next
 * profile begins or the stream is finished, since only then it is known whether
 * that end is the last.  The sink gets whole lines, in pieces of 64 KiB, so
 * that both ends of a pipe work at the same time.
 */

enum { PIECE = 1 << 16 };

/*
 * Records that repeat names may be much longer than their inputs.  No function
 * or call stack of a program comes near this length.
 */
enum { LINE_MAX_BYTES = 1 << 28 };

struct stream_writer {
	struct prof_writer base;
	struct buf out;			/* whole lines between calls */
	bool began;			/* a profile was put */
	bool inside;			/* and has not ended */
	struct prof_error failure;	/* of the sink; its code is 0 before */
	bool aborted;			/* an abort record was written */
};

static enum prof_status
stream_writer_flush(struct stream_writer *w, struct prof_error *err)
{
	struct prof_error *failure = &w->failure;

	if (failure->code == PROF_E_NONE &&
	    sink_write(&w->base, w->out.data, w->out.size,
	    failure) == PROF_OK) {
		w->out.size = 0;
		return PROF_OK;
	}
	w->out.size = 0;
	if (err != NULL)
		*err = *failure;
	return PROF_FAIL;
}

/* Called after whole lines, which begin at `start`, were appended. */
static enum prof_status
stream_writer_end_lines(struct stream_writer *w, size_t start,
    struct prof_error *err)
{
	if (w->out.failed) {
		w->out.size = start;
		return w->out.full ? err_set(err, PROF_E_LIMIT, "the "
		    "line of a record would have more than %d bytes",
		    LINE_MAX_BYTES) : err_memory(err);
	}
	return w->out.size < PIECE ? PROF_OK : stream_writer_flush(w, err);
}

/* 0: no limit; counters of a whole program, for example, are one line. */
static inline size_t
stream_line_max(enum prof_record_kind kind)
{
	const unsigned bounded = 1u << PROF_REC_FUNCTION |
	    1u << PROF_REC_STACK | 1u << PROF_REC_DATA_ACCESS;

	return (size_t)(bounded >> kind & 1) * LINE_MAX_BYTES;
}

static enum prof_status
stream_writer_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct stream_writer *w = (struct stream_writer *)base;
	size_t start = w->out.size;

	if (w->inside == (r->kind == PROF_REC_PROFILE))
		return err_set(err, PROF_E_CORRUPT, w->inside ? "a profile "
		    "begins inside a profile" : "a record outside a profile");
	w->inside = r->kind != PROF_REC_END;
	if (r->kind == PROF_REC_END)
		return PROF_OK;
	if (r->kind == PROF_REC_PROFILE && w->began)
		json_text_plain(&w->out, "{\"record\":\"end\"}\n");
	w->began = true;
	w->out.max = stream_line_max(r->kind);
	stream_put_record(&w->out, r);
	return stream_writer_end_lines(w, start, err);
}

static enum prof_status
stream_writer_finish(struct prof_writer *base, struct prof_error *err)
{
	struct stream_writer *w = (struct stream_writer *)base;

	if (!w->began)
		return w->aborted ? stream_writer_flush(w, err) :
		    err_set(err, PROF_E_FORMAT, "no profile");
	if (w->inside)
		return err_set(err, PROF_E_TRUNCATED,
		    "the last profile has no end");
	json_text_plain(&w->out, "{\"record\":\"end\",\"last\":true}\n");
	return w->out.failed ? err_memory(err)
				  : stream_writer_flush(w, err);
}

/*
 * The abort record follows the whole lines.  The reason may quote bytes that
 * are not UTF-8; those become '?'.
 */
static void
stream_writer_abort(struct prof_writer *base, const char *reason)
{
	struct stream_writer *w = (struct stream_writer *)base;
	char text[PROF_REASON_SIZE];
	struct prof_span s = { (const uint8_t *)text, 0 };

	w->out.failed = false;
	w->out.max = 0;
	for (; s.size < sizeof(text) && reason[s.size] != '\0'; s.size++) {
		uint8_t c = (uint8_t)reason[s.size];

		text[s.size] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	json_text_plain(&w->out, "{\"record\":\"abort\",\"reason\":");
	json_text_string(&w->out, s);
	json_text_plain(&w->out, "}\n");
	if (!w->out.failed)
		stream_writer_flush(w, NULL);
	w->aborted = true;
	w->began = w->inside = false;
}

static void
stream_writer_free(struct prof_writer *base)
{
	struct stream_writer *w = (struct stream_writer *)base;

	buf_free(&w->out);
}

static const struct writer_ops stream_writer_ops = {
	.size = sizeof(struct stream_writer),
	.put = stream_writer_put,
	.finish = stream_writer_finish,
	.abort = stream_writer_abort,
	.free = stream_writer_free,
};

struct prof_writer *
stream_writer_new(struct prof_context *context,
    const struct prof_target *target, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	(void)target;			/* there is one version */
	return codec_writer_new(&stream_writer_ops, context, sink, arg, err);
}
