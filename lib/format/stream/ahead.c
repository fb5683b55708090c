#include "format/stream/ahead.h"

#include <stdlib.h>

#include "base/error.h"
#include "format/codec.h"

/* Pieces at work; blocks of one at most. */
enum { PIECES = 3, PIECE_BLOCKS = 32 };

struct stream_piece {
	struct helper_task task;
	const struct stream_blocks *blocks;
	bool fresh;			/* its blocks are new */
	size_t index;			/* of the first block, if not */
	struct buf memory;		/* of the text, unless of an image */
	struct prof_span text;
	struct stream_part parts[PIECE_BLOCKS];
	size_t size;			/* parts that were cut */
	size_t read;			/* of them, as they were expected */
	size_t returned;		/* of those, to the caller */
	size_t bytes;			/* of the parts returned */
	bool failed;			/* out of memory */
	struct stream_record record;
	struct stream_batch batch;
};

static struct helpers *
ahead_helpers(const struct stream_ahead *a)
{
	return a->context == NULL ? NULL : a->context->helpers;
}

static struct stream_piece *
ahead_piece(const struct stream_ahead *a, size_t i)
{
	return &a->pieces[(a->first + i) % PIECES];
}

void
stream_ahead_begin(struct stream_ahead *a)
{
	a->closed = false;
}

/* The run of a task: reads the blocks of a piece. */
static void
piece_read(struct helper_task *task, void *context)
{
	struct stream_piece *p = (struct stream_piece *)task;
	struct prof_span text = p->text;
	bool fits = true;

	p->record.context = context;
	while (p->read < p->size && fits && !p->failed) {
		struct stream_part *part = &p->parts[p->read];
		size_t lines = part->lines, index = p->index + p->read;

		text.size = part->bytes;
		p->failed = !(p->fresh ?
		    stream_batch_read_new(&p->batch, &p->record, text, part) :
		    stream_batch_expect(&p->batch,
		    stream_blocks_heads(p->blocks, index),
		    &p->blocks->layout.blocks[index], &p->record, text,
		    part));
		fits = part->lines == lines;
		text.data += text.size;
		p->read += fits;
	}
	if (p->fresh)
		stream_batch_set_guids(&p->batch);
	p->failed = p->failed ||
	    !stream_batch_set_targets(&p->batch, &p->record);
}

/* The number of the block that comes after all pieces at work. */
static size_t
ahead_index(const struct stream_ahead *a)
{
	const struct stream_piece *last;

	if (a->size == 0)
		return a->blocks->next;
	last = ahead_piece(a, a->size - 1);
	return last->index + last->size;
}

/*
 * Sets the lines and bytes of the block `index`, at p.  False if the text has
 * not all of its lines.
 */
static bool
ahead_cut_block(const struct stream_ahead *a, size_t index, const uint8_t *p,
    const uint8_t *end, struct stream_part *out)
{
	const struct program_layout *known = &a->blocks->layout;
	bool fresh = a->blocks->mode == STREAM_STORE, full = false;
	const uint8_t *start = p;
	size_t most = fresh ? STREAM_BLOCK :
	    index < known->size ? known->blocks[index].size : 0, n = 0;

	while (n < most && !full && stream_is_function(p, end)) {
		p = (const uint8_t *)memchr(p, '\n', (size_t)(end - p)) + 1;
		n++;
		full = fresh && p - start >= STREAM_BLOCK_TEXT;
	}
	out->lines = n;
	out->bytes = (size_t)(p - start);
	return n != 0 && (n == most || full ||
	    (fresh && (p != end || a->text->ended)));
}

/* Cuts blocks from the start of the text.  Their bytes, or 0. */
static size_t
ahead_cut(const struct stream_ahead *a, struct stream_piece *p)
{
	struct prof_span text = stream_text_lines(a->text);
	const uint8_t *at = text.data, *end;
	size_t bytes = 0;

	p->index = ahead_index(a);
	p->size = p->read = p->returned = p->bytes = 0;
	if (text.size == 0)
		return 0;
	end = text.data + text.size;
	while (p->size < PIECE_BLOCKS && ahead_cut_block(a,
	    p->index + p->size, at, end, &p->parts[p->size])) {
		at += p->parts[p->size].bytes;
		bytes += p->parts[p->size].bytes;
		p->size++;
	}
	return bytes;
}

/*
 * Offers one more piece.  False if there is none.  A small piece costs more
 * than it saves, as all text behind it is moved: the reader reads it by itself,
 * and the rest of the profile.
 */
static bool
ahead_offer(struct stream_ahead *a)
{
	struct stream_piece *p = ahead_piece(a, a->size);
	size_t bytes = ahead_cut(a, p);

	if (bytes == 0)
		return false;
	a->closed = bytes < a->piece / 2 ||
	    !stream_text_take(a->text, bytes, &p->memory, &p->text);
	if (a->closed)
		return false;
	p->task.run = piece_read;
	p->blocks = a->blocks;
	p->fresh = a->blocks->mode == STREAM_STORE;
	p->failed = false;
	p->record.guids_later = true;
	arena_reset(&p->record.arena);
	stream_batch_reset(&p->batch);
	helpers_offer(ahead_helpers(a), &p->task);
	a->size++;
	return true;
}

/*
 * Offers as many pieces as there may be.  A pull that fails is left to the
 * reader, which repeats it once it has returned what comes before.
 */
static void
ahead_fill(struct stream_ahead *a)
{
	struct stream_text *t = a->text;
	struct prof_error unused = { 0 };

	while (a->size < PIECES && !a->closed) {
		while (stream_text_lines(t).size < a->piece && !t->ended &&
		    !a->closed)
			a->closed = stream_text_pull(t, &unused) != PROF_OK;
		if (a->closed || !ahead_offer(a))
			return;
	}
}

/*
 * Gives all text of pieces back that was not returned in blocks; if memory is
 * out, no more blocks are made of it.
 */
static enum prof_status
ahead_stop(struct stream_ahead *a, bool out_of_memory, struct prof_error *err)
{
	struct prof_span text[PIECES];
	size_t n = a->size;

	for (size_t i = 0; i < n; i++) {
		struct stream_piece *p = ahead_piece(a, i);

		helpers_cancel(ahead_helpers(a), &p->task);
		text[i] = (struct prof_span){ p->text.data + p->bytes,
		    p->text.size - p->bytes };
	}
	a->size = 0;
	a->ready = false;
	a->closed = true;
	/* Helpers that read pieces have used the blocks up to here. */
	if (out_of_memory)
		stream_blocks_stop(a->blocks);
	return stream_text_return(a->text, text, n, err) == PROF_OK ?
	    PROF_END : PROF_FAIL;
}

static enum prof_status
ahead_return_block(struct stream_ahead *a, struct stream_piece *p,
    struct prof_block *out, size_t *lines, struct prof_error *err)
{
	const struct stream_part *part = &p->parts[p->returned];

	if (!p->fresh)
		stream_blocks_take_expected(a->blocks, &p->batch, part, out);
	else if (!stream_blocks_take_new(a->blocks, &p->batch, part, out))
		return ahead_stop(a, true, err);
	*lines = part->lines;
	p->bytes += part->bytes;
	p->returned++;
	return PROF_OK;
}

/* Whether blocks of this profile may be read by helpers from here on. */
static bool
ahead_may_start(struct stream_ahead *a)
{
	if (a->closed || a->blocks->mode == STREAM_ALONE ||
	    !helpers_serve_now(ahead_helpers(a)))
		return false;
	if (a->pieces == NULL)
		a->pieces = calloc(PIECES, sizeof(*a->pieces));
	a->closed = a->pieces == NULL;
	return !a->closed;
}

enum prof_status
stream_ahead_next(struct stream_ahead *a, struct prof_block *out,
    size_t *lines, struct prof_error *err)
{
	if (a->size == 0 && !ahead_may_start(a))
		return PROF_END;
	for (;;) {
		struct stream_piece *p = ahead_piece(a, 0);

		if (a->ready && !p->failed && p->returned < p->read)
			return ahead_return_block(a, p, out, lines, err);
		if (a->ready && (p->failed || p->read < p->size))
			return ahead_stop(a, p->failed, err);
		if (a->ready) {
			a->first = (a->first + 1) % PIECES;
			a->size--;
			a->ready = false;
		}
		ahead_fill(a);
		if (a->size == 0)
			return PROF_END;
		p = ahead_piece(a, 0);
		helpers_finish(ahead_helpers(a), &p->task, a->context);
		a->ready = true;
	}
}

void
stream_ahead_free(struct stream_ahead *a)
{
	for (size_t i = 0; i < a->size; i++)
		helpers_cancel(ahead_helpers(a), &ahead_piece(a, i)->task);
	for (size_t i = 0; a->pieces != NULL && i < PIECES; i++) {
		buf_free(&a->pieces[i].memory);
		stream_record_free(&a->pieces[i].record);
		stream_batch_free(&a->pieces[i].batch);
	}
	free(a->pieces);
}
