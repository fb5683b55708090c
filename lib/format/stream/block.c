#include "format/stream/block.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/vector_add.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/lru_cache.h"
#include "base/md5.h"
#include "base/number_row.h"
#include "format/stream/function.h"
#include "format/stream/scan.h"
#include "model/value_sites.h"

/* Functions of a block, and bytes of symbols that are stored at most. */
enum { BLOCK = 256 };
#define SYMBOLS_MAX ((size_t)1 << 28)

/* As long as STREAM_BEFORE_NAME. */
#define BEFORE_GUID	"{\"record\":\"function\",\"guid\":\""

/*
 * The head of a line, all before the counters, and the sizes of what follows.
 * Without a name, the symbol is the text of the guid.
 */
struct stream_head {
	const uint8_t *symbol;
	uint32_t symbol_size;
	uint32_t counts, sites[PROF_VALUE_KINDS];
	uint8_t hash[JSON_TEXT_ID_SIZE];
	bool named;
};

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

static void
stream_blocks_free_values(struct stream_blocks *s)
{
	buf_free(&s->counts);
	buf_free(&s->values);
	buf_free(&s->targets);
	buf_free(&s->names);
}

/* Out of memory, or at a limit: the lines are read one by one. */
static enum prof_status
stream_blocks_stop(struct stream_blocks *s)
{
	stream_blocks_free_values(s);
	stream_blocks_clear(s);
	s->mode = STREAM_ALONE;
	return PROF_END;
}

static void
stream_blocks_note_targets(struct stream_blocks *s, struct prof_value *values,
    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct prof_value *value = &values[i];

		if (value->name.data == NULL)
			continue;
		buf_put(&s->targets, &value, sizeof(struct prof_value *));
		buf_put(&s->names, &value->name, sizeof(value->name));
	}
}

/* Sets the guids of the targets of a block.  False if out of memory. */
static bool
stream_blocks_set_targets(struct stream_blocks *s, struct stream_record *r)
{
	size_t n = s->targets.size / sizeof(struct prof_value *);
	struct prof_value **values = (void *)s->targets.data;
	uint64_t *guids = arena_array(&r->arena, n, sizeof(*guids));

	if (guids == NULL || s->targets.failed || s->names.failed)
		return false;
	guid_cache_many(&r->context->guids, (const void *)s->names.data, n,
	    guids);
	for (size_t i = 0; i < n; i++)
		values[i]->value = guids[i];
	return true;
}

/* Copies the values, which the scanner reuses for the next line. */
static bool
stream_blocks_keep_values(struct stream_blocks *s, struct stream_record *r,
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
	stream_blocks_note_targets(s, value, r->values.size / sizeof(*value));
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = values[k].size;

		kept.values[k] = (struct prof_sites){ site, n };
		for (size_t i = 0; i < n; i++, site++) {
			*site = (struct prof_site){ value,
			    values[k].sites[i].size };
			value += site->size;
		}
	}
	buf_put(&s->values, &kept, sizeof(kept));
	return !s->values.failed;
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

/* The symbol stays in the text until stream_blocks_store. */
static bool
stream_blocks_store_line(struct stream_blocks *s, struct stream_record *r,
    const uint8_t *line, size_t function, const struct prof_function *f)
{
	struct stream_head *head;

	if (!ARRAY_ROOM(s->lines, s->lines_size, s->lines_room))
		return false;
	head = &s->lines[s->lines_size++];
	*head = (struct stream_head){
	    .symbol = line + STREAM_SIZE(STREAM_BEFORE_NAME),
	    .symbol_size = JSON_TEXT_ID_SIZE,
	    .counts = (uint32_t)f->counts_size,
	    .named = f->symbol.name.data != NULL };
	if (head->named)
		head->symbol_size = (uint32_t)f->symbol.name.size;
	memcpy(head->hash, head->symbol + head->symbol_size +
	    STREAM_SIZE(STREAM_BEHIND_NAME), sizeof(head->hash));
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		head->sites[k] = (uint32_t)f->values[k].size;
	buf_put(&s->counts, f->counts, f->counts_size * sizeof(*f->counts));
	return !s->counts.failed && (value_sites_count(f->values) == 0 ||
	    stream_blocks_keep_values(s, r, function, f->values));
}

/* Copies the symbols of the n lines stored last. */
static bool
stream_blocks_keep_symbols(struct stream_blocks *s, size_t n)
{
	struct stream_head *line = s->lines + s->lines_size - n;
	struct arena *a = &s->symbols->arena;
	size_t size = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		size += line[i].symbol_size;
	p = arena_size(a) + size > SYMBOLS_MAX ? NULL : arena_alloc(a, size);
	for (size_t i = 0; i < n && p != NULL; i++) {
		memcpy(p, line[i].symbol, line[i].symbol_size);
		line[i].symbol = p;
		p += line[i].symbol_size;
	}
	return p != NULL;
}

static enum prof_status
stream_blocks_fill(struct stream_blocks *s, size_t index,
    struct prof_block *out)
{
	*out = program_block(&s->layout, index, (const void *)s->counts.data);
	out->values = (const void *)s->values.data;
	out->values_size = s->values.size / sizeof(*out->values);
	out->lends_targets = true;
	out->any_bits = vector_any_bits(out->counts, out->counts_size);
	return PROF_OK;
}

/* Makes a block of the n lines stored last. */
static enum prof_status
stream_blocks_store(struct stream_blocks *s, struct stream_record *r, size_t n,
    struct prof_block *out)
{
	struct program_block *b = program_add_block(&s->layout, 0);

	if (b == NULL || !stream_blocks_keep_symbols(s, n) ||
	    !stream_blocks_set_targets(s, r))
		return stream_blocks_stop(s);
	s->fresh = true;
	b->size = n;
	b->counts_size = s->counts.size / sizeof(uint64_t);
	return stream_blocks_fill(s, s->layout.size - 1, out);
}

static enum prof_status
stream_blocks_read_new(struct stream_blocks *s, struct stream_record *r,
    struct prof_span text, struct prof_block *out,
    struct stream_consumed *consumed)
{
	const uint8_t *p = text.data, *end = text.data + text.size;
	size_t n = 0, lines_size = s->lines_size;
	struct prof_record record;

	if (buf_reserve(&s->counts, 1) == NULL)
		return stream_blocks_stop(s);
	for (; n < BLOCK && p != end; n++) {
		const uint8_t *newline = memchr(p, '\n', (size_t)(end - p));

		if (!scan_line(r,
		    (struct prof_span){ p, (size_t)(newline - p) }, end,
		    &record) ||
		    !stream_fits_block(&record))
			break;
		if (!stream_blocks_store_line(s, r, p, n, &record.u.function))
			return stream_blocks_stop(s);
		p = newline + 1;
	}
	consumed->more = p == end && n < BLOCK;
	s->lone += n == 0;
	if (n == 0 || (consumed->more && text.size < STREAM_BLOCK_TEXT)) {
		s->lines_size = lines_size;
		return PROF_END;
	}
	*consumed = (struct stream_consumed){ n,
		    (size_t)(p - text.data), consumed->more };
	return stream_blocks_store(s, r, n, out);
}

/* Whether the constant text is at p. */
#define STANDS_AT(p, text)	swar_same(p, text, STREAM_SIZE(text))

static bool
stream_blocks_skip_head(struct scan *scan, const struct stream_head *line)
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
stream_blocks_expect_rest(struct stream_blocks *s, struct scan *scan,
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
	    stream_blocks_keep_values(s, scan->record, function, values));
}

/* Reads lines as long as they are those of the block; returns how many. */
static size_t
stream_blocks_expect_lines(struct stream_blocks *s, struct scan *scan,
    const struct program_block *b)
{
	const struct stream_head *line = &s->lines[b->first];
	uint64_t *counts = (void *)s->counts.data;
	size_t n = 0;

	for (; n < b->size && scan->p < scan->end; n++, line++) {
		stream_prefetch_text(line->symbol);
		if (!stream_blocks_skip_head(scan, line) ||
		    !stream_blocks_expect_rest(s, scan, line, n, counts))
			break;
		counts += line->counts;
	}
	return n;
}

static enum prof_status
stream_blocks_expect(struct stream_blocks *s, struct stream_record *r,
    struct prof_span text, struct prof_block *out,
    struct stream_consumed *consumed)
{
	const uint8_t *end = text.data + text.size;
	struct scan scan = { text.data, end - 1, end, r };
	const struct program_block *b;
	size_t n;

	if (s->next == s->layout.size)
		return PROF_END;
	b = &s->layout.blocks[s->next];
	if (buf_reserve(&s->counts, (b->counts_size + NUMBER_ROW_SLACK) *
	    sizeof(uint64_t)) == NULL)
		return stream_blocks_stop(s);
	n = stream_blocks_expect_lines(s, &scan, b);
	consumed->more = n < b->size && scan.p > scan.end &&
	    text.size < STREAM_BLOCK_TEXT;
	if (n == b->size && !stream_blocks_set_targets(s, r))
		return stream_blocks_stop(s);
	if (n == b->size) {
		s->fresh = false;
		*consumed = (struct stream_consumed){ n,
		    (size_t)(scan.p - text.data), consumed->more };
		return stream_blocks_fill(s, s->next++, out);
	}
	/* The line may be one that stood between blocks before. */
	if (consumed->more || (n == 0 && s->strays++ < s->lone))
		return PROF_END;
	s->miss = true;
	s->mode = STREAM_ALONE;
	return PROF_END;
}

static const char function_line[] = "{\"record\":\"function\",";

bool
stream_blocks_may_begin(struct prof_span text)
{
	return text.size < sizeof(function_line) ||
	    memcmp(text.data, function_line, sizeof(function_line) - 1) == 0;
}

enum prof_status
stream_blocks_next(struct stream_blocks *s, struct stream_record *r,
    struct prof_span text, struct prof_block *out,
    struct stream_consumed *consumed)
{
	enum prof_status status;

	consumed->more = text.size < sizeof(function_line);
	if (consumed->more || !stream_blocks_may_begin(text))
		return PROF_END;
	s->counts.size = s->values.size = 0;
	s->targets.size = s->names.size = 0;
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

/* Functions of a new block will be looked up by guid: compute all at once. */
static void
stream_blocks_set_guids(struct prof_function *f, size_t n)
{
	struct prof_span names[BLOCK] = { { NULL, 0 } };
	uint64_t guids[BLOCK];
	size_t named = 0, next = 0;

	for (size_t i = 0; i < n; i++) {
		if (f[i].symbol.name.data != NULL)
			names[named++] = f[i].symbol.name;
	}
	md5_u64_many(names, named, guids);
	for (size_t i = 0; i < n; i++) {
		if (f[i].symbol.name.data != NULL)
			f[i].symbol.guid = guids[next++];
	}
}

const struct prof_function *
stream_blocks_functions(struct stream_blocks *s, struct arena *a,
    const struct prof_block *b, struct prof_error *err)
{
	const struct program_block *from = &s->layout.blocks[b->index];
	const struct stream_head *line = &s->lines[from->first];
	struct prof_function *f = program_new_functions(b, a, err);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < b->size; i++)
		stream_blocks_get_head(&line[i], &f[i]);
	if (s->fresh)
		stream_blocks_set_guids(f, b->size);
	return program_set_functions(b, f);
}

static void
stream_blocks_free(struct stream_blocks *s)
{
	lru_cache_release(s->symbols);
	stream_blocks_free_values(s);
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
