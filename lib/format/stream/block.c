#include "format/stream/block.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/vector_add.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/md5.h"
#include "base/number_row.h"
#include "format/stream/function.h"
#include "format/stream/scan.h"
#include "model/value_sites.h"

/* Functions of a block, and bytes of heads that are stored at most. */
enum { BLOCK = 64 };
#define HEADS_MAX ((size_t)1 << 28)

/* Sizes of what stands around the symbol and the hash in a head. */
#define BEFORE_SYMBOL	(sizeof("{\"record\":\"function\",\"name\":\"") - 1)
#define BEHIND_SYMBOL	(sizeof("\",\"hash\":\"") - 1)
#define BEHIND_HASH	(sizeof("\",\"counts\":[") - 1)
#define AROUND		(BEFORE_SYMBOL + BEHIND_SYMBOL + JSON_TEXT_ID_SIZE + \
			BEHIND_HASH)

struct stream_head {
	size_t end;			/* in the text of all heads */
	size_t counts;
	size_t sites[PROF_VALUE_KINDS];
};

static void
stream_blocks_clear(struct stream_blocks *s)
{
	s->lines_size = s->heads.size = s->lone = 0;
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
	s->layout.number = program_layout_number();
	s->mode = STREAM_STORE;
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
	buf_free(&s->heads);
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
		buf_put(&s->targets, &value, sizeof(value));
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

/* Blocks have no bitmaps, uniform counts or unknown keys. */
static bool
stream_fits_block(const struct prof_record *r)
{
	return r->kind == PROF_REC_FUNCTION && r->u.function.bitmap.size == 0 &&
	    r->u.function.uniform_size == 0;
}

static bool
stream_blocks_store_line(struct stream_blocks *s, struct stream_record *r,
    const uint8_t *line, size_t function, const struct prof_function *f)
{
	struct stream_head *head;

	if (!ARRAY_ROOM(s->lines, s->lines_size, s->lines_room))
		return false;
	buf_put(&s->heads, line, AROUND + (f->symbol.name.data == NULL ?
	    JSON_TEXT_ID_SIZE : f->symbol.name.size));
	head = &s->lines[s->lines_size++];
	head->end = s->heads.size;
	head->counts = f->counts_size;
	value_sites_sizes(f->values, head->sites);
	buf_put(&s->counts, f->counts, f->counts_size * sizeof(*f->counts));
	return !s->counts.failed && !s->heads.failed &&
	    (value_sites_count(f->values) == 0 ||
	    stream_blocks_keep_values(s, r, function, f->values));
}

static enum prof_status
stream_blocks_fill(struct stream_blocks *s, size_t index,
    struct prof_block *out)
{
	*out = program_block(&s->layout, index, (const void *)s->counts.data);
	out->values = (const void *)s->values.data;
	out->values_size = s->values.size / sizeof(*out->values);
	out->any_bits = vector_any_bits(out->counts, out->counts_size);
	return PROF_OK;
}

/* Makes a block of the n lines stored last. */
static enum prof_status
stream_blocks_store(struct stream_blocks *s, struct stream_record *r, size_t n,
    struct prof_block *out)
{
	struct program_block *b = program_add_block(&s->layout, 0);

	if (b == NULL || !stream_blocks_set_targets(s, r))
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
	size_t n = 0, lines_size = s->lines_size, heads_size = s->heads.size;
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
		s->heads.size = heads_size;
		return PROF_END;
	}
	if (s->heads.size > HEADS_MAX)
		return stream_blocks_stop(s);
	*consumed = (struct stream_consumed){ n,
		    (size_t)(p - text.data), consumed->more };
	return stream_blocks_store(s, r, n, out);
}

/* Reads the rest of an expected line, behind its head. */
static bool
stream_blocks_expect_rest(struct stream_blocks *s, struct scan *scan,
    const struct stream_head *line, size_t function, uint64_t *counts)
{
	struct prof_sites values[PROF_VALUE_KINDS] = { { NULL, 0 } };
	bool any = false;

	if (!scan_counts(scan, counts, line->counts))
		return false;
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		any = any || line->sites[k] != 0;
	if (any && (!SKIP(scan, ",\"values\":{") ||
	    !scan_values(scan, values)))
		return false;
	return value_sites_fit(values, line->sites) && SKIP(scan, "}") &&
	    *scan->p++ == '\n' && (!any ||
	    stream_blocks_keep_values(s, scan->record, function, values));
}

/* Reads lines as long as they are those of the block; returns how many. */
static size_t
stream_blocks_expect_lines(struct stream_blocks *s, struct scan *scan,
    const struct program_block *b)
{
	const struct stream_head *line = &s->lines[b->first];
	uint64_t *counts = (void *)s->counts.data;
	size_t start = b->first == 0 ? 0 : line[-1].end, n = 0;

	for (; n < b->size && scan->p < scan->end; n++, line++) {
		size_t size = line->end - start;

		stream_prefetch_heads(s->heads.data + line->end);
		if ((size_t)(scan->end - scan->p) < size ||
		    memcmp(scan->p, s->heads.data + start, size) != 0)
			break;
		scan->p += size;
		if (!stream_blocks_expect_rest(s, scan, line, n, counts))
			break;
		counts += line->counts;
		start = line->end;
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

/* Reads symbol and hash, at known places of the head. */
static bool
stream_blocks_read_head(struct prof_span head, struct prof_function *f)
{
	struct prof_span symbol = { head.data + BEFORE_SYMBOL,
	    head.size - AROUND };
	struct prof_span hash = { symbol.data + symbol.size + BEHIND_SYMBOL,
	    JSON_TEXT_ID_SIZE };

	if (symbol.data[-4] == 'e')		/* name":" */
		f->symbol.name = symbol;
	else if (!json_text_get_id(symbol, &f->symbol.guid))
		return false;
	return json_text_get_id(hash, &f->hash);
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
	size_t start = from->first == 0 ? 0 : line[-1].end;
	struct prof_function *f = program_new_functions(b, a, err);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < b->size; i++, line++) {
		f[i] = (struct prof_function){ .counts_size = line->counts };
		stream_blocks_read_head((struct prof_span){
			s->heads.data + start, line->end - start },
		    &f[i]);
		start = line->end;
	}
	if (s->fresh)
		stream_blocks_set_guids(f, b->size);
	return program_set_functions(b, f);
}

void
stream_blocks_free(struct stream_blocks *s)
{
	buf_free(&s->heads);
	stream_blocks_free_values(s);
	free(s->lines);
	free(s->layout.blocks);
}
