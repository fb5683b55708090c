#include <stdlib.h>

#include "base/arena.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/hash.h"
#include "format/memprof/layout.h"

/* The offset in the file of the frame with that index. */
static inline size_t
memprof_frames_at(const struct memprof_frames *f, uint32_t frame)
{
	return f->frames != NULL ? f->frames[frame].at :
	    f->section->frames + (size_t)frame * MEMPROF_FRAME_SIZE;
}

/* An element of the radix array, whose index must be below its size. */
static inline uint32_t
memprof_element(const struct memprof_section *s, uint64_t index)
{
	return load_u32(s->image.data + s->radix + (size_t)index * 4, false);
}

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

/*
 * Reads all frames, and the stacks of the call stack table if there is one.
 * The section must outlive the result.  To be closed after failure too.
 */
static enum prof_status
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

	return bsearch(&wanted, items, size, sizeof(*items),
	    frames_compare_keys);
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

/*
 * Puts the frames of a stack into `walked`.  `where` depends on row->stacks:
 * FRAME_IDS: offset of the stack's length, which was checked; STACK_IDS: index
 * into `stacks`; RADIX_INDEX: index of its length, within the radix array.
 */
static enum prof_status
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

/*
 * The most frames that all stacks of a file may have: far above real files, as
 * a context takes some 40 bytes and seldom has 100 frames (the runtime records
 * 30 addresses by default).
 */
static uint64_t
stack_set_frames_limit(size_t file_size)
{
	return ((uint64_t)1 << 18) + (uint64_t)32 * file_size;
}

enum prof_status
memprof_stack_set_open(struct memprof_stack_set *st,
    const struct memprof_section *s, struct prof_error *err)
{
	*st = (struct memprof_stack_set){ .section = s,
	    .frames_left = stack_set_frames_limit(s->image.size) };
	return memprof_frames_open(&st->frames, s, err);
}

/* The id of the stack that was walked (memprof_stack_id). */
static enum prof_status
stack_set_walked_id(struct memprof_stack_set *st, uint64_t *id,
    struct prof_error *err)
{
	const struct memprof_frames *f = &st->frames;

	st->ids.size = 0;
	for (size_t i = 0; i < f->walked_size; i++)
		buf_u64le(&st->ids, f->ids[f->walked[i]]);
	*id = memprof_stack_id(&st->ids);
	return st->ids.failed ? err_memory(err) : PROF_OK;
}

/* Whether the stack with that number has the same frames as that at `where`. */
static enum prof_status
stack_set_is_same(struct memprof_stack_set *st, uint64_t where, uint32_t number,
    bool *same, struct prof_error *err)
{
	const uint8_t *data = st->section->image.data;
	struct memprof_frames *mine = &st->frames, other = st->frames;

	other.walked = NULL;
	other.walked_room = 0;
	if (memprof_frames_walk(mine, where, err) != PROF_OK ||
	    memprof_frames_walk(&other, st->entries[number].where, err) !=
	    PROF_OK) {
		free(other.walked);
		return PROF_FAIL;
	}
	*same = other.walked_size == mine->walked_size;
	for (size_t i = 0; *same && i < other.walked_size; i++)
		*same = memcmp(data + memprof_frames_at(mine, mine->walked[i]),
		    data + memprof_frames_at(mine, other.walked[i]),
		    MEMPROF_FRAME_SIZE) == 0;
	free(other.walked);
	return PROF_OK;
}

/*
 * Gives a stack its number: that of a stack before it with the same frames, or
 * the next one.  One whose id another stack has gets the next free id.
 */
static enum prof_status
stack_set_number(struct memprof_stack_set *st, struct memprof_stack_entry e,
    struct prof_error *err)
{
	uint64_t *number;
	bool same = false;

	while ((number = id_map_add(&st->by_id, e.id, st->size)) != NULL &&
	    *number != st->size) {
		if (stack_set_is_same(st, e.where, (uint32_t)*number, &same,
		    err) != PROF_OK)
			return PROF_FAIL;
		if (same)
			break;
		e.id++;
	}
	if (number == NULL)
		return err_memory(err);
	*id_map_find(&st->by_place, e.where) = *number;
	if (!same)
		st->entries[st->size++] = e;
	return PROF_OK;
}

enum prof_status
memprof_stack_set_finish(struct memprof_stack_set *st, struct prof_error *err)
{
	size_t size = st->size;

	st->size = 0;
	for (size_t i = 0; i < size; i++) {
		if (stack_set_number(st, st->entries[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Moves behind the ids of a stack's frames. */
static enum prof_status
stack_set_skip_frames(struct cursor *c, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t n = cur_u64(c);

	if (c->failed || n > cur_left(c) / 8)
		return err_at(err, PROF_E_CORRUPT, at, "a call stack of %llu "
		    "frames exceeds the %zu bytes left of the record",
		    (unsigned long long)n, cur_left(c));
	cur_bytes(c, n * 8);
	return PROF_OK;
}

/* Finds the id at the cursor in the call stack table. */
static enum prof_status
stack_set_find_id(const struct memprof_stack_set *st, struct cursor *c,
    uint64_t *index, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t id = cur_u64(c);
	const struct memprof_item *item = c->failed ? NULL : frames_find_item(
	    st->frames.stacks, st->frames.stacks_size, id);

	if (item == NULL)
		return err_at(err, PROF_E_CORRUPT, at, "call stack id "
		    "0x%016llx is not in the call stack table",
		    (unsigned long long)id);
	*index = (uint64_t)(item - st->frames.stacks);
	return PROF_OK;
}

/* Checks the index and length of a stack before its first walk. */
static enum prof_status
stack_set_check_index(struct memprof_stack_set *st, uint32_t index, size_t at,
    struct prof_error *err)
{
	const struct memprof_section *s = st->section;
	uint32_t frames;

	if (index >= s->radix_size)
		return err_at(err, PROF_E_CORRUPT, at, "call stack %u is not "
		    "one of the %zu elements of the radix array", index,
		    s->radix_size);
	frames = memprof_element(s, index);
	if (frames > s->radix_size - index - 1)
		return err_at(err, PROF_E_CORRUPT,
		    s->radix + (size_t)index * 4, "call stack %u: %u frames "
		    "exceed the %zu elements left of the radix array", index,
		    frames, s->radix_size - index - 1);
	if (frames > st->frames_left)
		return err_at(err, PROF_E_LIMIT, at, "call stacks have more "
		    "than %llu frames, the limit for a file of this size",
		    (unsigned long long)stack_set_frames_limit(s->image.size));
	st->frames_left -= frames;
	return PROF_OK;
}

/* Adds the stack at a place that was not read before. */
static enum prof_status
stack_set_add(struct memprof_stack_set *st, uint64_t place,
    struct prof_error *err)
{
	struct memprof_stack_entry e = { .where = place };

	if (memprof_frames_walk(&st->frames, place, err) != PROF_OK)
		return PROF_FAIL;
	if (st->section->row->stacks == MEMPROF_STACK_IDS)
		e.id = st->frames.stacks[place].key;
	else if (stack_set_walked_id(st, &e.id, err) != PROF_OK)
		return PROF_FAIL;
	return ARRAY_ADD(st->entries, st->size, st->room, e) ? PROF_OK :
	    err_memory(err);
}

enum prof_status
memprof_stack_set_read(struct memprof_stack_set *st, struct cursor *c,
    uint64_t *id, struct prof_error *err)
{
	enum memprof_stack_form form = st->section->row->stacks;
	enum prof_status status = PROF_OK;
	size_t at = c->pos;
	uint64_t place = at, *number;

	if (form == MEMPROF_RADIX_INDEX)
		place = cur_u32(c);
	else if (form == MEMPROF_STACK_IDS)
		status = stack_set_find_id(st, c, &place, err);
	else
		status = stack_set_skip_frames(c, err);
	if (c->failed && status == PROF_OK)
		return err_at(err, PROF_E_CORRUPT, at, "the 4 bytes of a call "
		    "stack exceed the %zu left of the record", cur_left(c));
	if (status != PROF_OK)
		return status;
	number = id_map_add(&st->by_place, place, st->size);
	if (number == NULL)
		return err_memory(err);
	if (*number == st->size) {
		if ((form == MEMPROF_RADIX_INDEX && stack_set_check_index(st,
		    (uint32_t)place, at, err) != PROF_OK) ||
		    stack_set_add(st, place, err) != PROF_OK)
			return PROF_FAIL;
	}
	*id = st->entries[*number].id;
	return PROF_OK;
}

enum prof_status
memprof_stack_set_item(struct memprof_stack_set *st, size_t number,
    struct arena *a, struct prof_stack *out, struct prof_error *err)
{
	const struct memprof_frames *f = &st->frames;
	struct prof_frame *frames;

	if (memprof_frames_walk(&st->frames, st->entries[number].where, err)
	    != PROF_OK)
		return PROF_FAIL;
	frames = arena_array(a, f->walked_size, sizeof(*frames));
	if (frames == NULL)
		return err_memory(err);
	for (size_t i = 0; i < f->walked_size; i++) {
		const uint8_t *p = st->section->image.data +
		    memprof_frames_at(f, f->walked[i]);

		frames[i] = (struct prof_frame){
		    .function.guid = load_u64(p, false),
		    .line_offset = load_u32(p + 8, false),
		    .column = load_u32(p + 12, false),
		    .flags = PROF_FRAME_LINE_OFFSET | PROF_FRAME_COLUMN |
		    (p[16] != 0 ? PROF_FRAME_INLINE : 0u) };
	}
	*out = (struct prof_stack){ .id = st->entries[number].id,
	    .frames = frames, .frame_numbers = f->walked,
	    .frames_size = f->walked_size };
	return PROF_OK;
}

void
memprof_stack_set_close(struct memprof_stack_set *st)
{
	free(st->frames.frames);
	free(st->frames.stacks);
	free(st->frames.ids);
	free(st->frames.walked);
	free(st->entries);
	id_map_free(&st->by_place);
	id_map_free(&st->by_id);
	buf_free(&st->ids);
}
