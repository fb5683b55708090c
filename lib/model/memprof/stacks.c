#include "model/memprof/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/numbers.h"
#include "model/heap.h"
#include "model/memprof/build.h"

void
memprof_frame_bytes(const struct memprof_frame *f,
    uint8_t bytes[MEMPROF_FRAME_SIZE])
{
	store_u64le(bytes, f->guid);
	store_u64le(bytes + 8, (uint64_t)f->column << 32 | f->line_offset);
	bytes[16] = f->is_inline;
}

uint64_t
memprof_frame_id(const struct memprof_frame *f)
{
	uint8_t bytes[MEMPROF_FRAME_SIZE];

	memprof_frame_bytes(f, bytes);
	return blake3_u64(bytes, sizeof(bytes));
}

void
memprof_frame_ids(const uint8_t *frames, size_t n, uint64_t *ids)
{
	for (size_t i = 0; i < n; i++)
		ids[i] = blake3_u64(frames + i * MEMPROF_FRAME_SIZE,
		    MEMPROF_FRAME_SIZE);
}

uint64_t
memprof_frame_id_llvm15(const struct memprof_frame *f)
{
	const uint64_t parts[] = { f->guid, f->line_offset, f->column,
	    f->is_inline };
	uint64_t id = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		id ^= parts[i] + 0x9e3779b97f4a7c15 + (id << 6) + (id >> 2);
	return id;
}

uint64_t
memprof_stack_id(const struct buf *frame_ids)
{
	return frame_ids->failed ? 0 :
	    blake3_u64(frame_ids->data, frame_ids->size);
}

/* The frames of one address as they came, the innermost inlined one first. */
struct address_frames {
	const struct prof_frame *frames;
	const uint32_t *numbers;	/* of the reader, or NULL */
	size_t size;
};

static struct address_frames
stacks_next_address(const struct prof_stack *s, size_t at)
{
	return (struct address_frames){ s->frames + at,
	    s->frame_numbers == NULL ? NULL : s->frame_numbers + at,
	    frame_pool_address_size(s, at) };
}

static struct memprof_frame
stacks_convert_frame(const struct prof_frame *f)
{
	struct memprof_frame out = { .guid = f->function.guid != 0 ?
	    f->function.guid : memprof_guid(memprof_frame_name(
	    f->function.name)),
	    .column = f->column,
	    .is_inline = (f->flags & PROF_FRAME_INLINE) != 0 };

	/* An unknown start line counts as 0, as in LLVM. */
	out.line_offset = (f->flags & PROF_FRAME_LINE_OFFSET) != 0 ?
	    f->line_offset : f->line - f->start_line;
	return out;
}

/* Index of a frame, added if it is new; INDEX_NONE if out of memory. */
static uint32_t
stacks_add_frame(struct memprof_stacks *s, const struct prof_frame *from)
{
	struct memprof_frame f = stacks_convert_frame(from);
	const uint32_t key[] = { (uint32_t)f.guid, (uint32_t)(f.guid >> 32),
	    f.line_offset, f.column, f.is_inline };
	uint32_t size = s->frame_keys.size, at;

	if (size == MEMPROF_SINGLE - 1 ||
	    !ARRAY_ROOM(s->frames, size, s->frames_room) ||
	    !ARRAY_ROOM(s->singles, size, s->singles_room))
		return INDEX_NONE;
	at = list_pool_add(&s->frame_keys, key, 5);
	if (at == size) {
		s->frames[at] = f;
		s->singles[at] = at;
	}
	return at;
}

/* The same of the i-th frame of an address, which may have a number. */
static uint32_t
stacks_add_numbered(struct memprof_stacks *s, struct address_frames g, size_t i)
{
	uint32_t *known;

	if (g.numbers == NULL)
		return stacks_add_frame(s, &g.frames[i]);
	known = frame_numbers_at(&s->numbered, g.numbers[i]);
	if (known != NULL && *known == INDEX_NONE)
		*known = stacks_add_frame(s, &g.frames[i]);
	return known == NULL ? INDEX_NONE : *known;
}

/* list_pool_add, but numbers are below MEMPROF_SINGLE. */
static uint32_t
stacks_add_list(struct list_pool *lists, const uint32_t *numbers, uint32_t size)
{
	return lists->size < MEMPROF_SINGLE ?
	    list_pool_add(lists, numbers, size) : INDEX_NONE;
}

/* A group of frames, added if it is new; INDEX_NONE: no memory. */
static uint32_t
stacks_add_group(struct memprof_stacks *s, struct address_frames g)
{
	uint32_t single;

	if (g.size == 1) {
		single = stacks_add_numbered(s, g, 0);
		return single == INDEX_NONE ? single : MEMPROF_SINGLE | single;
	}
	if (!ARRAY_RESERVE(s->scratch, 0, g.size, s->scratch_room))
		return INDEX_NONE;
	for (size_t i = 0; i < g.size; i++) {
		s->scratch[i] = stacks_add_numbered(s, g, i);
		if (s->scratch[i] == INDEX_NONE)
			return INDEX_NONE;
	}
	return stacks_add_list(&s->groups, s->scratch, (uint32_t)g.size);
}

/* Segment and address of a stack's n-th address, as a key of four numbers. */
static void
stacks_address_key(const struct prof_stack *from, size_t n, uint32_t out[4])
{
	uint64_t segment = from->segments == NULL ? PROF_NO_SEGMENT :
	    from->segments[n];
	uint64_t pc = from->pcs[n];

	out[0] = (uint32_t)segment;
	out[1] = (uint32_t)(segment >> 32);
	out[2] = (uint32_t)pc;
	out[3] = (uint32_t)(pc >> 32);
}

static bool
stacks_note_unknown(struct memprof_stacks *s, const struct prof_stack *from,
    size_t n)
{
	uint32_t address[4];

	if (from->pcs_size == 0) {
		s->incomplete_frames++;
		return true;
	}
	stacks_address_key(from, n, address);
	return list_pool_add(&s->unknown, address, 4) != INDEX_NONE;
}

/*
 * Forgets all addresses so far, which had no place, since the profile is about
 * to get one that has.  Stacks of functions' records that are in use stay.
 */
static void
stacks_forget_addresses(struct memprof_stacks *s)
{
	for (size_t i = 0; i < s->ids.size; i++)
		s->entries[i].size = 0;
	if (s->contents.size != 0)
		return;
	list_pool_free(&s->frame_keys);
	list_pool_free(&s->groups);
	list_pool_free(&s->locations);
	frame_numbers_clear(&s->numbered);
}

/*
 * Whether an address is left out since it has a function but no place.  While
 * no address of the profile has a place, all stay.
 */
static bool
stacks_is_without_place(struct memprof_stacks *s,
    struct memprof_stack_record *e, const struct prof_frame *first)
{
	if (memprof_has_place(first)) {
		if (!s->has_places)
			stacks_forget_addresses(s);
		s->has_places = true;
		return false;
	}
	s->without_place += !e->without_place;
	e->without_place = true;
	return s->has_places;
}

/* The location of the n-th address; INDEX_NONE: no memory. */
static uint32_t
stacks_add_key(struct memprof_stacks *s, const struct prof_stack *from,
    size_t n, struct address_frames g)
{
	uint32_t key[5] = { stacks_add_group(s, g) };

	if (key[0] == INDEX_NONE)
		return INDEX_NONE;
	if (from->pcs_size != 0) {
		stacks_address_key(from, n, key + 1);
		return stacks_add_list(&s->locations, key, 5);
	}
	return key[0] >= MEMPROF_SINGLE ? key[0] :
	    stacks_add_list(&s->locations, key, 1);
}

static bool
stacks_add_location(struct memprof_stacks *s, struct memprof_stack_record *e,
    const struct prof_stack *from, size_t n, struct address_frames g)
{
	uint32_t at, *known = NULL;

	/*
	 * The location may be known of an address that is told by its one
	 * frame, and whose frame is numbered.
	 */
	if (from->pcs_size == 0 && g.size == 1 && g.numbers != NULL)
		known = frame_numbers_at(&s->located, g.numbers[0]);
	if (known != NULL && *known != INDEX_NONE) {
		*memprof_location_at(s, e, e->size++) = *known;
		return true;
	}
	if (frame_is_empty(&g.frames[0])) {
		e->incomplete = true;
		return stacks_note_unknown(s, from, n);
	}
	if (memprof_is_runtime(&g.frames[0]) ||
	    stacks_is_without_place(s, e, &g.frames[0]))
		return true;
	at = stacks_add_key(s, from, n, g);
	if (known != NULL && memprof_has_place(&g.frames[0]))
		*known = at;
	*memprof_location_at(s, e, e->size++) = at;
	return at != INDEX_NONE;
}

static enum prof_status
stacks_fill_entry(struct memprof_stacks *s, struct memprof_stack_record *e,
    const struct prof_stack *from, struct prof_error *err)
{
	size_t groups = 0, n = 0;
	struct address_frames g;

	for (size_t i = 0; i < from->frames_size; groups++)
		i += frame_pool_address_size(from, i);
	if (from->pcs_size != 0 && groups != 0 && groups != from->pcs_size)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx has %zu "
		    "addresses and frames of %zu",
		    (unsigned long long)from->id, from->pcs_size, groups);
	if (from->frames_size > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "stack 0x%016llx has more "
		    "than 4294967295 frames", (unsigned long long)from->id);
	if (!ARRAY_RESERVE(s->places, s->places_size, groups, s->places_room))
		return err_memory(err);
	e->first = s->places_size;
	for (size_t i = 0; i < from->frames_size; i += g.size) {
		g = stacks_next_address(from, i);
		if (!stacks_add_location(s, e, from, n++, g))
			return err_memory(err);
	}
	for (; n < from->pcs_size; n++) {
		e->incomplete = true;
		if (!stacks_note_unknown(s, from, n))
			return err_memory(err);
	}
	s->places_size += e->size;
	s->incomplete += e->incomplete;
	return PROF_OK;
}

/*
 * Compares a stack with the one that was put with its id.  The stack is filled
 * once more for that, but what is counted and its places are forgotten.
 */
static enum prof_status
stacks_put_again(struct memprof_stacks *s, uint32_t first,
    const struct prof_stack *from, struct prof_error *err)
{
	const uint64_t incomplete = s->incomplete,
	    frames = s->incomplete_frames, without_place = s->without_place;
	const uint32_t unknown = s->unknown.size;
	const size_t places = s->places_size;
	struct memprof_stack_record again = { .content = INDEX_NONE };
	const struct memprof_stack_record *old;

	if (stacks_fill_entry(s, &again, from, err) != PROF_OK)
		return PROF_FAIL;
	s->incomplete = incomplete;
	s->incomplete_frames = frames;
	s->without_place = without_place;
	s->places_size = places;
	old = &s->entries[first];
	/* stacks_forget_addresses may leave no location. */
	return s->unknown.size == unknown && old->size == again.size &&
	    old->incomplete == again.incomplete && (old->size == 0 ||
	    memcmp(memprof_location_at(s, old, 0), memprof_location_at(s,
	    &again, 0), old->size * sizeof(*s->places)) == 0) ? PROF_OK :
	    err_set(err, PROF_E_CORRUPT, "stack 0x%016llx occurs twice in its "
	    "profile, and differs", (unsigned long long)from->id);
}

enum prof_status
memprof_stacks_put(struct memprof_stacks *s, const struct prof_stack *from,
    struct prof_error *err)
{
	size_t at = s->ids.size;
	const uint64_t *known;

	if (!ARRAY_ROOM(s->entries, at, s->entries_room) ||
	    (known = id_map_add(&s->ids, from->id, at)) == NULL)
		return err_memory(err);
	if (s->ids.size == at)
		return stacks_put_again(s, (uint32_t)*known, from, err);
	s->entries[at] = (struct memprof_stack_record){ .content = INDEX_NONE };
	return stacks_fill_entry(s, &s->entries[at], from, err);
}

struct memprof_stack_record *
memprof_stacks_find(struct memprof_stacks *s, uint64_t id, const char *whose,
    struct prof_error *err)
{
	uint32_t at = id_map_index(&s->ids, id);

	if (at != INDEX_NONE)
		return &s->entries[at];
	err_set(err, PROF_E_CORRUPT, "stack 0x%016llx of %s is missing",
	    (unsigned long long)id, whose);
	return NULL;
}

struct list_pool_entry
memprof_location(const struct memprof_stacks *s, uint32_t location)
{
	uint32_t group = location >= MEMPROF_SINGLE ? location :
	    s->locations.items[location].numbers[0];

	return group < MEMPROF_SINGLE ? s->groups.items[group] :
	    (struct list_pool_entry){ &s->singles[group - MEMPROF_SINGLE], 1 };
}

uint32_t
memprof_stacks_use_location(struct memprof_stacks *s, uint32_t location)
{
	struct list_pool_entry g = memprof_location(s, location);

	return list_pool_add(&s->contents, g.numbers, g.size);
}

uint32_t
memprof_stacks_use(struct memprof_stacks *s, struct memprof_stack_record *e)
{
	size_t size = 0, at = 0;

	if (e->content != INDEX_NONE)
		return e->content;
	for (uint32_t i = 0; i < e->size; i++)
		size += memprof_location(s,
		    *memprof_location_at(s, e, i)).size;
	if (!ARRAY_RESERVE(s->scratch, 0, size, s->scratch_room))
		return INDEX_NONE;
	for (uint32_t i = 0; i < e->size; i++) {
		struct list_pool_entry g = memprof_location(s,
		    *memprof_location_at(s, e, i));

		memcpy(s->scratch + at, g.numbers, g.size * sizeof(*g.numbers));
		at += g.size;
	}
	e->content = list_pool_add(&s->contents, s->scratch, (uint32_t)size);
	return e->content;
}

/* Sorts the frames, without renumbering them.  False if out of memory. */
static bool
stacks_order_frames(const struct memprof_stacks *s,
    struct number_sort_item *order)
{
	const struct memprof_frame *f = s->frames;
	uint32_t n = s->frame_keys.size;

	/* Frames that are equal in one key stay in the order of the last. */
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct number_sort_item){ f[i].is_inline, i };
	if (!number_sort(order, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i].key = (uint64_t)f[order[i].item].line_offset << 32 |
		    f[order[i].item].column;
	if (!number_sort(order, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i].key = f[order[i].item].guid;
	return number_sort(order, n);
}

/* Sorts the frames, also in the contents.  False if out of memory. */
static bool
stacks_sort_frames(struct memprof_stacks *s)
{
	uint32_t n = s->frame_keys.size;
	struct number_sort_item *order = calloc((size_t)n + 1, sizeof(*order));
	struct memprof_frame *frames = calloc((size_t)n + 1, sizeof(*frames));
	uint32_t *numbers = calloc((size_t)n + 1, sizeof(*numbers));
	bool done = order != NULL && frames != NULL && numbers != NULL &&
	    stacks_order_frames(s, order);

	for (uint32_t i = 0; done && i < n; i++) {
		frames[i] = s->frames[order[i].item];
		numbers[order[i].item] = i;
	}
	for (uint32_t i = 0; done && i < s->contents.size; i++) {
		struct list_pool_entry e = s->contents.items[i];
		uint32_t *own = (uint32_t *)(uintptr_t)e.numbers;

		for (uint32_t k = 0; k < e.size; k++)
			own[k] = numbers[own[k]];
	}
	free(order);
	free(numbers);
	free(done ? s->frames : frames);
	if (done)
		s->frames = frames;
	return done;
}

/* A content as it is sorted, and its number. */
struct stacks_sorted_content {
	struct list_pool_entry frames;
	uint32_t number;
};

static int
stacks_compare_contents(const void *a, const void *b)
{
	const struct list_pool_entry *x = &((const struct stacks_sorted_content
	    *)a)->frames, *y = &((const struct stacks_sorted_content *)
	    b)->frames;

	for (uint32_t i = 0; i < x->size && i < y->size; i++) {
		if (x->numbers[i] != y->numbers[i])
			return x->numbers[i] < y->numbers[i] ? -1 : 1;
	}
	return compare_u64(x->size, y->size);
}

bool
memprof_stacks_sort(struct memprof_stacks *s, uint32_t *numbers)
{
	uint32_t n = s->contents.size;
	struct number_sort_item *order = calloc((size_t)n + 1, sizeof(*order));
	struct stacks_sorted_content *sorted = calloc((size_t)n + 1,
	    sizeof(*sorted));
	bool done = order != NULL && sorted != NULL && stacks_sort_frames(s);

	/* By the first two frames of a content first; most have one. */
	for (uint32_t i = 0; done && i < n; i++) {
		const struct list_pool_entry *e = &s->contents.items[i];

		order[i] = (struct number_sort_item){ e->size == 0 ? 0 :
		    (uint64_t)e->numbers[0] << 32 | (e->size == 1 ? 0 :
		    e->numbers[1] + UINT64_C(1)), i };
	}
	done = done && number_sort(order, n);
	for (uint32_t i = 0; done && i < n; i++)
		sorted[i] = (struct stacks_sorted_content){
		    s->contents.items[order[i].item], order[i].item };
	for (uint32_t i = 0, end; done && i < n; i = end) {
		for (end = i + 1; end < n && order[end].key == order[i].key;)
			end++;
		if (end != i + 1)
			qsort(sorted + i, end - i, sizeof(*sorted),
			    stacks_compare_contents);
	}
	for (uint32_t i = 0; done && i < n; i++) {
		s->contents.items[i] = sorted[i].frames;
		numbers[sorted[i].number] = i;
	}
	free(order);
	free(sorted);
	return done;
}

void
memprof_stacks_finish(struct memprof_stacks *s)
{
	list_pool_free(&s->frame_keys);
	hash_index_seal(&s->contents.index);
	frame_numbers_free(&s->numbered);
	frame_numbers_free(&s->located);
	list_pool_free(&s->groups);
	list_pool_free(&s->locations);
	list_pool_free(&s->unknown);
	id_map_free(&s->ids);
	free(s->contents.items);
	free(s->singles);
	free(s->entries);
	free(s->places);
	free(s->scratch);
	s->contents.items = NULL;
	s->singles = NULL;
	s->entries = NULL;
	s->places = s->scratch = NULL;
}

void
memprof_stacks_free(struct memprof_stacks *s)
{
	memprof_stacks_finish(s);
	list_pool_free(&s->contents);
	free(s->frames);
}
