#include "format/stream/block.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/lru_cache.h"
#include "base/swar.h"
#include "base/vector_add.h"
#include "format/stream/function.h"

/* Bytes of symbols that are stored at most. */
#define SYMBOLS_MAX ((size_t)1 << 28)

/* The symbols of stored heads, which consumers may retain. */
struct stream_symbols {
	struct lru_entry entry;
	struct arena arena;
};

static size_t
stream_symbols_size(const void *entry)
{
	return arena_size(&((const struct stream_symbols *)entry)->arena);
}

static void
stream_symbols_free(void *entry)
{
	arena_free(&((struct stream_symbols *)entry)->arena);
	free(entry);
}

static struct stream_symbols *
stream_symbols_new(void)
{
	static const struct lru_entry_ops ops = { NULL, stream_symbols_size,
		stream_symbols_free };
	struct stream_symbols *s = calloc(1, sizeof(*s));

	if (s != NULL)
		s->entry = (struct lru_entry){ &ops, 1 };
	return s;
}

void *
stream_blocks_retain(struct stream_blocks *s)
{
	lru_cache_retain(s->symbols);
	return s->symbols;
}

static void
stream_blocks_clear(struct stream_blocks *s)
{
	lru_cache_release(s->symbols);
	s->symbols = NULL;
	s->lines_size = s->lone = 0;
	s->layout.size = s->layout.number = 0;
}

/* Stored blocks survive two profiles of other programs in a row. */
void
stream_blocks_begin(struct stream_blocks *s)
{
	s->next = s->strays = 0;
	s->miss = false;
	s->mode = STREAM_EXPECT;
	if (s->layout.number != 0 && s->missed < 2)
		return;
	stream_blocks_clear(s);
	s->missed = 0;
	s->symbols = stream_symbols_new();
	s->layout.number = program_layout_number();
	s->mode = s->symbols == NULL ? STREAM_ALONE : STREAM_STORE;
}

void
stream_blocks_end(struct stream_blocks *s)
{
	s->missed = s->miss ? s->missed + 1 : 0;
	s->mode = STREAM_ALONE;
}

/* Out of memory, or at a limit: the lines are read one by one.  PROF_END. */
static enum prof_status
stream_blocks_stop(struct stream_blocks *s)
{
	stream_batch_free(&s->batch);
	stream_blocks_clear(s);
	s->mode = STREAM_ALONE;
	return PROF_END;
}

/* Adds the heads of the batch to those that are stored, with their symbols. */
static bool
stream_blocks_store_heads(struct stream_blocks *s)
{
	struct arena *a = &s->symbols->arena;
	const size_t n = s->batch.heads.size / sizeof(*s->lines);
	struct stream_head *line;
	size_t size = 0;
	uint8_t *p;

	if (!ARRAY_RESERVE(s->lines, s->lines_size, n, s->lines_room))
		return false;
	line = s->lines + s->lines_size;
	memcpy(line, s->batch.heads.data, n * sizeof(*line));
	for (size_t i = 0; i < n; i++)
		size += line[i].symbol_size;
	p = arena_size(a) + size > SYMBOLS_MAX ? NULL : arena_alloc(a, size);
	for (size_t i = 0; i < n && p != NULL; i++) {
		memcpy(p, line[i].symbol, line[i].symbol_size);
		line[i].symbol = p;
		p += line[i].symbol_size;
	}
	if (p != NULL)
		s->lines_size += n;
	return p != NULL;
}

/* Makes the batch the block `index`. */
static void
stream_blocks_fill(const struct stream_blocks *s, size_t index,
    struct prof_block *out)
{
	const struct stream_batch *b = &s->batch;
	const uint64_t *counts = (const void *)b->counts.data;
	size_t n = b->values.size / sizeof(*out->values);

	*out = program_block(&s->layout, index, counts);
	out->values = n == 0 ? NULL : (const void *)b->values.data;
	out->values_size = n;
	out->lends_targets = true;
	out->any_bits = vector_any_bits(counts,
	    b->counts.size / sizeof(*counts));
}

/* Makes the batch a new block, which is stored.  False: out of memory. */
static bool
stream_blocks_take_new(struct stream_blocks *s, size_t lines,
    struct prof_block *out)
{
	struct program_block *block = program_add_block(&s->layout, 0);

	if (block == NULL || !stream_blocks_store_heads(s))
		return false;
	s->fresh = true;
	block->size = lines;
	block->counts_size = s->batch.counts.size / sizeof(uint64_t);
	stream_blocks_fill(s, s->layout.size - 1, out);
	return true;
}

static enum prof_status
stream_blocks_read_new(struct stream_blocks *s, struct stream_record *r,
    struct prof_span text, struct prof_block *out,
    struct stream_consumed *consumed)
{
	struct stream_part part;

	if (!stream_batch_read_new(&s->batch, r, text, &part))
		return stream_blocks_stop(s);
	consumed->more = part.bytes == text.size && part.lines < STREAM_BLOCK;
	s->lone += part.lines == 0;
	if (part.lines == 0 ||
	    (consumed->more && text.size < STREAM_BLOCK_TEXT))
		return PROF_END;
	consumed->part = part;
	return stream_batch_set_targets(&s->batch, r) &&
	    stream_blocks_take_new(s, part.lines, out) ? PROF_OK :
	    stream_blocks_stop(s);
}

/* The heads of the lines of a stored block. */
static const struct stream_head *
stream_blocks_heads(const struct stream_blocks *s, size_t index)
{
	return &s->lines[s->layout.blocks[index].first];
}

static enum prof_status
stream_blocks_expect(struct stream_blocks *s, struct stream_record *r,
    struct prof_span text, struct prof_block *out,
    struct stream_consumed *consumed)
{
	const struct program_block *block;
	struct stream_part part;

	if (s->next == s->layout.size)
		return PROF_END;
	block = &s->layout.blocks[s->next];
	if (!stream_batch_expect(&s->batch, stream_blocks_heads(s, s->next),
	    block, r, text, &part))
		return stream_blocks_stop(s);
	consumed->more = part.lines < block->size && part.bytes >= text.size &&
	    text.size < STREAM_BLOCK_TEXT;
	if (part.lines == block->size) {
		if (!stream_batch_set_targets(&s->batch, r))
			return stream_blocks_stop(s);
		consumed->part = part;
		s->fresh = false;
		stream_blocks_fill(s, s->next++, out);
		return PROF_OK;
	}
	/* The line may be one that stood between blocks before. */
	if (consumed->more ||
	    (part.lines == 0 && s->strays++ < s->lone))
		return PROF_END;
	s->miss = true;
	s->mode = STREAM_ALONE;
	return PROF_END;
}

/* Whether the bytes up to the end begin as a line of a function. */
static bool
stream_is_function(const uint8_t *p, const uint8_t *end)
{
	return (size_t)(end - p) >= STREAM_SIZE(STREAM_FUNCTION) &&
	    swar_same(p, STREAM_FUNCTION, STREAM_SIZE(STREAM_FUNCTION));
}

/* Whether the text is too short for stream_is_function to tell. */
static bool
stream_is_short(struct prof_span text)
{
	return text.size <= STREAM_SIZE(STREAM_FUNCTION);
}

bool
stream_blocks_may_begin(struct prof_span text)
{
	return stream_is_short(text) ||
	    stream_is_function(text.data, text.data + text.size);
}

enum prof_status
stream_blocks_next(struct stream_blocks *s, struct stream_record *r,
    struct prof_span text, struct prof_block *out,
    struct stream_consumed *consumed)
{
	enum prof_status status;

	consumed->more = stream_is_short(text);
	if (consumed->more || !stream_blocks_may_begin(text))
		return PROF_END;
	stream_batch_reset(&s->batch);
	r->guids_later = true;
	status = s->mode == STREAM_STORE ?
	    stream_blocks_read_new(s, r, text, out, consumed) :
	    stream_blocks_expect(s, r, text, out, consumed);
	r->guids_later = false;
	return status;
}

static void
stream_blocks_get_head(const struct stream_head *line, struct prof_function *f)
{
	struct prof_span symbol = { line->symbol, line->symbol_size };

	*f = (struct prof_function){ .counts_size = line->counts };
	if (line->named)
		f->symbol.name = symbol;
	else
		json_text_get_id(symbol, &f->symbol.guid);
	json_text_get_id((struct prof_span){ line->hash, sizeof(line->hash) },
	    &f->hash);
}

const struct prof_function *
stream_blocks_functions(struct stream_blocks *s, struct arena *a,
    const struct prof_block *b, struct prof_error *err)
{
	const struct program_block *from = &s->layout.blocks[b->index];
	const struct stream_head *line = &s->lines[from->first];
	struct prof_function *f = program_new_functions(b, a, err);
	uint64_t guids[STREAM_BLOCK];

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < b->size; i++)
		stream_blocks_get_head(&line[i], &f[i]);
	if (s->fresh)
		stream_head_guids(line, b->size, guids);
	for (size_t i = 0; s->fresh && i < b->size; i++)
		f[i].symbol.guid = guids[i];
	return program_set_functions(b, f);
}

static void
stream_blocks_free(struct stream_blocks *s)
{
	lru_cache_release(s->symbols);
	stream_batch_free(&s->batch);
	free(s->lines);
	free(s->layout.blocks);
}

void
stream_blocks_take(struct stream_blocks *s, struct prof_context *c)
{
	if (c == NULL || c->stream == NULL)
		return;
	*s = *c->stream;
	free(c->stream);
	c->stream = NULL;
}

void
stream_blocks_leave(struct stream_blocks *s, struct prof_context *c)
{
	/* A profile that did not end has stored some of its heads only. */
	bool whole = s->mode == STREAM_ALONE && s->layout.size != 0;
	struct stream_blocks *left = whole && c != NULL && c->stream == NULL ?
	    malloc(sizeof(*left)) : NULL;

	if (left == NULL) {
		stream_blocks_free(s);
		return;
	}
	*left = *s;
	c->stream = left;
}

void
stream_blocks_forget(struct prof_context *c)
{
	if (c->stream == NULL)
		return;
	stream_blocks_free(c->stream);
	free(c->stream);
	c->stream = NULL;
}
