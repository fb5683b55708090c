#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/stream.h"

/* The head of a line: all before the counters. */
static void
function_put_head(struct buf *b, const struct prof_function *f)
{
	json_text_plain(b, "{\"record\":\"function\"");
	stream_put_symbol(b, &stream_symbol, &f->symbol);
	json_text_plain(b, ",\"hash\":");
	json_text_id(b, f->hash);
	json_text_plain(b, ",\"counts\":");
}

void
stream_put_function(struct buf *b, const struct prof_function *f)
{
	function_put_head(b, f);
	json_text_numbers(b, f->counts, f->counts_size);
	if (f->bitmap.size != 0) {
		json_member_key(b, "bitmap");
		json_text_hex(b, f->bitmap);
	}
	if (f->uniform_size != 0) {
		json_member_key(b, "uniform_counts");
		json_text_numbers(b, f->uniform_counts, f->uniform_size);
	}
	stream_put_values(b, f->values, NULL);
	stream_put_extra(b, f->extra);
	json_text_plain(b, "}\n");
}

void
stream_put_record(struct stream_output *o, const struct prof_record *r)
{
	const struct record_object *t;

	if (r->kind == PROF_REC_FUNCTION) {
		stream_put_function(&o->text, &r->u.function);
		return;
	}
	if (r->kind == PROF_REC_OTHER) {
		buf_put(&o->text, r->u.other.data, r->u.other.size);
		buf_put(&o->text, "\n", 1);
		return;
	}
	t = record_object_of(r->kind);
	json_text_plain(&o->text, "{\"record\":\"");
	json_text_plain(&o->text, t->record);
	json_text_plain(&o->text, "\"");
	stream_put_object(o, t, &r->u);
	buf_put(&o->text, "}\n", 2);
}

/* Bytes that are stored at most; more heads are written each time. */
#define HEADS_MAX ((size_t)1 << 28)

/* The bracket of the counters is not part of what is stored. */
enum {
	BEHIND_HASH = STREAM_SIZE(STREAM_BEHIND_HASH) - 1,
	AROUND_NAME = STREAM_AROUND_NAME - 1
};

/*
 * If the name stands in the head as it is, only the name and the digits of the
 * hash are stored, else all of the head.
 */
struct stream_written_head {
	struct prof_span text;
	size_t counts_size;
	bool is_name;
	uint8_t hash[JSON_TEXT_ID_SIZE];
};

/* Heads of the lines of one layout, by block.  All zero is empty. */
struct stream_heads {
	size_t layout;			/* 0: none */
	uint64_t hash_mask;
	unsigned profiles;		/* stored from the second on */
	struct stream_written_head **blocks;	/* by index */
	size_t size, room;
	void *retained;			/* names; NULL: they are copied */
	struct arena arena;
	struct buf text;		/* of one head */
};

/* The lines of a block, one after the other. */
struct stream_block_lines {
	const struct prof_block *block;
	const struct stream_written_head *heads;	/* NULL: not stored */
	const struct prof_function *functions;	/* if there are no heads */
	const uint64_t *counts;			/* of the next line */
	size_t values;				/* entry of block->values */
	size_t next;				/* function */
};

static void
stream_heads_clear(struct stream_heads *h)
{
	prof_release(h->retained);
	h->retained = NULL;
	arena_free(&h->arena);
	h->size = 0;
}

/* Whether the heads of the block are stored, or shall be. */
static bool
stream_heads_want(struct stream_heads *h, const struct prof_block *b)
{
	if (b->layout == 0)
		return false;
	if (h->layout != b->layout || h->hash_mask != b->hash_mask) {
		stream_heads_clear(h);
		h->layout = b->layout;
		h->hash_mask = b->hash_mask;
		h->profiles = 0;
	}
	if (b->index == 0 && h->profiles < 2)
		h->profiles++;
	if (b->index < h->size)
		return true;
	return h->profiles == 2 && b->index == h->size &&
	    arena_size(&h->arena) <= HEADS_MAX &&
	    ARRAY_ADD(h->blocks, h->size, h->room, NULL);
}

static bool
stream_heads_store_one(struct stream_heads *h, const struct prof_function *f,
    struct stream_written_head *out)
{
	struct prof_span name = f->symbol.name;
	const uint8_t *p;

	h->text.size = 0;
	function_put_head(&h->text, f);
	if (h->text.failed)
		return false;
	p = h->text.data + STREAM_SIZE(STREAM_BEFORE_NAME);
	out->counts_size = f->counts_size;
	out->is_name = h->text.size == name.size + AROUND_NAME &&
	    memcmp(h->text.data, STREAM_BEFORE_NAME,
	    STREAM_SIZE(STREAM_BEFORE_NAME)) == 0 &&
	    memcmp(p, name.data, name.size) == 0;
	out->text = buf_span(&h->text);
	if (out->is_name) {
		out->text = name;
		memcpy(out->hash, p + name.size +
		    STREAM_SIZE(STREAM_BEHIND_NAME), sizeof(out->hash));
	}
	return (out->is_name && h->retained != NULL) ||
	    arena_keep(&h->arena, &out->text);
}

/* Stores the heads of a block; without memory, none. */
static void
stream_heads_store(struct stream_heads *h, const struct prof_block *b,
    const struct prof_function *f)
{
	struct stream_written_head *heads = arena_array(&h->arena, b->size,
	    sizeof(*heads));

	if (b->index == 0 && h->retained == NULL)
		h->retained = prof_block_retain(b);
	for (size_t i = 0; heads != NULL && i < b->size; i++) {
		if (!stream_heads_store_one(h, &f[i], &heads[i]))
			heads = NULL;
	}
	if (heads == NULL)
		buf_free(&h->text);
	h->blocks[b->index] = heads;
}

/* Begins with the first function of the block. */
static enum prof_status
stream_block_begin(struct stream_block_lines *l, struct stream_heads *h,
    const struct prof_block *b, struct prof_error *err)
{
	bool stored = stream_heads_want(h, b);

	*l = (struct stream_block_lines){ .block = b, .counts = b->counts };
	if (stored && h->blocks[b->index] != NULL) {
		l->heads = h->blocks[b->index];
		prof_block_name_targets(b);
		return PROF_OK;
	}
	l->functions = prof_block_functions(b, err);
	if (l->functions == NULL)
		return PROF_FAIL;
	if (stored)
		stream_heads_store(h, b, l->functions);
	return PROF_OK;
}

static void
stream_heads_put(struct buf *out, const struct stream_written_head *head)
{
	struct prof_span text = head->text;
	uint8_t *p = buf_reserve(out, text.size + AROUND_NAME);

	if (p == NULL)
		return;
	if (!head->is_name) {
		buf_put(out, text.data, text.size);
		return;
	}
	memcpy(p, STREAM_BEFORE_NAME, STREAM_SIZE(STREAM_BEFORE_NAME));
	p += STREAM_SIZE(STREAM_BEFORE_NAME);
	memcpy(p, text.data, text.size);
	p += text.size;
	memcpy(p, STREAM_BEHIND_NAME, STREAM_SIZE(STREAM_BEHIND_NAME));
	p += STREAM_SIZE(STREAM_BEHIND_NAME);
	memcpy(p, head->hash, sizeof(head->hash));
	memcpy(p + sizeof(head->hash), STREAM_BEHIND_HASH, BEHIND_HASH);
	out->size += text.size + AROUND_NAME;
}

/* Appends the line of the next function; false if there is none. */
static bool
stream_block_put_line(struct stream_block_lines *l, struct buf *out)
{
	const struct prof_block *b = l->block;
	const struct stream_written_head *head;
	size_t i = l->next;

	if (i == b->size)
		return false;
	l->next++;
	if (l->heads == NULL) {
		stream_put_function(out, &l->functions[i]);
		return true;
	}
	head = &l->heads[i];
	stream_prefetch_text(head->text.data);
	stream_heads_put(out, head);
	json_text_numbers(out, l->counts, head->counts_size);
	l->counts += head->counts_size;
	if (l->values < b->values_size && b->values[l->values].function == i)
		stream_put_values(out, b->values[l->values++].values, b);
	json_text_plain(out, "}\n");
	return true;
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
	struct stream_output out;	/* whole lines between calls */
	bool began;			/* a profile was put */
	bool inside;			/* and has not ended */
	struct prof_error failure;	/* of the sink; its code is 0 before */
	bool aborted;			/* an abort record was written */
	struct stream_heads heads;
};

static enum prof_status
stream_writer_flush(struct stream_writer *w, struct prof_error *err)
{
	struct prof_error *failure = &w->failure;

	if (failure->code == PROF_E_NONE &&
	    sink_write(&w->base, w->out.text.data, w->out.text.size,
	    failure) == PROF_OK) {
		w->out.text.size = 0;
		return PROF_OK;
	}
	w->out.text.size = 0;
	if (err != NULL)
		*err = *failure;
	return PROF_FAIL;
}

/* Called after whole lines, which begin at `start`, were appended. */
static enum prof_status
stream_writer_end_lines(struct stream_writer *w, size_t start,
    struct prof_error *err)
{
	if (w->out.text.failed) {
		w->out.text.size = start;
		return w->out.text.full ? err_set(err, PROF_E_LIMIT, "the "
		    "line of a record would have more than %d bytes",
		    LINE_MAX_BYTES) : err_memory(err);
	}
	return w->out.text.size < PIECE ? PROF_OK : stream_writer_flush(w, err);
}

/* 0: no limit; counters of a whole program, for example, are one line. */
static inline size_t
stream_line_max(enum prof_record_kind kind)
{
	const unsigned bounded = 1u << PROF_REC_FUNCTION |
	    1u << PROF_REC_BLOCK | 1u << PROF_REC_STACK |
	    1u << PROF_REC_DATA_ACCESS;

	return (size_t)(bounded >> kind & 1) * LINE_MAX_BYTES;
}

static enum prof_status
stream_writer_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct stream_writer *w = (struct stream_writer *)base;
	size_t start = w->out.text.size;

	if (w->inside == (r->kind == PROF_REC_PROFILE))
		return err_set(err, PROF_E_CORRUPT, w->inside ? "a profile "
		    "begins inside a profile" : "a record outside a profile");
	w->inside = r->kind != PROF_REC_END;
	if (r->kind == PROF_REC_END)
		return PROF_OK;
	if (r->kind == PROF_REC_PROFILE && w->began)
		json_text_plain(&w->out.text, "{\"record\":\"end\"}\n");
	w->began = true;
	w->out.text.max = stream_line_max(r->kind);
	stream_put_record(&w->out, r);
	return stream_writer_end_lines(w, start, err);
}

static enum prof_status
stream_writer_put_block(struct prof_writer *base, const struct prof_block *b,
    struct prof_error *err)
{
	struct stream_writer *w = (struct stream_writer *)base;
	struct buf *text = &w->out.text;
	struct stream_block_lines lines;
	size_t start = text->size;

	if (!w->inside)
		return err_set(err, PROF_E_CORRUPT, "a record outside a "
		    "profile");
	text->max = stream_line_max(PROF_REC_BLOCK);
	if (stream_block_begin(&lines, &w->heads, b, err) != PROF_OK)
		return PROF_FAIL;
	for (; stream_block_put_line(&lines, text); start = text->size) {
		if (stream_writer_end_lines(w, start, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
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
	json_text_plain(&w->out.text, "{\"record\":\"end\",\"last\":true}\n");
	return w->out.text.failed ? err_memory(err)
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

	w->out.text.failed = false;
	w->out.text.max = 0;
	for (; s.size < sizeof(text) && reason[s.size] != '\0'; s.size++) {
		uint8_t c = (uint8_t)reason[s.size];

		text[s.size] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	json_text_plain(&w->out.text, "{\"record\":\"abort\",\"reason\":");
	json_text_string(&w->out.text, s);
	json_text_plain(&w->out.text, "}\n");
	if (!w->out.text.failed)
		stream_writer_flush(w, NULL);
	w->aborted = true;
	w->began = w->inside = false;
}

static void
stream_writer_free(struct prof_writer *base)
{
	struct stream_writer *w = (struct stream_writer *)base;

	buf_free(&w->out.text);
	stream_frames_free(&w->out.frames);
	stream_heads_clear(&w->heads);
	buf_free(&w->heads.text);
	free(w->heads.blocks);
}

static const struct writer_ops stream_writer_ops = {
	.size = sizeof(struct stream_writer),
	.put = stream_writer_put,
	.put_block = stream_writer_put_block,
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
