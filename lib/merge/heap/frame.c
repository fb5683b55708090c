/* Interned texts and frames. */
#include <string.h>

#include "model/memprof_guid.h"
#include "merge/heap/state.h"

struct mheap_text_key {
	const struct merge_heap *heap;
	struct prof_span text;
};

static bool
mheap_same_text(const void *arg, uint32_t item)
{
	const struct mheap_text_key *k = arg;

	return prof_span_equal(k->heap->texts.items[item], k->text);
}

/* Text 0 stands for an unknown text. */
static bool
mheap_begin_texts(struct merge_heap *h)
{
	if (h->texts.index.size != 0)
		return true;
	if (MHEAP_NEXT(h->texts, 0) == MHEAP_NONE)
		return false;
	/* A size that no text has, so that no text is equal. */
	h->texts.items[0] = (struct prof_span){ NULL, SIZE_MAX };
	return true;
}

uint32_t
mheap_text(struct merge_heap *h, struct prof_span text)
{
	const struct mheap_text_key key = { h, text };
	uint64_t hash;
	uint32_t item;

	if (!mheap_begin_texts(h))
		return MHEAP_NONE;
	if (text.data == NULL)
		return 0;
	hash = hash_span(h->seed, text);
	item = hash_index_find(&h->texts.index, hash, mheap_same_text, &key);
	if (item != MHEAP_NONE)
		return item;
	text = arena_copy(&h->arena, text);
	if (text.data == NULL)
		return MHEAP_NONE;
	item = MHEAP_NEXT(h->texts, hash);
	if (item != MHEAP_NONE)
		h->texts.items[item] = text;
	return item;
}

struct mheap_frame_key {
	const struct merge_heap *heap;
	struct mheap_frame frame;
};

static bool
mheap_same_frame(const void *arg, uint32_t item)
{
	const struct mheap_frame_key *k = arg;
	const struct mheap_frame *a = &k->heap->frames.items[item];
	const struct mheap_frame *b = &k->frame;

	return a->guid == b->guid && a->name == b->name &&
	    a->file == b->file && a->line == b->line &&
	    a->start_line == b->start_line &&
	    a->line_offset == b->line_offset && a->column == b->column &&
	    a->discriminator == b->discriminator && a->flags == b->flags;
}

static uint64_t
mheap_hash_frame(uint64_t hash, const struct mheap_frame *f)
{
	const uint32_t words[] = {
		f->name, f->file, f->line, f->start_line, f->line_offset,
		f->column, f->discriminator, f->flags
	};

	hash = hash_mix(hash, f->guid);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = hash_mix(hash, words[i]);
	return hash;
}

static struct prof_span
mheap_span_or_null(struct prof_span s)
{
	return s.size == 0 ? (struct prof_span){ NULL, 0 } : s;
}

/*
 * Sets the members that follow from others (the guid of a name, the offset of a
 * line), so that frames are equal whether a profile stores these or not.
 */
static void
mheap_complete_frame(struct mheap_frame *f, struct prof_span name)
{
	const unsigned lines = PROF_FRAME_LINE | PROF_FRAME_START_LINE;

	if (f->guid == 0 && name.data != NULL)
		f->guid = memprof_guid(name);
	if ((f->flags & lines) == lines &&
	    (f->flags & PROF_FRAME_LINE_OFFSET) == 0) {
		f->flags |= PROF_FRAME_LINE_OFFSET;
		f->line_offset = f->line - f->start_line;
	}
}

uint32_t
mheap_frame(struct merge_heap *h, const struct prof_frame *in)
{
	struct prof_span name = mheap_span_or_null(in->function.name);
	struct mheap_frame_key key = { h, {
		.guid = in->function.guid,
		.name = mheap_text(h, name),
		.file = mheap_text(h, mheap_span_or_null(in->file)),
		.line = in->line,
		.start_line = in->start_line,
		.line_offset = in->line_offset,
		.column = in->column,
		.discriminator = in->discriminator,
		.flags = in->flags,
	} };
	uint64_t hash;
	uint32_t item;

	if (key.frame.name == MHEAP_NONE || key.frame.file == MHEAP_NONE)
		return MHEAP_NONE;
	mheap_complete_frame(&key.frame, name);
	hash = mheap_hash_frame(h->seed, &key.frame);
	item = hash_index_find(&h->frames.index, hash, mheap_same_frame, &key);
	if (item == MHEAP_NONE &&
	    (item = MHEAP_NEXT(h->frames, hash)) != MHEAP_NONE)
		h->frames.items[item] = key.frame;
	return item;
}
