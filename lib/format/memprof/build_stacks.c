#include "format/memprof/build_stacks.h"

#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/memprof_guid.h"

/* The frames of one address, as they came. */
struct group {
	const struct prof_frame *frames;
	size_t size;
};

static struct group
next_group(const struct prof_stack *s, size_t at)
{
	struct group g = { s->frames + at, 1 };

	while (at + g.size < s->frames_size &&
	    (g.frames[g.size - 1].flags & PROF_FRAME_INLINE) != 0)
		g.size++;
	return g;
}

static bool
is_unknown(const struct prof_frame *f)
{
	return f->function.guid == 0 && f->function.name.data == NULL;
}

static struct prof_span
base_name(struct prof_span path)
{
	size_t start = path.size;

	while (start > 0 && path.data[start - 1] != '/')
		start--;
	if (path.data != NULL)
		path.data += start;
	path.size -= start;
	return path;
}

/* MemProfReader.cpp, isRuntimePath. */
static bool
is_runtime(const struct prof_frame *f)
{
	static const char *const files[] = { "memprof_malloc_linux.cpp",
	    "memprof_interceptors.cpp", "memprof_new_delete.cpp" };
	struct prof_span file = base_name(f->file);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (file.size == strlen(files[i]) &&
		    memcmp(file.data, files[i], file.size) == 0)
			return true;
	}
	return false;
}

/* LLVM computes it from what its symbolizer says of a nameless function. */
static uint64_t
guid_of(const struct prof_symbol *s)
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
convert(const struct prof_frame *f)
{
	struct memprof_frame out = { .guid = guid_of(&f->function),
	    .column = f->column,
	    .is_inline = (f->flags & PROF_FRAME_INLINE) != 0 };

	/* An unknown start line is 0 there too. */
	out.line_offset = (f->flags & PROF_FRAME_LINE_OFFSET) != 0 ?
	    f->line_offset : f->line - f->start_line;
	return out;
}

/* Index of a frame, or TUPLES_NONE. */
static uint32_t
add_frame(struct memprof_stacks *s, const struct prof_frame *from)
{
	struct memprof_frame f = convert(from), *frames;
	const uint32_t key[] = { (uint32_t)f.guid, (uint32_t)(f.guid >> 32),
	    f.line_offset, f.column, f.is_inline };
	uint32_t size = s->frame_keys.size, at, *alone;

	at = list_pool_add(&s->frame_keys, key, 5);
	if (at == TUPLES_NONE || at < size)
		return at;
	frames = array_room(s->frames, size, &s->frames_room, sizeof(f));
	if (frames == NULL)
		return TUPLES_NONE;
	s->frames = frames;
	frames[at] = f;
	alone = array_room(s->alone, size, &s->alone_room, sizeof(*alone));
	if (alone == NULL)
		return TUPLES_NONE;
	s->alone = alone;
	alone[at] = TUPLES_NONE;
	return at;
}

static bool
make_scratch(struct memprof_stacks *s, size_t size)
{
	uint32_t *p;

	if (size <= s->scratch_room)
		return true;
	if (size > SIZE_MAX / sizeof(*p) ||
	    (p = realloc(s->scratch, size * sizeof(*p))) == NULL)
		return false;
	s->scratch = p;
	s->scratch_room = size;
	return true;
}

/* Most groups are of one frame, which knows it. */
static uint32_t
add_alone(struct memprof_stacks *s, const struct prof_frame *f)
{
	uint32_t at = add_frame(s, f);

	if (at != TUPLES_NONE && s->alone[at] == TUPLES_NONE)
		s->alone[at] = list_pool_add(&s->groups, &at, 1);
	return at == TUPLES_NONE ? TUPLES_NONE : s->alone[at];
}

/* Index of the group's frames, or TUPLES_NONE. */
static uint32_t
add_group(struct memprof_stacks *s, struct group g)
{
	if (g.size == 1)
		return add_alone(s, &g.frames[0]);
	if (!make_scratch(s, g.size))
		return TUPLES_NONE;
	for (size_t i = 0; i < g.size; i++) {
		s->scratch[i] = add_frame(s, &g.frames[i]);
		if (s->scratch[i] == TUPLES_NONE)
			return TUPLES_NONE;
	}
	return list_pool_add(&s->groups, s->scratch, (uint32_t)g.size);
}

/* The address of a stack's n-th location, in four numbers. */
static void
get_address(const struct prof_stack *from, size_t n, uint32_t out[4])
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
note_unknown(struct memprof_stacks *s, const struct prof_stack *from, size_t n)
{
	uint32_t address[4];

	if (from->pcs_size == 0) {
		s->bare_frames++;
		return true;
	}
	get_address(from, n, address);
	return list_pool_add(&s->unknown, address, 4) != TUPLES_NONE;
}

static bool
add_location(struct memprof_stacks *s, struct memprof_entry *e,
    const struct prof_stack *from, size_t n, struct group g)
{
	uint32_t key[5] = { 0 }, at;

	if (is_unknown(&g.frames[0])) {
		e->bare = true;
		return note_unknown(s, from, n);
	}
	if (is_runtime(&g.frames[0]))
		return true;
	key[0] = add_group(s, g);
	if (key[0] == TUPLES_NONE)
		return false;
	if (from->pcs_size != 0)
		get_address(from, n, key + 1);
	at = list_pool_add(&s->locations, key, from->pcs_size == 0 ? 1 : 5);
	e->locations[e->size++] = at;
	return at != TUPLES_NONE;
}

static enum prof_status
tell_frames(struct memprof_stacks *s, const struct prof_frame *frames,
    size_t count, struct prof_error *err)
{
	enum prof_status status;
	struct buf ids = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct memprof_frame f = convert(&frames[i]);

		buf_u64le(&ids, memprof_frame_id(&f));
	}
	status = ids.failed ? err_memory(err) : s->tell(s->tell_arg,
	    memprof_stack_id(ids.data, count), frames, count, err);
	buf_free(&ids);
	return status;
}

/* What add_location kept of a stack, and each part of it. */
static enum prof_status
tell_stack(struct memprof_stacks *s, const struct prof_stack *from,
    struct prof_error *err)
{
	struct group g;
	size_t n = 0;

	for (size_t i = 0; i < from->frames_size; i += g.size) {
		g = next_group(from, i);
		if (is_unknown(&g.frames[0]) || is_runtime(&g.frames[0]))
			continue;
		for (size_t j = 0; j < g.size; j++, n++) {
			struct prof_frame *p = array_room(s->told, n,
			    &s->told_room, sizeof(*p));

			if (p == NULL)
				return err_memory(err);
			s->told = p;
			p[n] = g.frames[j];
		}
		if (tell_frames(s, g.frames, g.size, err) != PROF_OK)
			return PROF_FAIL;
	}
	return n == 0 ? PROF_OK : tell_frames(s, s->told, n, err);
}

static size_t
count_groups(const struct prof_stack *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->frames_size; i += next_group(s, i).size)
		count++;
	return count;
}

static enum prof_status
fill(struct memprof_stacks *s, struct memprof_entry *e,
    const struct prof_stack *from, struct prof_error *err)
{
	size_t groups = count_groups(from), n = 0;
	struct group g;

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
	for (size_t i = 0; i < from->frames_size; i += g.size) {
		g = next_group(from, i);
		if (!add_location(s, e, from, n++, g))
			return err_memory(err);
	}
	for (; n < from->pcs_size; n++) {
		e->bare = true;
		if (!note_unknown(s, from, n))
			return err_memory(err);
	}
	s->bare += e->bare;
	return PROF_OK;
}

enum prof_status
memprof_stacks_put(struct memprof_stacks *s, const struct prof_stack *from,
    struct prof_error *err)
{
	uint32_t size = s->ids.size, at = list_pool_add_u64(&s->ids, from->id);
	struct memprof_entry *p;

	if (at < size)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx stands "
		    "twice in its profile", (unsigned long long)from->id);
	if (at == TUPLES_NONE)
		return err_memory(err);
	p = array_room(s->entries, size, &s->entries_room, sizeof(*p));
	if (p == NULL)
		return err_memory(err);
	s->entries = p;
	p[at] = (struct memprof_entry){ .content = TUPLES_NONE };
	if (fill(s, &p[at], from, err) != PROF_OK)
		return PROF_FAIL;
	return s->tell == NULL ? PROF_OK : tell_stack(s, from, err);
}

struct memprof_entry *
memprof_stacks_find(struct memprof_stacks *s, uint64_t id, const char *whose,
    struct prof_error *err)
{
	uint32_t at = list_pool_find_u64(&s->ids, id);

	if (at != TUPLES_NONE)
		return &s->entries[at];
	err_set(err, PROF_E_CORRUPT, "stack 0x%016llx of %s is not there",
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
memprof_stacks_use(struct memprof_stacks *s, struct memprof_entry *e)
{
	size_t size = 0, at = 0;

	if (e->content != TUPLES_NONE)
		return e->content;
	for (uint32_t i = 0; i < e->size; i++)
		size += memprof_location(s, e->locations[i])->size;
	if (!make_scratch(s, size))
		return TUPLES_NONE;
	for (uint32_t i = 0; i < e->size; i++) {
		const struct list_pool_entry *g = memprof_location(s, e->locations[i]);

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
	free(s->frames);
	free(s->alone);
	free(s->entries);
	free(s->scratch);
	free(s->told);
	arena_free(&s->arena);
}
