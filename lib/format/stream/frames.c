#include "format/stream/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A cache larger than this is emptied before a frame is added. */
enum { BYTES_MAX = 1 << 24 };

struct stream_frames_key {
	const struct stream_frame *items;
	const struct prof_frame *frame;
};

/* As prof_span_equal, inlined: there are two comparisons for each frame. */
static inline bool
stream_frames_same_bytes(struct prof_span a, struct prof_span b)
{
	return a.size == b.size &&
	    (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool
stream_frames_same(const void *arg, uint32_t item)
{
	const struct stream_frames_key *k = arg;
	const struct prof_frame *a = &k->items[item].frame, *b = k->frame;

	return a->function.guid == b->function.guid && a->line == b->line &&
	    a->start_line == b->start_line &&
	    a->line_offset == b->line_offset && a->column == b->column &&
	    a->discriminator == b->discriminator && a->flags == b->flags &&
	    stream_frames_same_bytes(a->function.name, b->function.name) &&
	    stream_frames_same_bytes(a->file, b->file);
}

static uint64_t
stream_frames_hash(const struct stream_frames *t, const struct prof_frame *f)
{
	uint64_t hash = hash_mix(t->index.seed, f->function.guid);

	hash = hash_mix(hash, (uint64_t)f->line << 32 | f->column);
	hash = hash_mix(hash, (uint64_t)f->line_offset << 32 |
	    f->discriminator);
	hash = hash_mix(hash, (uint64_t)f->start_line << 32 | f->flags);
	hash = hash_span(hash, f->function.name);
	return hash_span(hash, f->file);
}

struct prof_span
stream_frames_find(const struct stream_frames *t, const struct prof_frame *f)
{
	const struct stream_frames_key key = { t->items, f };
	uint32_t n = hash_index_find(&t->index, stream_frames_hash(t, f),
	    stream_frames_same, &key);

	return n == INDEX_NONE ? (struct prof_span){ NULL, 0 } :
	    t->items[n].text;
}

static bool
stream_frames_append(struct stream_frames *t, struct stream_frame f)
{
	if (!ARRAY_ROOM(t->items, t->index.size, t->room))
		return false;
	if (!arena_keep(&t->arena, &f.text) ||
	    !arena_keep(&t->arena, &f.frame.function.name) ||
	    !arena_keep(&t->arena, &f.frame.file) ||
	    !hash_index_reserve(&t->index, (size_t)t->index.size + 1))
		return false;
	t->items[t->index.size] = f;
	return hash_index_add(&t->index, stream_frames_hash(t, &f.frame));
}

void
stream_frames_add(struct stream_frames *t, const struct prof_frame *f,
    struct prof_span text)
{
	if (arena_size(&t->arena) > BYTES_MAX ||
	    !stream_frames_append(t, (struct stream_frame){ *f, text }))
		stream_frames_free(t);
}

void
stream_frames_free(struct stream_frames *t)
{
	free(t->items);
	hash_index_free(&t->index);
	arena_free(&t->arena);
	*t = (struct stream_frames){ 0 };
}
