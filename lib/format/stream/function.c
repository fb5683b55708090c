#include "format/stream/function.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/values.h"

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

static void
function_put_rest(struct buf *b, const struct prof_function *f)
{
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
stream_put_function(struct buf *b, const struct prof_function *f)
{
	function_put_head(b, f);
	function_put_rest(b, f);
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

static void
stream_heads_clear(struct stream_heads *h)
{
	prof_release(h->retained);
	h->retained = NULL;
	arena_free(&h->arena);
	h->size = 0;
}

void
stream_heads_free(struct stream_heads *h)
{
	stream_heads_clear(h);
	buf_free(&h->text);
	free(h->blocks);
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

enum prof_status
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

/* The line of function i, whose head is stored. */
static void
stream_heads_put_line(struct stream_block_lines *l, size_t i, struct buf *out)
{
	const struct prof_block *b = l->block;
	const struct stream_written_head *head = &l->heads[i];

	stream_prefetch_text(head->text.data);
	stream_heads_put(out, head);
	json_text_numbers(out, l->counts, head->counts_size);
	l->counts += head->counts_size;
	if (l->values < b->values_size && b->values[l->values].function == i)
		stream_put_values(out, b->values[l->values++].values, b);
	json_text_plain(out, "}\n");
}

bool
stream_block_put_line(struct stream_block_lines *l, struct buf *out)
{
	size_t i = l->next;

	if (i == l->block->size)
		return false;
	l->next++;
	if (l->heads != NULL)
		stream_heads_put_line(l, i, out);
	else
		stream_put_function(out, &l->functions[i]);
	return true;
}
