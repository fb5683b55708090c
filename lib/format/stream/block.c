#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/lru_cache.h"
#include "base/md5.h"
#include "base/number_row.h"
#include "base/vector_add.h"
#include "model/value_sites.h"
#include "format/stream/block.h"
#include "format/stream/stream.h"

/* As long as STREAM_BEFORE_NAME. */
#define BEFORE_GUID	STREAM_FUNCTION "\"guid\":\""

/* Whether the constant text is at p. */
#define STANDS_AT(p, text)	swar_same(p, text, STREAM_SIZE(text))

static void
stream_batch_free(struct stream_batch *b)
{
	buf_free(&b->counts);
	buf_free(&b->values);
	buf_free(&b->targets);
	buf_free(&b->names);
	buf_free(&b->heads);
}

/* Sets the guids of all targets.  False: out of memory. */
static bool
stream_batch_set_targets(struct stream_batch *b, struct stream_record *r)
{
	size_t n = b->targets.size / sizeof(struct prof_value *);
	struct prof_value **values = (void *)b->targets.data;
	uint64_t *guids = arena_array(&r->arena, n, sizeof(*guids));

	if (guids == NULL || b->targets.failed || b->names.failed)
		return false;
	guid_cache_many(&r->context->guids, (const void *)b->names.data, n,
	    guids);
	for (size_t i = 0; i < n; i++)
		values[i]->value = guids[i];
	return true;
}

/* Copies the values, which the scanner reuses for the next line. */
static bool
stream_batch_keep_values(struct stream_batch *b, struct stream_record *r,
    size_t function, const struct prof_sites values[PROF_VALUE_KINDS])
{
	struct prof_block_values kept = { .function = function };
	struct prof_site *site = arena_alloc(&r->arena, r->sites.size);
	struct prof_value *value = arena_alloc(&r->arena, r->values.size);

	kept.any = r->values.size != 0;
	if (site == NULL || value == NULL)
		return false;
	if (kept.any)
		memcpy(value, r->values.data, r->values.size);
	for (size_t i = 0; i < r->values.size / sizeof(*value); i++) {
		struct prof_value *target = &value[i];

		if (target->name.data == NULL)
			continue;
		buf_put(&b->targets, &target, sizeof(struct prof_value *));
		buf_put(&b->names, &target->name, sizeof(target->name));
	}
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = values[k].size;

		kept.values[k] = (struct prof_sites){ site, n };
		for (size_t i = 0; i < n; i++, site++) {
			*site = (struct prof_site){ value,
			    values[k].sites[i].size };
			value += site->size;
		}
	}
	buf_put(&b->values, &kept, sizeof(kept));
	return !b->values.failed;
}

static bool
stream_fits_u32(size_t n)
{
	return (uint32_t)n == n;
}

/* Blocks have no bitmaps, uniform counts or unknown keys. */
static bool
stream_fits_block(const struct prof_record *r)
{
	const struct prof_function *f = &r->u.function;

	return r->kind == PROF_REC_FUNCTION && f->bitmap.size == 0 &&
	    f->uniform_size == 0 && stream_fits_u32(f->symbol.name.size) &&
	    stream_fits_u32(f->counts_size) &&
	    stream_fits_u32(value_sites_count(f->values));
}

/* The symbol stays in the text until the block is stored. */
static bool
stream_batch_add_line(struct stream_batch *b, struct stream_record *r,
    const uint8_t *line, size_t function, const struct prof_function *f)
{
	struct stream_head head = {
	    .symbol = line + STREAM_SIZE(STREAM_BEFORE_NAME),
	    .symbol_size = JSON_TEXT_ID_SIZE,
	    .counts = (uint32_t)f->counts_size,
	    .named = f->symbol.name.data != NULL };

	if (head.named)
		head.symbol_size = (uint32_t)f->symbol.name.size;
	memcpy(head.hash, head.symbol + head.symbol_size +
	    STREAM_SIZE(STREAM_BEHIND_NAME), sizeof(head.hash));
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		head.sites[k] = (uint32_t)f->values[k].size;
	buf_put(&b->heads, &head, sizeof(head));
	buf_put(&b->counts, f->counts, f->counts_size * sizeof(*f->counts));
	return !b->heads.failed && !b->counts.failed &&
	    (value_sites_count(f->values) == 0 ||
	    stream_batch_keep_values(b, r, function, f->values));
}

/*
 * Reads at most STREAM_BLOCK lines of a new block into an empty batch; the text
 * ends with a newline.  The part has those that were read: a line that does not
 * fit a block is not among them.  False: out of memory.
 */
static bool
stream_batch_read_new(struct stream_batch *b, struct stream_record *r,
    struct prof_span text, struct stream_part *part)
{
	const uint8_t *p = text.data, *end = text.data + text.size;
	struct prof_record record;
	size_t n = 0;

	/* Blocks without counters have an address all the same. */
	if (buf_reserve(&b->counts, 1) == NULL)
		return false;
	for (; n < STREAM_BLOCK && p != end; n++) {
		const uint8_t *newline = memchr(p, '\n', (size_t)(end - p));

		if (!scan_line(r,
		    (struct prof_span){ p, (size_t)(newline - p) }, end,
		    &record) ||
		    !stream_fits_block(&record))
			break;
		if (!stream_batch_add_line(b, r, p, n, &record.u.function))
			return false;
		p = newline + 1;
	}
	*part = (struct stream_part){ n, (size_t)(p - text.data) };
	return true;
}

/*
 * The guids of at most STREAM_BLOCK symbols, by which functions of a new block
 * are looked up.  Digests of names are computed all at once.
 */
static void
stream_head_guids(const struct stream_head *line, size_t n, uint64_t *guids)
{
	struct prof_span names[STREAM_BLOCK] = { { NULL, 0 } };
	uint64_t digests[STREAM_BLOCK];
	size_t named = 0, next = 0;

	for (size_t i = 0; i < n; i++) {
		struct prof_span symbol = { line[i].symbol,
		    line[i].symbol_size };

		if (line[i].named)
			names[named++] = symbol;
		else
			json_text_get_id(symbol, &guids[i]);
	}
	md5_u64_many(names, named, digests);
	for (size_t i = 0; i < n; i++) {
		if (line[i].named)
			guids[i] = digests[next++];
	}
}

static bool
stream_batch_skip_head(struct scan *scan, const struct stream_head *line)
{
	const uint8_t *p = scan->p;
	size_t size = line->symbol_size;

	if ((size_t)(scan->end - p) < size + STREAM_AROUND_NAME ||
	    !(line->named ? STANDS_AT(p, STREAM_BEFORE_NAME) :
	    STANDS_AT(p, BEFORE_GUID)))
		return false;
	p += STREAM_SIZE(STREAM_BEFORE_NAME);
	if (memcmp(p, line->symbol, size) != 0 ||
	    !STANDS_AT(p + size, STREAM_BEHIND_NAME))
		return false;
	p += size + STREAM_SIZE(STREAM_BEHIND_NAME);
	scan->p += size + STREAM_AROUND_NAME;
	return swar_same(p, (const char *)line->hash, sizeof(line->hash)) &&
	    STANDS_AT(p + sizeof(line->hash), STREAM_BEHIND_HASH);
}

/* Reads the rest of an expected line, behind its head. */
static bool
stream_batch_expect_rest(struct stream_batch *b, struct scan *scan,
    const struct stream_head *line, size_t function, uint64_t *counts)
{
	struct prof_sites values[PROF_VALUE_KINDS] = { { NULL, 0 } };
	bool any = false, fit = true;

	if (!scan_counts(scan, counts, line->counts))
		return false;
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		any = any || line->sites[k] != 0;
	if (any && (!SKIP(scan, ",\"values\":{") ||
	    !scan_values(scan, values)))
		return false;
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		fit = fit && values[k].size == line->sites[k];
	return fit && SKIP(scan, "}") && *scan->p++ == '\n' && (!any ||
	    stream_batch_keep_values(b, scan->record, function, values));
}

/* Reads the lines of a stored block, as long as their heads are the stored. */
static bool
stream_batch_expect(struct stream_batch *b, const struct stream_head *line,
    const struct program_block *block, struct stream_record *r,
    struct prof_span text, struct stream_part *part)
{
	const uint8_t *end = text.data + text.size;
	struct scan scan = { text.data, end - 1, end, r };
	uint64_t *counts;
	size_t n = 0;

	if (buf_reserve(&b->counts, (block->counts_size + NUMBER_ROW_SLACK) *
	    sizeof(uint64_t)) == NULL)
		return false;
	counts = (void *)(b->counts.data + b->counts.size);
	for (; n < block->size && scan.p < scan.end; n++, line++) {
		stream_prefetch_text(line->symbol);
		if (!stream_batch_skip_head(&scan, line) ||
		    !stream_batch_expect_rest(b, &scan, line, n, counts))
			break;
		counts += line->counts;
	}
	if (n == block->size)
		b->counts.size += block->counts_size * sizeof(uint64_t);
	*part = (struct stream_part){ n, (size_t)(scan.p - text.data) };
	return true;
}

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

/* Makes the lines that come next a new block, which is stored. */
static enum prof_status
stream_blocks_read_new(struct stream_blocks *s, struct stream_record *r,
    struct prof_span text, struct prof_block *out,
    struct stream_consumed *consumed)
{
	struct program_block *block;
	struct stream_part part;

	if (!stream_batch_read_new(&s->batch, r, text, &part))
		return stream_blocks_stop(s);
	consumed->more = part.bytes == text.size && part.lines < STREAM_BLOCK;
	s->lone += part.lines == 0;
	if (part.lines == 0 ||
	    (consumed->more && text.size < STREAM_BLOCK_TEXT))
		return PROF_END;
	consumed->part = part;
	if (!stream_batch_set_targets(&s->batch, r))
		return stream_blocks_stop(s);
	block = program_add_block(&s->layout, 0);
	if (block == NULL || !stream_blocks_store_heads(s))
		return stream_blocks_stop(s);
	s->fresh = true;
	block->size = part.lines;
	block->counts_size = s->batch.counts.size / sizeof(uint64_t);
	stream_blocks_fill(s, s->layout.size - 1, out);
	return PROF_OK;
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
	if (!stream_batch_expect(&s->batch, &s->lines[block->first], block, r,
	    text, &part))
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
	s->batch.counts.size = s->batch.values.size = 0;
	s->batch.heads.size = 0;
	s->batch.targets.size = s->batch.names.size = 0;
	r->guids_later = true;
	status = s->mode == STREAM_STORE ?
	    stream_blocks_read_new(s, r, text, out, consumed) :
	    stream_blocks_expect(s, r, text, out, consumed);
	r->guids_later = false;
	return status;
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
	for (size_t i = 0; i < b->size; i++) {
		struct prof_span symbol = { line[i].symbol,
		    line[i].symbol_size };

		f[i] = (struct prof_function){ .counts_size = line[i].counts };
		if (line[i].named)
			f[i].symbol.name = symbol;
		else
			json_text_get_id(symbol, &f[i].symbol.guid);
		json_text_get_id((struct prof_span){ line[i].hash,
		    sizeof(line[i].hash) }, &f[i].hash);
	}
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
