#include "format/memprof/read_frames.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

static enum prof_status
frames_check_frame(const struct memprof_frames *f, uint32_t frame,
    struct prof_error *err)
{
	size_t at = memprof_frames_at(f, frame);
	unsigned is_inline;

	if (f->frames != NULL && f->frames[frame].size != MEMPROF_FRAME_SIZE)
		return err_at(err, PROF_E_CORRUPT, at, "DataLength %zu "
		    "is not the %d of a frame", f->frames[frame].size,
		    MEMPROF_FRAME_SIZE);
	is_inline = f->section->image.data[at + MEMPROF_FRAME_SIZE - 1];
	if (is_inline > 1)
		return err_at(err, PROF_E_CORRUPT,
		    at + MEMPROF_FRAME_SIZE - 1, "IsInlineFrame %u is "
		    "neither 0 nor 1", is_inline);
	return PROF_OK;
}

static int
frames_compare_keys(const void *a, const void *b)
{
	const struct memprof_item *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Reads the items of a hash table and sorts them by key; keys are unique. */
static enum prof_status
frames_load_table(const struct disk_hash *t, struct memprof_item **items,
    size_t *size, struct prof_error *err)
{
	struct disk_hash_walk walk = { .table = t };
	struct disk_hash_item item;
	struct arena arena = { 0 };
	enum prof_status status;
	size_t n = 0;

	status = disk_hash_check(t, &arena, err);
	arena_free(&arena);
	if (status != PROF_OK)
		return PROF_FAIL;
	*items = calloc((size_t)t->entries + 1, sizeof(**items));
	if (*items == NULL)
		return err_memory(err);
	while ((status = disk_hash_next(&walk, &item, err)) == PROF_OK)
		(*items)[n++] = (struct memprof_item){ .key = item.hash,
		    .at = item.data, .size = item.data_size };
	qsort(*items, n, sizeof(**items), frames_compare_keys);
	*size = n;
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
frames_load_tables(struct memprof_frames *f, struct prof_error *err)
{
	const struct memprof_section *s = f->section;

	if (frames_load_table(&s->frame_table, &f->frames, &f->frames_size, err)
	    != PROF_OK)
		return PROF_FAIL;
	if (s->row->stacks == MEMPROF_FRAME_IDS)
		return PROF_OK;
	if (frames_load_table(&s->stack_table, &f->stacks, &f->stacks_size, err)
	    != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < f->stacks_size; i++) {
		if (f->stacks[i].size % 8 != 0)
			return err_at(err, PROF_E_CORRUPT, f->stacks[i].at,
			    "DataLength %zu of a call stack is not a multiple "
			    "of 8", f->stacks[i].size);
	}
	return PROF_OK;
}

/* The frames of an array stand end to end, those of a table do not. */
static enum prof_status
frames_make_ids(struct memprof_frames *f, struct prof_error *err)
{
	const uint8_t *data = f->section->image.data;

	f->ids = calloc(f->frames_size + 1, sizeof(*f->ids));
	if (f->ids == NULL)
		return err_memory(err);
	if (f->frames == NULL) {
		memprof_frame_ids(data + f->section->frames, f->frames_size,
		    f->ids);
		return PROF_OK;
	}
	for (size_t i = 0; i < f->frames_size; i++)
		memprof_frame_ids(data + f->frames[i].at, 1, &f->ids[i]);
	return PROF_OK;
}

enum prof_status
memprof_frames_open(struct memprof_frames *f, const struct memprof_section *s,
    struct prof_error *err)
{
	*f = (struct memprof_frames){ .section = s,
	    .frames_size = s->frames_size };
	if (s->row->stacks != MEMPROF_RADIX_INDEX &&
	    frames_load_tables(f, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < f->frames_size; i++) {
		if (frames_check_frame(f, (uint32_t)i, err) != PROF_OK)
			return PROF_FAIL;
	}
	return frames_make_ids(f, err);
}

static const struct memprof_item *
frames_find_item(const struct memprof_item *items, size_t size, uint64_t key)
{
	struct memprof_item wanted = { .key = key };

	return bsearch(
	    &wanted, items, size, sizeof(*items), frames_compare_keys);
}

const struct memprof_item *
memprof_frames_stack(const struct memprof_frames *f, uint64_t id)
{
	return frames_find_item(f->stacks, f->stacks_size, id);
}

/* Jumps go forward, so that the walk ends. */
static enum prof_status
frames_walk_radix(struct memprof_frames *f, uint64_t index,
    struct prof_error *err)
{
	const struct memprof_section *s = f->section;
	uint32_t left = memprof_element(s, index), e;

	if (!ARRAY_RESERVE(f->walked, 0, left, f->walked_room))
		return err_memory(err);
	for (uint64_t i = index + 1; left > 0; left--, i++) {
		uint64_t at = i;

		if (i < s->radix_size &&
		    (e = memprof_element(s, i)) >= MEMPROF_RADIX_JUMP)
			i += UINT32_C(0) - e;
		if (i >= s->radix_size)
			return err_at(err, PROF_E_CORRUPT, s->radix + at * 4,
			    "call stack %llu: it leads to element %llu of the "
			    "%zu of the radix array",
			    (unsigned long long)index, (unsigned long long)i,
			    s->radix_size);
		e = memprof_element(s, i);
		if (e >= f->frames_size)
			return err_at(err, PROF_E_CORRUPT, s->radix + i * 4,
			    "call stack %llu: frame %u is not one of the %zu "
			    "frames", (unsigned long long)index, e,
			    f->frames_size);
		f->walked[f->walked_size++] = e;
	}
	return PROF_OK;
}

/* Walks the ids of frames from c to its end. */
static enum prof_status
frames_walk_ids(struct memprof_frames *f, struct cursor c,
    struct prof_error *err)
{
	while (cur_left(&c) > 0) {
		size_t at = c.pos;
		uint64_t key = cur_u64(&c);
		const struct memprof_item *item =
		    frames_find_item(f->frames, f->frames_size, key);

		if (item == NULL)
			return err_at(err, PROF_E_CORRUPT, at, "frame id "
			    "0x%016llx is not in the frame table",
			    (unsigned long long)key);
		if (!ARRAY_ADD(f->walked, f->walked_size, f->walked_room,
		    (uint32_t)(item - f->frames)))
			return err_memory(err);
	}
	return PROF_OK;
}

enum prof_status
memprof_frames_walk(struct memprof_frames *f, uint64_t where,
    struct prof_error *err)
{
	const struct memprof_section *s = f->section;
	struct cursor c = { .data = s->image.data, .size = s->image.size };

	f->walked_size = 0;
	switch (s->row->stacks) {
	case MEMPROF_RADIX_INDEX:
		return frames_walk_radix(f, where, err);
	case MEMPROF_STACK_IDS:
		c.pos = f->stacks[where].at;
		c.size = c.pos + f->stacks[where].size;
		return frames_walk_ids(f, c, err);
	default:
		c.pos = (size_t)where;
		c.size = (size_t)where + 8 + (size_t)cur_u64(&c) * 8;
		return frames_walk_ids(f, c, err);
	}
}

void
memprof_frames_close(struct memprof_frames *f)
{
	free(f->frames);
	free(f->stacks);
	free(f->ids);
	free(f->walked);
}
