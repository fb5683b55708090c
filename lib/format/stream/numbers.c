/*
 * The frames do not fit in the CPU's caches, so that each look-up would wait
 * for memory three times: for the slot of the hash index, for the pointer to
 * the frame, and for the frame.  All frames of a stack are prefetched in three
 * rounds before the first of them is compared.
 */
#include "format/stream/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * The most frames that are kept, and the most bytes of a text: memory must not
 * grow with the number of frames, as some profiles have no two that are equal.
 */
enum { KEPT_MAX = 1 << 18, TEXT_MAX = 1 << 10 };

enum { LINE = 64, LINES = 3 };		/* of a frame that are prefetched */

struct numbers_key {
	struct stream_numbered *const *items;
	struct prof_span text;
};

static bool
numbers_same(const void *arg, uint32_t item)
{
	const struct numbers_key *k = arg;
	const struct stream_numbered *n = k->items[item];

	return n->size == k->text.size &&
	    memcmp(n->text, k->text.data, n->size) == 0;
}

/*
 * Where the text of a frame ends, behind its brace, unless one of its strings
 * has a brace: then the text that is found is that of no frame.
 */
static const uint8_t *
numbers_text_end(const uint8_t *start, const uint8_t *end)
{
	const uint8_t *brace = memchr(start, '}', (size_t)(end - start));

	return brace == NULL ? end : brace + 1;
}

/* Takes the texts of frames that follow each other, and prefetches slots. */
static void
numbers_take_texts(struct stream_numbers *t, const uint8_t *p,
    const uint8_t *end)
{
	t->ahead_size = t->at = 0;
	while (t->ahead_size < STREAM_NUMBERS_AHEAD) {
		struct stream_numbers_text *a = &t->ahead[t->ahead_size++];
		const uint8_t *behind = numbers_text_end(p, end);

		a->text = (struct prof_span){ p, (size_t)(behind - p) };
		a->hash = hash_span(t->index.seed, a->text);
		hash_index_prefetch(&t->index, a->hash);
		if (end - behind < 2 || behind[0] != ',' || behind[1] != '{')
			break;
		p = behind + 2;
	}
}

PREFETCH_INLINE void
numbers_prefetch_items(struct stream_numbers *t)
{
	for (size_t i = 0; i < t->ahead_size; i++) {
		struct stream_numbers_text *a = &t->ahead[i];

		a->likely = hash_index_guess(&t->index, a->hash);
		if (a->likely != INDEX_NONE)
			__builtin_prefetch(&t->items[a->likely]);
	}
	for (size_t i = 0; i < t->ahead_size; i++) {
		if (t->ahead[i].likely == INDEX_NONE)
			continue;
		for (size_t k = 0; k < LINES; k++)
			__builtin_prefetch((const char *)
			    t->items[t->ahead[i].likely] + LINE * k);
	}
}

const struct stream_numbered *
stream_numbers_find(struct stream_numbers *t, const uint8_t *start,
    const uint8_t *end)
{
	const struct stream_numbers_text *a;
	struct numbers_key key;
	uint32_t item;

	if (t->at >= t->ahead_size || t->ahead[t->at].text.data != start) {
		/* The table has a seed once there is room for an item. */
		if (!hash_index_reserve(&t->index, (size_t)t->index.size + 1))
			return NULL;
		numbers_take_texts(t, start, end);
		numbers_prefetch_items(t);
	}
	a = &t->ahead[t->at++];
	key = (struct numbers_key){ t->items, a->text };
	item = hash_index_find(&t->index, a->hash, numbers_same, &key);
	return item == INDEX_NONE ? NULL : t->items[item];
}

/* Bytes of a text, in its copy. */
static void
numbers_move(struct prof_span *s, struct prof_span text, const uint8_t *copy)
{
	if (s->data != NULL)
		s->data = copy + (s->data - text.data);
}

static bool
numbers_keep(struct stream_numbers *t, struct prof_span text, uint64_t hash,
    const struct prof_frame *frame)
{
	struct stream_numbered *to;

	if (!hash_index_reserve(&t->index, (size_t)t->index.size + 1) ||
	    !ARRAY_ROOM(t->items, t->index.size, t->room))
		return false;
	to = arena_alloc(&t->arena, sizeof(*to) + text.size);
	if (to == NULL)
		return false;
	to->frame = *frame;
	to->number = t->next;
	to->size = (uint32_t)text.size;
	memcpy(to->text, text.data, text.size);
	numbers_move(&to->frame.function.name, text, to->text);
	numbers_move(&to->frame.file, text, to->text);
	t->items[t->index.size] = to;
	return hash_index_add(&t->index, hash);
}

/* Whether the text is the one that was looked up last, and may be kept. */
static bool
numbers_may_keep(const struct stream_numbers *t, struct prof_span text)
{
	return text.size <= TEXT_MAX && t->index.size < KEPT_MAX &&
	    t->at > 0 && t->ahead[t->at - 1].text.data == text.data &&
	    t->ahead[t->at - 1].text.size == text.size;
}

uint32_t
stream_numbers_add(struct stream_numbers *t, struct prof_span text,
    const struct prof_frame *frame)
{
	if (t->next == INDEX_NONE)
		return INDEX_NONE;
	if (numbers_may_keep(t, text) && !numbers_keep(t, text,
	    t->ahead[t->at - 1].hash, frame))
		return INDEX_NONE;
	return t->next++;
}

void
stream_numbers_free(struct stream_numbers *t)
{
	free(t->items);
	hash_index_free(&t->index);
	arena_free(&t->arena);
	*t = (struct stream_numbers){ .room = 0 };
}
