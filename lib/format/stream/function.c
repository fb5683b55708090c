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

/* Bytes of heads that are stored at most; more heads are written each time. */
#define HEADS_MAX ((size_t)1 << 28)

struct head {
	size_t end;			/* in the text */
	size_t counts, counts_size;	/* in the counts of the block */
};

struct stream_heads_block {
	struct head *heads;		/* NULL: not stored */
	struct buf text;
};

static void
stream_heads_clear(struct stream_heads *h)
{
	for (size_t i = 0; i < h->size; i++) {
		free(h->blocks[i].heads);
		buf_free(&h->blocks[i].text);
	}
	h->size = h->bytes = 0;
}

void
stream_heads_free(struct stream_heads *h)
{
	stream_heads_clear(h);
	free(h->blocks);
}

/* Where the heads of the block are stored, or NULL if they shall not be. */
static struct stream_heads_block *
stream_heads_block_of(struct stream_heads *h, const struct prof_block *b)
{
	if (b->layout == 0)
		return NULL;
	if (h->layout != b->layout || h->hash_mask != b->hash_mask) {
		stream_heads_clear(h);
		h->layout = b->layout;
		h->hash_mask = b->hash_mask;
		h->profiles = 0;
	}
	if (b->index == 0 && h->profiles < 2)
		h->profiles++;
	if (b->index < h->size)
		return &h->blocks[b->index];
	if (h->profiles < 2 || b->index != h->size || h->bytes > HEADS_MAX)
		return NULL;
	if (!ARRAY_ROOM(h->blocks, h->size, h->room))
		return NULL;
	h->blocks[h->size] = (struct stream_heads_block){ .heads = NULL };
	return &h->blocks[h->size++];
}

/* Writes and stores the heads; without memory, none. */
static void
stream_heads_store(struct stream_heads_block *stored,
    const struct prof_block *b, const struct prof_function *f)
{
	struct head *heads = calloc(b->size, sizeof(*heads));

	for (size_t i = 0; heads != NULL && i < b->size; i++) {
		function_put_head(&stored->text, &f[i]);
		heads[i] = (struct head){ stored->text.size,
		    (size_t)(f[i].counts - b->counts), f[i].counts_size };
	}
	stored->heads = heads;
	if (heads == NULL || !stored->text.failed)
		return;
	free(heads);
	stored->heads = NULL;
	buf_free(&stored->text);
}

enum prof_status
stream_block_begin(struct stream_block_lines *l, struct stream_heads *h,
    const struct prof_block *b, struct prof_error *err)
{
	struct stream_heads_block *stored = stream_heads_block_of(h, b);

	*l = (struct stream_block_lines){ .block = b };
	if (stored != NULL && stored->heads != NULL) {
		l->heads = stored;
		return PROF_OK;
	}
	l->functions = prof_block_functions(b, err);
	if (l->functions == NULL)
		return PROF_FAIL;
	if (stored != NULL) {
		stream_heads_store(stored, b, l->functions);
		h->bytes += stored->text.size;
	}
	return PROF_OK;
}

/* The line of function i, whose head is stored. */
static void
stream_heads_put_line(struct stream_block_lines *l, size_t i, struct buf *out)
{
	const struct prof_block *b = l->block;
	const struct head *head = &l->heads->heads[i];
	size_t start = i == 0 ? 0 : head[-1].end;

	stream_prefetch_text(l->heads->text.data + head->end);
	buf_put(out, l->heads->text.data + start, head->end - start);
	json_text_numbers(out, b->counts + head->counts, head->counts_size);
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
