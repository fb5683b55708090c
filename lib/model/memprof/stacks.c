#include "model/memprof/stacks.h"

#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/frame_pool.h"
#include "model/memprof_guid.h"

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

static bool
stacks_frame_is_unknown(const struct prof_frame *f)
{
	return f->function.guid == 0 && f->function.name.data == NULL;
}

/* Without a name, LLVM hashes what its symbolizer prints for such functions. */
static uint64_t
stacks_guid(const struct prof_symbol *s)
{
	static const char nameless[] = "<invalid>";

	if (s->guid != 0)
		return s->guid;
	if (s->name.data != NULL)
		return memprof_guid(s->name);
	return memprof_guid((struct prof_span){
	    (const uint8_t *)nameless, sizeof(nameless) - 1 });
}

static struct memprof_frame
stacks_convert_frame(const struct prof_frame *f)
{
	struct memprof_frame out = { .guid = stacks_guid(&f->function),
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

	at = list_pool_add(&s->frame_keys, key, 5);
	if (at == INDEX_NONE || at < size)
		return at;
	if (!ARRAY_ROOM(s->frames, size, s->frames_room))
		return INDEX_NONE;
	s->frames[at] = f;
	if (!ARRAY_ROOM(s->singles, size, s->singles_room))
		return INDEX_NONE;
	s->singles[at] = (struct memprof_single){ INDEX_NONE, INDEX_NONE };
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

/* Index of a group of frames, added if it is new; INDEX_NONE: no memory. */
static uint32_t
stacks_add_group(struct memprof_stacks *s, struct address_frames g)
{
	if (!ARRAY_RESERVE(s->scratch, 0, g.size, s->scratch_room))
		return INDEX_NONE;
	for (size_t i = 0; i < g.size; i++) {
		s->scratch[i] = stacks_add_numbered(s, g, i);
		if (s->scratch[i] == INDEX_NONE)
			return INDEX_NONE;
	}
	return list_pool_add(&s->groups, s->scratch, (uint32_t)g.size);
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
	for (uint32_t i = 0; i < s->ids.size; i++)
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

static bool
stacks_is_of_run(const struct memprof_stacks *s, const struct prof_stack *from,
    size_t n)
{
	return from->segments != NULL &&
	    id_map_find(&s->unnamed, from->segments[n]) != NULL;
}

/* Index of the location of the n-th address; INDEX_NONE: no memory. */
static uint32_t
stacks_add_key(struct memprof_stacks *s, const struct prof_stack *from,
    size_t n, uint32_t group)
{
	uint32_t key[5] = { group };

	if (from->pcs_size == 0 || stacks_is_of_run(s, from, n))
		return list_pool_add(&s->locations, key, 1);
	stacks_address_key(from, n, key + 1);
	return list_pool_add(&s->locations, key, 5);
}

/*
 * The location of an address of one frame, as most have: its group, and the
 * location if there are no addresses, are found by the index of the frame.
 */
static uint32_t
stacks_add_single(struct memprof_stacks *s, const struct prof_stack *from,
    size_t n, struct address_frames g)
{
	uint32_t at = stacks_add_numbered(s, g, 0), location;
	struct memprof_single *single;

	if (at == INDEX_NONE)
		return INDEX_NONE;
	single = &s->singles[at];
	if (from->pcs_size == 0 && single->location != INDEX_NONE)
		return single->location;
	if (single->group == INDEX_NONE)
		single->group = list_pool_add(&s->groups, &at, 1);
	if (single->group == INDEX_NONE)
		return INDEX_NONE;
	location = stacks_add_key(s, from, n, single->group);
	if (from->pcs_size == 0)
		single->location = location;
	return location;
}

static uint32_t
stacks_add_several(struct memprof_stacks *s, const struct prof_stack *from,
    size_t n, struct address_frames g)
{
	uint32_t group = stacks_add_group(s, g);

	return group == INDEX_NONE ? INDEX_NONE :
	    stacks_add_key(s, from, n, group);
}

/*
 * Where the location is known of an address that is told by its one frame, and
 * whose frame is numbered; else NULL, as if out of memory.
 */
static uint32_t *
stacks_known_location(struct memprof_stacks *s, const struct prof_stack *from,
    struct address_frames g)
{
	return from->pcs_size == 0 && g.size == 1 && g.numbers != NULL ?
	    frame_numbers_at(&s->located, g.numbers[0]) : NULL;
}

static bool
stacks_add_location(struct memprof_stacks *s, struct memprof_stack_record *e,
    const struct prof_stack *from, size_t n, struct address_frames g)
{
	uint32_t at, *known = stacks_known_location(s, from, g);

	if (known != NULL && *known != INDEX_NONE) {
		e->locations[e->size++] = *known;
		return true;
	}
	if (stacks_frame_is_unknown(&g.frames[0])) {
		e->incomplete = true;
		return stacks_note_unknown(s, from, n);
	}
	if (memprof_is_runtime(&g.frames[0]) ||
	    stacks_is_without_place(s, e, &g.frames[0]))
		return true;
	at = g.size == 1 ? stacks_add_single(s, from, n, g) :
	    stacks_add_several(s, from, n, g);
	if (known != NULL && memprof_has_place(&g.frames[0]))
		*known = at;
	e->locations[e->size++] = at;
	return at != INDEX_NONE;
}

static enum prof_status
stacks_watch_frames(struct memprof_stacks *s, const struct prof_frame *frames,
    size_t count, struct prof_error *err)
{
	enum prof_status status;
	struct buf ids = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct memprof_frame f = stacks_convert_frame(&frames[i]);

		buf_u64le(&ids, memprof_frame_id(&f));
	}
	status = ids.failed ? err_memory(err) : s->watcher(s->watcher_arg,
	    memprof_stack_id(&ids), frames, count, err);
	buf_free(&ids);
	return status;
}

/* Shows the watcher the frames of each address that is used, then all. */
static enum prof_status
stacks_watch_stack(struct memprof_stacks *s, const struct prof_stack *from,
    struct prof_error *err)
{
	struct address_frames g;
	size_t n = 0;

	for (size_t i = 0; i < from->frames_size; i += g.size) {
		g = stacks_next_address(from, i);
		if (stacks_frame_is_unknown(&g.frames[0]) ||
		    !memprof_has_place(&g.frames[0]) ||
		    memprof_is_runtime(&g.frames[0]))
			continue;
		for (size_t j = 0; j < g.size; j++, n++) {
			if (!ARRAY_ROOM(s->watched, n, s->watched_room))
				return err_memory(err);
			s->watched[n] = g.frames[j];
		}
		if (stacks_watch_frames(s, g.frames, g.size, err) != PROF_OK)
			return PROF_FAIL;
	}
	return n == 0 ? PROF_OK : stacks_watch_frames(s, s->watched, n, err);
}

static size_t
stacks_count_addresses(const struct prof_stack *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->frames_size;
	     i += frame_pool_address_size(s, i))
		count++;
	return count;
}

static enum prof_status
stacks_fill_entry(struct memprof_stacks *s, struct memprof_stack_record *e,
    const struct prof_stack *from, struct prof_error *err)
{
	size_t groups = stacks_count_addresses(from), n = 0;
	struct address_frames g;

	if (from->pcs_size != 0 && groups != 0 && groups != from->pcs_size)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx has %zu "
		    "addresses and frames of %zu",
		    (unsigned long long)from->id, from->pcs_size, groups);
	if (from->frames_size > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "stack 0x%016llx has more "
		    "than 4294967295 frames", (unsigned long long)from->id);
	e->locations = arena_array(&s->arena, groups, sizeof(*e->locations));
	if (e->locations == NULL)
		return err_memory(err);
	for (size_t i = 0; i < from->pcs_size && !e->of_run; i++)
		e->of_run = stacks_is_of_run(s, from, i);
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
	s->incomplete += e->incomplete;
	return PROF_OK;
}

enum prof_status
memprof_stacks_put_segment(struct memprof_stacks *s,
    const struct prof_segment *segment, struct prof_error *err)
{
	return segment->build_id.size != 0 ||
	    id_map_add(&s->unnamed, segment->id, 1) != NULL ? PROF_OK :
	    err_memory(err);
}

enum prof_status
memprof_stacks_put(struct memprof_stacks *s, const struct prof_stack *from,
    struct prof_error *err)
{
	uint32_t size = s->ids.size, at = list_pool_add_u64(&s->ids, from->id);

	if (at < size)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx occurs "
		    "twice in its profile", (unsigned long long)from->id);
	if (at == INDEX_NONE)
		return err_memory(err);
	if (!ARRAY_ROOM(s->entries, size, s->entries_room))
		return err_memory(err);
	s->entries[at] = (struct memprof_stack_record){ .content = INDEX_NONE };
	if (stacks_fill_entry(s, &s->entries[at], from, err) != PROF_OK)
		return PROF_FAIL;
	return s->watcher == NULL ? PROF_OK : stacks_watch_stack(s, from, err);
}

struct memprof_stack_record *
memprof_stacks_find(struct memprof_stacks *s, uint64_t id, const char *whose,
    struct prof_error *err)
{
	uint32_t at = list_pool_find_u64(&s->ids, id);

	if (at != INDEX_NONE)
		return &s->entries[at];
	err_set(err, PROF_E_CORRUPT, "stack 0x%016llx of %s is missing",
	    (unsigned long long)id, whose);
	return NULL;
}

const struct list_pool_entry *
memprof_location(const struct memprof_stacks *s, uint32_t location)
{
	return &s->groups.items[s->locations.items[location].numbers[0]];
}

uint32_t
memprof_stacks_use_location(struct memprof_stacks *s, uint32_t location)
{
	const struct list_pool_entry *g = memprof_location(s, location);

	return list_pool_add(&s->contents, g->numbers, g->size);
}

uint32_t
memprof_stacks_use(struct memprof_stacks *s, struct memprof_stack_record *e)
{
	size_t size = 0, at = 0;

	if (e->content != INDEX_NONE)
		return e->content;
	for (uint32_t i = 0; i < e->size; i++)
		size += memprof_location(s, e->locations[i])->size;
	if (!ARRAY_RESERVE(s->scratch, 0, size, s->scratch_room))
		return INDEX_NONE;
	for (uint32_t i = 0; i < e->size; i++) {
		const struct list_pool_entry *g =
		    memprof_location(s, e->locations[i]);

		memcpy(s->scratch + at, g->numbers,
		    g->size * sizeof(*g->numbers));
		at += g->size;
	}
	e->content = list_pool_add(&s->contents, s->scratch, (uint32_t)size);
	return e->content;
}

void
memprof_stacks_free(struct memprof_stacks *s)
{
	list_pool_free(&s->frame_keys);
	list_pool_free(&s->groups);
	list_pool_free(&s->locations);
	list_pool_free(&s->contents);
	list_pool_free(&s->ids);
	list_pool_free(&s->unknown);
	id_map_free(&s->unnamed);
	frame_numbers_free(&s->numbered);
	frame_numbers_free(&s->located);
	free(s->frames);
	free(s->singles);
	free(s->entries);
	free(s->scratch);
	free(s->watched);
	arena_free(&s->arena);
}
