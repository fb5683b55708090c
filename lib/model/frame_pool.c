#include "model/frame_pool.h"

#include <stdlib.h>

#include "base/array.h"

struct frame_pool_key {
	const struct prof_frame *frames, *frame;
};

/* The texts are interned: equal ones have one address. */
static bool
frame_pool_same(const void *arg, uint32_t item)
{
	const struct frame_pool_key *k = arg;
	const struct prof_frame *a = &k->frames[item], *b = k->frame;

	return a->function.guid == b->function.guid &&
	    a->function.name.data == b->function.name.data &&
	    a->file.data == b->file.data && a->line == b->line &&
	    a->start_line == b->start_line &&
	    a->line_offset == b->line_offset && a->column == b->column &&
	    a->discriminator == b->discriminator && a->flags == b->flags;
}

static uint64_t
frame_pool_hash(const struct frame_pool *p, const struct prof_frame *f)
{
	const uint64_t words[] = {
		f->function.guid, (uintptr_t)f->function.name.data,
		(uintptr_t)f->file.data,
		(uint64_t)f->line << 32 | f->start_line,
		(uint64_t)f->line_offset << 32 | f->column,
		(uint64_t)f->discriminator << 32 | f->flags
	};
	uint64_t hash = p->index.seed;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = hash_mix(hash, words[i]);
	return hash;
}

/* Replaces a text by the stored one. */
static bool
frame_pool_set_text(struct frame_pool *p, struct prof_span *text)
{
	uint32_t n;

	if (text->size == 0) {
		*text = (struct prof_span){ NULL, 0 };
		return true;
	}
	n = intern_add(&p->texts, text->data, text->size);
	if (n != INDEX_NONE)
		*text = p->texts.items[n];
	return n != INDEX_NONE;
}

uint32_t
frame_pool_add(struct frame_pool *p, const struct prof_frame *from)
{
	struct prof_frame f = *from;
	struct hash_index_slot *s;
	uint64_t hash;

	if (!ARRAY_ROOM(p->frames, p->index.size, p->room) ||
	    !hash_index_reserve(&p->index, (size_t)p->index.size + 1) ||
	    !frame_pool_set_text(p, &f.function.name) ||
	    !frame_pool_set_text(p, &f.file))
		return INDEX_NONE;
	hash = frame_pool_hash(p, &f);
	s = hash_index_slot(&p->index, hash, frame_pool_same,
	    &(struct frame_pool_key){ p->frames, &f });
	if (s->item != 0)
		return s->item - 1;
	p->frames[p->index.size] = f;
	hash_index_fill(&p->index, s, hash);
	return p->index.size - 1;
}

void
frame_pool_free(struct frame_pool *p)
{
	intern_free(&p->texts);
	free(p->frames);
	hash_index_free(&p->index);
	*p = (struct frame_pool){ .room = 0 };
}

bool
frame_numbers_grow(struct frame_numbers *n, uint32_t number)
{
	size_t more = (size_t)number + 1 - n->size;

	if (!ARRAY_RESERVE(n->items, n->size, more, n->room))
		return false;
	for (; n->size <= number; n->size++)
		n->items[n->size] = (struct frame_number){ INDEX_NONE,
		    n->profile };
	return true;
}

void
frame_numbers_free(struct frame_numbers *n)
{
	free(n->items);
	*n = (struct frame_numbers){ .room = 0 };
}

size_t
frame_pool_address_size(const struct prof_stack *s, size_t at)
{
	size_t end = at + 1;

	while (end < s->frames_size &&
	    (s->frames[end - 1].flags & PROF_FRAME_INLINE) != 0)
		end++;
	return end - at;
}
