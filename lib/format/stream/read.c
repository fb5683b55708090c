/*
 * The reader of streams.  Of a stream that is pulled, only the current line and
 * the bytes pulled behind it are in memory.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_text.h"
#include "bundle/manifest.h"
#include "format/stream/stream.h"
#include "format/stream/block.h"

/* Bytes that are pulled at once at most, and room for several of these. */
enum { PULL_SIZE = 1 << 17, PULL_ROOM = 4 * PULL_SIZE };

struct stream_reader {
	struct prof_reader base;
	prof_pull *pull;		/* NULL: all bytes are in text */
	void *arg;
	struct buf pulled;
	struct prof_span text;		/* an image, or what is pulled */
	size_t pos;			/* of the next line in text */
	size_t whole;			/* behind the last newline of text */
	bool ended;			/* nothing comes behind text */
	uint64_t line;			/* lines begun */
	bool any;			/* a line that is not blank was read */
	bool began;			/* a profile was read */
	bool inside;			/* it has not ended */
	bool last;			/* it has, and is said to be the last */
	bool no_scan;
	struct stream_record record;
	struct stream_blocks blocks;
	size_t block_size;		/* of the last one, in the text */
};

bool
stream_sniff(struct prof_span s)
{
	return json_text_begins_object(s) && !manifest_sniff(s);
}

/*
 * Finds the last newline of the text; it is known that none is before `from`.
 */
static void
stream_find_last_newline(struct stream_reader *r, size_t from)
{
	size_t i = r->text.size;

	while (i > from && r->text.data[i - 1] != '\n')
		i--;
	if (i > from)
		r->whole = i;
}

/*
 * Pulls more behind the rest, which is moved to the front of the buffer first
 * if there is little room behind it.
 */
static enum prof_status
stream_pull_more(struct stream_reader *r, struct prof_error *err)
{
	struct buf *b = &r->pulled;
	ssize_t n;

	if (r->pos != 0 && b->room - b->size < PULL_SIZE) {
		b->size -= r->pos;
		memmove(b->data, b->data + r->pos, b->size);
		r->whole = r->whole < r->pos ? 0 : r->whole - r->pos;
		r->pos = 0;
	}
	if (buf_reserve(b, b->size == 0 ? PULL_ROOM : PULL_SIZE) == NULL)
		return err_memory(err);
	n = r->pull(r->arg, b->data + b->size, PULL_SIZE);
	if (n < 0)
		return err_system(err, errno, "read");
	b->size += (size_t)n;
	r->text = (struct prof_span){ b->data, b->size };
	stream_find_last_newline(r, b->size - (size_t)n);
	r->ended = n == 0;
	return PROF_OK;
}

/*
 * The next line without its newline, PROF_END if there are no more.  *whole is
 * false for a line that the input ended in.
 */
static enum prof_status
stream_next_line(struct stream_reader *r, struct prof_span *line, bool *whole,
    struct prof_error *err)
{
	size_t seen = 0;
	const uint8_t *start, *newline = NULL;

	for (;;) {
		size_t left = r->text.size - r->pos;

		if (left > seen) {
			start = r->text.data + r->pos + seen;
			newline = memchr(start, '\n', left - seen);
		}
		seen = left;
		if (newline != NULL || r->ended)
			break;
		if (stream_pull_more(r, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (newline == NULL && seen == 0)
		return PROF_END;
	line->data = r->text.data + r->pos;
	line->size = newline == NULL ? seen : (size_t)(newline - line->data);
	*whole = newline != NULL;
	r->pos += line->size + *whole;
	r->line++;
	return PROF_OK;
}

/* The input ends without the end record of its last profile. */
static enum prof_status
stream_err_cut(struct stream_reader *r, struct prof_error *err)
{
	context_break_rule(r->base.context, STREAM_RULE_LAST);
	return err_line(err, PROF_E_TRUNCATED, r->line, "%s", r->inside ?
	    "stream ended inside a profile" :
	    "stream ended before its last profile");
}

static enum prof_status
stream_end_of_input(struct stream_reader *r, struct prof_error *err)
{
	if (!r->any)
		return err_set(err, PROF_E_FORMAT, "empty: not a stream");
	return r->inside || !r->last ? stream_err_cut(r, err) : PROF_END;
}

/*
 * A line that is not JSON: the stream is cut if the line is the last one, is
 * not a stream if it is the first one, and is corrupt otherwise.
 */
static enum prof_status
stream_err_line(struct stream_reader *r, bool whole,
    const struct prof_error *why, struct prof_error *err)
{
	enum prof_code code = why->code;

	if (!whole && code == PROF_E_CORRUPT)
		return stream_err_cut(r, err);
	if (code == PROF_E_CORRUPT && !r->began)
		code = PROF_E_FORMAT;
	if (code == PROF_E_MEMORY)
		return err_memory(err);
	return err_line(err, code, r->line, "%s", why->reason);
}

static enum prof_status
stream_parse_line(struct stream_reader *r, struct prof_span line, bool whole,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_error why = { 0 };

	if (jdoc_load(&r->record.doc, line, r->line, &why) != PROF_OK)
		return stream_err_line(r, whole, &why, err);
	r->record.doc.err = err;
	return stream_parse(&r->record, line, out);
}

/* The rules on the order of records. */
static enum prof_status
stream_check_order(struct stream_reader *r, enum prof_record_kind kind,
    struct prof_error *err)
{
	bool head = kind == PROF_REC_PROFILE;

	if (!r->began && !head) {
		context_break_rule(r->base.context, STREAM_RULE_FIRST);
		return err_line(err, PROF_E_FORMAT, r->line,
		    "the stream does not begin with a profile record, which "
		    "filters have to keep");
	}
	if (r->inside == head) {
		context_break_rule(r->base.context, STREAM_RULE_ORDER);
		return err_line(err, PROF_E_CORRUPT, r->line, head ?
		    "a profile record before the end of the profile" :
		    "a record between an end and the next profile");
	}
	r->began = true;
	r->inside = kind != PROF_REC_END;
	r->last = kind == PROF_REC_END && r->record.last;
	return PROF_OK;
}

/* The whole lines that were pulled and not yet read. */
static struct prof_span
stream_whole_lines(const struct stream_reader *r)
{
	if (r->whole <= r->pos)
		return (struct prof_span){ NULL, 0 };
	return (struct prof_span){ r->text.data + r->pos, r->whole - r->pos };
}

/*
 * PROF_END if the next line must be read by itself.  A block that lacks lines
 * is read again from its start when they have been pulled, so the text is
 * pulled in growing steps.
 */
static enum prof_status
stream_next_block(struct stream_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = PROF_END;
	struct stream_consumed consumed = { .more = true };
	struct prof_span text;

	while (status == PROF_END && consumed.more) {
		text = stream_whole_lines(r);
		while (text.size < r->block_size && !r->ended &&
		    stream_blocks_may_begin(text)) {
			if (stream_pull_more(r, err) != PROF_OK)
				return PROF_FAIL;
			text = stream_whole_lines(r);
		}
		arena_reset(&r->record.arena);
		status = stream_blocks_next(&r->blocks, &r->record, text,
		    &out->u.block, &consumed);
		consumed.more = consumed.more && !r->ended;
		r->block_size =
		    consumed.more ? text.size * 2 + 1 : consumed.bytes;
	}
	if (status != PROF_OK)
		return status;
	out->kind = PROF_REC_BLOCK;
	out->u.block.reader = &r->base;
	r->pos += consumed.bytes;
	r->line += consumed.lines;
	return PROF_OK;
}

static const struct prof_function *
stream_block_functions(struct prof_reader *base, const struct prof_block *b,
    struct prof_error *err)
{
	struct stream_reader *r = (struct stream_reader *)base;

	return stream_blocks_functions(&r->blocks, &r->record.arena, b, err);
}

static void *
stream_block_retain(struct prof_reader *base)
{
	return stream_blocks_retain(&((struct stream_reader *)base)->blocks);
}

/* Tells the block reader where a profile begins and ends. */
static void
stream_note_profile(struct stream_reader *r, enum prof_record_kind kind)
{
	const struct prof_context *c = r->base.context;

	if (kind == PROF_REC_PROFILE && c != NULL && c->blocks &&
	    !r->no_scan && r->base.selected == NULL)
		stream_blocks_begin(&r->blocks);
	else if (kind == PROF_REC_END)
		stream_blocks_end(&r->blocks);
}

static enum prof_status
stream_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct stream_reader *r = (struct stream_reader *)base;
	enum prof_status status;
	struct prof_span line;
	bool whole;

	arena_reset(&r->record.arena);
	if (r->blocks.mode != STREAM_ALONE) {
		status = stream_next_block(r, out, err);
		if (status != PROF_END)
			return status;
	}
	do {
		status = stream_next_line(r, &line, &whole, err);
		if (status != PROF_OK)
			return status == PROF_END ? stream_end_of_input(r, err)
						  : status;
		line = json_text_trim(line);
	} while (line.size == 0);
	r->any = true;
	if ((!whole || r->no_scan || !stream_scan(&r->record, line, out)) &&
	    stream_parse_line(r, line, whole, out, err) != PROF_OK)
		return PROF_FAIL;
	r->base.line = r->line;
	stream_note_profile(r, out->kind);
	return stream_check_order(r, out->kind, err);
}

static void
stream_close(struct prof_reader *base)
{
	struct stream_reader *r = (struct stream_reader *)base;

	stream_record_free(&r->record);
	stream_blocks_leave(&r->blocks, r->base.context);
	buf_free(&r->pulled);
}

static const struct reader_ops stream_reader_ops = {
	.size = sizeof(struct stream_reader),
	.next = stream_next,
	.functions = stream_block_functions,
	.retain = stream_block_retain,
	.close = stream_close,
};

static struct stream_reader *
stream_reader_new(struct prof_context *context, struct prof_error *err)
{
	struct stream_reader *r = codec_reader_new(&stream_reader_ops, context,
	    err);

	if (r == NULL)
		return NULL;
	r->record.context = context;
	stream_blocks_take(&r->blocks, context);
	return r;
}

struct prof_reader *
stream_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct stream_reader *r = stream_reader_new(context, err);

	if (r == NULL)
		return NULL;
	r->text = image;
	stream_find_last_newline(r, 0);
	r->ended = true;
	return &r->base;
}

struct prof_reader *
stream_open_pull(struct prof_context *context, prof_pull *pull, void *arg,
    struct prof_error *err)
{
	struct stream_reader *r = stream_reader_new(context, err);

	if (r == NULL)
		return NULL;
	r->pull = pull;
	r->arg = arg;
	return &r->base;
}

void
stream_no_scan(struct prof_reader *base)
{
	((struct stream_reader *)base)->no_scan = true;
}
