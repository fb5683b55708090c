/*
 * The reader of streams.  Of a stream that is pulled, only the current line and
 * the bytes pulled behind it are in memory.
 */
#include "base/error.h"
#include "base/json_text.h"
#include "bundle/manifest.h"
#include "format/stream/stream.h"
#include "format/stream/block.h"
#include "format/stream/text.h"

struct stream_reader {
	struct prof_reader base;
	struct stream_text text;
	uint64_t line;			/* lines begun */
	bool any;			/* a line that is not blank was read */
	bool began;			/* a profile was read */
	bool inside;			/* it has not ended */
	bool last;			/* it has, and is said to be the last */
	bool no_scan;
	struct stream_record record;
	struct stream_numbers numbers;
	struct stream_blocks blocks;
	size_t block_size;		/* of the last one, in the text */
};

bool
stream_sniff(struct prof_span s)
{
	return json_text_begins_object(s) && !manifest_sniff(s);
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

/*
 * The next block, or PROF_END if the next line must be read by itself.  A block
 * that lacks lines is read again from its start when they have been pulled, so
 * the text is pulled in growing steps.
 */
static enum prof_status
stream_next_block(struct stream_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = PROF_END;
	struct stream_consumed consumed = { .more = true };
	struct prof_span text;

	while (status == PROF_END && consumed.more) {
		text = stream_text_lines(&r->text);
		while (text.size < r->block_size && !r->text.ended &&
		    stream_blocks_may_begin(text)) {
			if (stream_text_pull(&r->text, err) != PROF_OK)
				return PROF_FAIL;
			text = stream_text_lines(&r->text);
		}
		arena_reset(&r->record.arena);
		status = stream_blocks_next(&r->blocks, &r->record, text,
		    &out->u.block, &consumed);
		consumed.more = consumed.more && !r->text.ended;
		r->block_size =
		    consumed.more ? text.size * 2 + 1 : consumed.part.bytes;
	}
	if (status != PROF_OK)
		return status;
	r->text.pos += consumed.part.bytes;
	r->line += consumed.part.lines;
	out->kind = PROF_REC_BLOCK;
	out->u.block.reader = &r->base;
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
	    !r->no_scan && r->base.selected == NULL) {
		stream_blocks_begin(&r->blocks);
	} else if (kind == PROF_REC_END) {
		stream_blocks_end(&r->blocks);
	}
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
		status = stream_text_next(&r->text, &line, &whole, err);
		if (status != PROF_OK)
			return status == PROF_END ? stream_end_of_input(r, err)
						  : status;
		r->line++;
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
	stream_numbers_free(&r->numbers);
	stream_blocks_leave(&r->blocks, r->base.context);
	stream_text_free(&r->text);
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
	if (context != NULL && context->frame_numbers)
		r->record.numbers = &r->numbers;
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
	stream_text_set_image(&r->text, image);
	return &r->base;
}

struct prof_reader *
stream_open_pull(struct prof_context *context, prof_pull *pull, void *arg,
    struct prof_error *err)
{
	struct stream_reader *r = stream_reader_new(context, err);

	if (r == NULL)
		return NULL;
	r->text.pull = pull;
	r->text.arg = arg;
	return &r->base;
}

void
stream_no_scan(struct prof_reader *base)
{
	((struct stream_reader *)base)->no_scan = true;
}
