#include "format/stream/batch.h"

#include "base/md5.h"
#include "base/number_row.h"
#include "format/stream/function.h"
#include "format/stream/scan.h"
#include "model/value_sites.h"

/* As long as STREAM_BEFORE_NAME. */
#define BEFORE_GUID	STREAM_FUNCTION "\"guid\":\""

/* Whether the constant text is at p. */
#define STANDS_AT(p, text)	swar_same(p, text, STREAM_SIZE(text))

void
stream_batch_reset(struct stream_batch *b)
{
	b->counts.size = b->values.size = 0;
	b->heads.size = 0;
	b->targets.size = b->names.size = 0;
}

void
stream_batch_free(struct stream_batch *b)
{
	buf_free(&b->counts);
	buf_free(&b->values);
	buf_free(&b->targets);
	buf_free(&b->names);
	buf_free(&b->heads);
}

static void
stream_batch_note_targets(struct stream_batch *b, struct prof_value *values,
    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct prof_value *value = &values[i];

		if (value->name.data == NULL)
			continue;
		buf_put(&b->targets, &value, sizeof(struct prof_value *));
		buf_put(&b->names, &value->name, sizeof(value->name));
	}
}

bool
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
	stream_batch_note_targets(b, value, r->values.size / sizeof(*value));
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

bool
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

void
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

/*
 * Reads lines as long as they are those of the block; returns how many.  There
 * is room for its counts.
 */
static size_t
stream_batch_expect_lines(struct stream_batch *batch, struct scan *scan,
    const struct stream_head *line, size_t size)
{
	uint64_t *counts = (void *)(batch->counts.data + batch->counts.size);
	size_t n = 0;

	for (; n < size && scan->p < scan->end; n++, line++) {
		stream_prefetch_text(line->symbol);
		if (!stream_batch_skip_head(scan, line) ||
		    !stream_batch_expect_rest(batch, scan, line, n, counts))
			break;
		counts += line->counts;
	}
	return n;
}

bool
stream_batch_expect(struct stream_batch *b, const struct stream_head *heads,
    const struct program_block *block, struct stream_record *r,
    struct prof_span text, struct stream_part *part)
{
	const uint8_t *end = text.data + text.size;
	struct scan scan = { text.data, end - 1, end, r };
	size_t n;

	if (buf_reserve(&b->counts, (block->counts_size + NUMBER_ROW_SLACK) *
	    sizeof(uint64_t)) == NULL)
		return false;
	n = stream_batch_expect_lines(b, &scan, heads, block->size);
	if (n == block->size)
		b->counts.size += block->counts_size * sizeof(uint64_t);
	*part = (struct stream_part){ n, (size_t)(scan.p - text.data) };
	return true;
}
