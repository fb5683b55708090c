#include "format/memprof/radix.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "format/memprof/layout.h"

struct frame_use {
	uint64_t count;
	uint64_t position_sum;		/* positions; the leaf's is 0 */
	uint64_t id;
	uint32_t frame;
};

/* A stack as it is sorted. */
struct radix_path {
	const uint32_t *ranks;		/* from the root */
	uint32_t size;
	uint32_t stack;
};

struct radix_build {
	struct memprof_radix *out;
	struct arena *arena;
	const struct memprof_built *in;
	struct frame_use *uses;
	uint32_t *numbers;		/* of frames, in the frame array */
	struct radix_path *paths;
	uint64_t total;			/* frames of all stacks */
	/* The words of the previous path's frames, from the root. */
	uint32_t *positions;
	uint32_t longest;
};

/* LLVM's order: frequent frames first, then frames near the leaf. */
static int
radix_compare_uses(const void *a, const void *b)
{
	const struct frame_use *x = a, *y = b;
	int order = compare_u64(y->count, x->count);

	if (order == 0)
		order = compare_u64(x->position_sum, y->position_sum);
	if (order == 0)
		order = compare_u64(x->id, y->id);
	return order != 0 ? order : compare_u64(x->frame, y->frame);
}

static int
radix_compare_ranks(const void *a, const void *b)
{
	const struct frame_use *x = a, *y = b;
	int order = compare_u64(x->count, y->count);

	if (order == 0)
		order = compare_u64(x->id, y->id);
	return order != 0 ? order : compare_u64(x->frame, y->frame);
}

static int
radix_compare_paths(const void *a, const void *b)
{
	const struct radix_path *x = a, *y = b;

	for (uint32_t i = 0; i < x->size && i < y->size; i++) {
		if (x->ranks[i] != y->ranks[i])
			return x->ranks[i] < y->ranks[i] ? -1 : 1;
	}
	return compare_u64(x->size, y->size);
}

static void
radix_count_uses(struct radix_build *b, const uint64_t *ids)
{
	const struct memprof_built *in = b->in;

	for (uint32_t i = 0; i < in->frames_size; i++)
		b->uses[i] = (struct frame_use){ .id = ids[i], .frame = i };
	for (uint32_t i = 0; i < in->stacks_size; i++) {
		const struct memprof_stack *s = &in->stacks[i];

		for (uint32_t j = 0; j < s->size; j++) {
			b->uses[s->frames[j]].count++;
			b->uses[s->frames[j]].position_sum += j;
		}
		b->total += s->size;
		if (s->size > b->longest)
			b->longest = s->size;
	}
}

/* Makes the frame array: the frames in use, in their order. */
static bool
radix_order_frames(struct radix_build *b)
{
	struct memprof_radix *out = b->out;
	uint32_t n = b->in->frames_size;

	out->frames = arena_array(b->arena, n, sizeof(*out->frames));
	b->numbers = arena_array(b->arena, n, sizeof(*b->numbers));
	if (out->frames == NULL || b->numbers == NULL)
		return false;
	if (n != 0)
		qsort(b->uses, n, sizeof(*b->uses), radix_compare_uses);
	while (out->frames_size < n && b->uses[out->frames_size].count != 0) {
		uint32_t frame = b->uses[out->frames_size].frame;

		b->numbers[frame] = out->frames_size;
		out->frames[out->frames_size++] = frame;
	}
	return true;
}

/* Sorts the stacks from the root on; frequent frames come last. */
static bool
radix_order_paths(struct radix_build *b)
{
	uint32_t n = b->in->frames_size, stacks = b->in->stacks_size;
	uint32_t *rank = arena_array(b->arena, n, sizeof(*rank));
	uint32_t *ranks = arena_array(b->arena, (size_t)b->total,
	    sizeof(*ranks));

	b->paths = arena_array(b->arena, stacks, sizeof(*b->paths));
	if (rank == NULL || ranks == NULL || b->paths == NULL)
		return false;
	if (n != 0)
		qsort(b->uses, n, sizeof(*b->uses), radix_compare_ranks);
	for (uint32_t i = 0; i < n; i++)
		rank[b->uses[i].frame] = i;
	for (uint32_t i = 0; i < stacks; i++) {
		const struct memprof_stack *s = &b->in->stacks[i];

		b->paths[i] = (struct radix_path){ ranks, s->size, i };
		for (uint32_t j = s->size; j > 0; j--)
			*ranks++ = rank[s->frames[j - 1]];
	}
	if (stacks != 0)
		qsort(b->paths, stacks, sizeof(*b->paths), radix_compare_paths);
	return true;
}

static uint32_t
radix_shared_frames(const struct radix_path *a, const struct radix_path *b)
{
	uint32_t n = 0;

	while (n < a->size && n < b->size && a->ranks[n] == b->ranks[n])
		n++;
	return n;
}

/*
 * Encodes a path from the root to the leaf.  All words are reversed at the end,
 * so that stacks begin with their length and jumps go forward.
 */
static void
radix_encode_path(struct radix_build *b, const struct radix_path *radix_path,
    uint32_t shared)
{
	const struct memprof_stack *s = &b->in->stacks[radix_path->stack];
	struct memprof_radix *out = b->out;

	if (shared != 0) {
		out->words[out->words_size] = b->positions[shared - 1] -
		    out->words_size;
		out->words_size++;
	}
	for (uint32_t i = shared; i < s->size; i++) {
		b->positions[i] = out->words_size;
		out->words[out->words_size++] =
		    b->numbers[s->frames[s->size - 1 - i]];
	}
	out->index[radix_path->stack] = out->words_size;
	out->words[out->words_size++] = s->size;
}

static void
radix_reverse(struct radix_build *b)
{
	struct memprof_radix *out = b->out;
	uint32_t n = out->words_size;

	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t word = out->words[i];

		out->words[i] = out->words[n - 1 - i];
		out->words[n - 1 - i] = word;
	}
	for (uint32_t i = 0; i < b->in->stacks_size; i++)
		out->index[i] = n - 1 - out->index[i];
}

static bool
radix_encode_all(struct radix_build *b)
{
	uint32_t stacks = b->in->stacks_size;
	size_t room = (size_t)(b->total + (uint64_t)stacks * 2);
	struct memprof_radix *out = b->out;

	out->words = arena_array(b->arena, room, sizeof(*out->words));
	out->index = arena_array(b->arena, stacks, sizeof(*out->index));
	b->positions = arena_array(b->arena, b->longest, sizeof(*b->positions));
	if (out->words == NULL || out->index == NULL || b->positions == NULL)
		return false;
	for (uint32_t i = stacks; i > 0; i--)
		radix_encode_path(b, &b->paths[i - 1], i == stacks ? 0 :
		    radix_shared_frames(&b->paths[i], &b->paths[i - 1]));
	radix_reverse(b);
	return true;
}

enum prof_status
memprof_radix_make(struct memprof_radix *out, struct arena *arena,
    const struct memprof_built *in, const uint64_t *frame_ids,
    struct prof_error *err)
{
	struct radix_build b = { .out = out, .arena = arena, .in = in,
	    .uses = arena_array(arena, in->frames_size, sizeof(*b.uses)) };

	*out = (struct memprof_radix){ 0 };
	if (b.uses == NULL)
		return err_memory(err);
	radix_count_uses(&b, frame_ids);
	/* The highest bit distinguishes jumps from frames. */
	if (b.total + (uint64_t)in->stacks_size * 2 >= MEMPROF_RADIX_JUMP ||
	    in->frames_size >= MEMPROF_RADIX_JUMP)
		return err_set(err, PROF_E_LIMIT, "%llu frames of %u stacks "
		    "exceed the 2147483647 words of a call stack array",
		    (unsigned long long)b.total, in->stacks_size);
	if (!radix_order_frames(&b) || !radix_order_paths(&b) ||
	    !radix_encode_all(&b))
		return err_memory(err);
	return PROF_OK;
}
