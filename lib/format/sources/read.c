#include "config.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/sources/layout.h"

/* Finding and checking a section. */

/* Reads a table of `count` items from the section; NULL if it is cut. */
static const uint8_t *
sources_table(struct cursor *c, uint64_t count, uint64_t item)
{
	uint64_t size;

	if (!mul_u64(count, item, &size)) {
		c->failed = true;
		return NULL;
	}
	return cur_bytes(c, size);
}

/* Finds the section by its trailer and compares the checksum. */
static bool
sources_locate(struct prof_span image, struct prof_span *section,
    uint64_t *start)
{
	const uint8_t *t = image.data + image.size - SOURCES_TRAILER;
	uint64_t size;

	if (image.size < SOURCES_HEADER_LEAST + SOURCES_TRAILER ||
	    memcmp(t + 24, SOURCES_END_MAGIC, 8) != 0)
		return false;
	*start = load_u64(t, false);
	size = load_u64(t + 8, false);
	if (load_u32(t + 20, false) != SOURCES_VERSION ||
	    *start > image.size || size != image.size - *start ||
	    size < SOURCES_HEADER_LEAST + SOURCES_TRAILER)
		return false;
	*section = (struct prof_span){ image.data + *start,
	    (size_t)size - SOURCES_TRAILER };
	return memcmp(section->data, SOURCES_MAGIC, 8) == 0 &&
	    sources_crc(*section) == load_u32(t + 16, false);
}

/* Finds all tables, whose sizes are in the header and fill the section. */
static bool
sources_split_tables(struct prof_span image, struct sources_section *s)
{
	struct cursor c = { .data = image.data, .size = image.size };
	struct sources_widths *w = &s->widths;
	uint64_t portable = 0;
	uint32_t header;
	uint8_t flags;

	c.pos = 8;
	if (cur_u32(&c) != SOURCES_VERSION)
		return false;
	header = cur_u32(&c);
	w->file = cur_u8(&c);
	w->line = cur_u8(&c);
	w->discriminator = cur_u8(&c);
	flags = cur_u8(&c);
	cur_u32(&c);
	s->stacks_size = cur_u64(&c);
	s->entries_size = cur_u64(&c);
	s->overflow_size = cur_u64(&c);
	s->nodes_size = cur_u64(&c);
	s->strings_size = cur_u64(&c);
	if (cur_u64(&c) != image.size + SOURCES_TRAILER)
		return false;
	cur_u64(&c);
	if (header >= SOURCES_HEADER) {
		s->names_size = cur_u64(&c);
		portable = cur_u64(&c);
	}
	if (header < SOURCES_HEADER_LEAST || header > image.size)
		return false;
	c.pos = header;
	s->stacks = sources_table(&c, s->stacks_size, SOURCES_STACK);
	s->entries = sources_table(&c, s->entries_size, SOURCES_ENTRY);
	s->overflow = sources_table(&c, s->overflow_size, SOURCES_OVERFLOW);
	s->nodes = sources_table(&c, s->nodes_size, SOURCES_NODE);
	s->strings = sources_table(&c, s->strings_size, 1);
	s->names = sources_table(&c, s->names_size, SOURCES_NAME);
	if ((flags & SOURCES_PORTABLE) != 0)
		s->portable = (struct prof_span){
		    sources_table(&c, portable, 1), (size_t)portable };
	return !c.failed && cur_left(&c) == 0 && w->file != 0 &&
	    w->line != 0 && w->discriminator != 0 &&
	    w->file + w->line + w->discriminator == 64;
}

static bool
good_stacks(const struct sources_section *s)
{
	uint64_t last_id = 0, last_first = 0;

	for (uint64_t i = 0; i < s->stacks_size; i++) {
		const uint8_t *p = s->stacks + i * SOURCES_STACK;
		uint64_t id = load_u64(p, false);
		uint64_t first = load_u32(p + 8, false);

		if (first + load_u32(p + 12, false) > s->entries_size ||
		    id < last_id || (id == last_id && first < last_first))
			return false;
		last_id = id;
		last_first = first;
	}
	return true;
}

/* The n-th entry of all ones must be the n-th item of the overflow table. */
static bool
good_entries(const struct sources_section *s)
{
	unsigned shift = s->widths.line + s->widths.discriminator;
	uint64_t over = 0;

	for (uint64_t i = 0; i < s->entries_size; i++) {
		uint64_t e = load_u64(s->entries + i * SOURCES_ENTRY, false);
		const uint8_t *o = s->overflow + over * SOURCES_OVERFLOW;

		if (e != UINT64_MAX) {
			if (e >> shift >= s->nodes_size)
				return false;
			continue;
		}
		if (over == s->overflow_size || load_u64(o, false) != i ||
		    load_u32(o + 8, false) >= s->nodes_size)
			return false;
		over++;
	}
	return over == s->overflow_size;
}

/* Lines and discriminators must fit the 32 bits of records. */
static bool
good_fields(const struct sources_section *s)
{
	for (uint64_t i = 0; i < s->entries_size; i++) {
		uint64_t e = load_u64(s->entries + i * SOURCES_ENTRY, false);
		uint64_t rest = e << s->widths.file >> s->widths.file;
		unsigned low = s->widths.discriminator;

		if (e != UINT64_MAX && (rest >> low > UINT32_MAX ||
		    (rest & ((UINT64_C(1) << low) - 1)) > UINT32_MAX))
			return false;
	}
	return true;
}

/* The table must begin with the empty string and end with a NUL. */
static bool
good_strings(const struct sources_section *s)
{
	return s->strings_size >= 8 && s->strings[0] == 0 &&
	    s->strings[s->strings_size - 1] == 0;
}

/*
 * Parents must come before their children, so that every path ends, and no path
 * may exceed the limit.
 */
static bool
good_node(const struct sources_section *s, uint64_t i, uint32_t *sizes)
{
	const uint8_t *node = s->nodes + i * SOURCES_NODE;
	uint32_t string = load_u32(node, false);
	uint32_t above = load_u32(node + 4, false);

	if (i == 0)
		return string == 0 && above == 0;
	if (string >= s->strings_size || above == 1 || above > i)
		return false;
	sizes[i] = (uint32_t)strnlen((const char *)s->strings + string,
	    SOURCES_PATH_MAX + 1) + (above == 0 ? 0 : sizes[above - 1] + 1);
	return sizes[i] <= SOURCES_PATH_MAX;
}

/* PROF_END if a node is malformed, or a path too long. */
static enum prof_status
sources_check_nodes(const struct sources_section *s, struct prof_error *err)
{
	uint64_t left = sources_paths_max(s->nodes_size * SOURCES_NODE);
	uint32_t *sizes;
	bool good = true;

	if (s->nodes_size == 0 || s->nodes_size > UINT32_MAX)
		return PROF_END;
	sizes = calloc((size_t)s->nodes_size, sizeof(*sizes));
	if (sizes == NULL)
		return err_memory(err);
	for (uint64_t i = 0; good && i < s->nodes_size; i++) {
		good = good_node(s, i, sizes) && sizes[i] <= left;
		left -= sizes[i];
	}
	free(sizes);
	return good ? PROF_OK : PROF_END;
}

/* The strings end with a NUL, see good_strings. */
static bool
good_names(const struct sources_section *s)
{
	uint64_t last = 0, left = sources_names_max(s->strings_size);

	for (uint64_t i = 0; i < s->names_size; i++) {
		const uint8_t *p = s->names + i * SOURCES_NAME;
		uint64_t guid = load_u64(p, false), size;
		uint32_t string = load_u32(p + 8, false);

		if ((i != 0 && guid <= last) || string >= s->strings_size)
			return false;
		size = strlen((const char *)s->strings + string);
		if (size > left)
			return false;
		left -= size;
		last = guid;
	}
	return true;
}

static bool
good_portable(const struct sources_section *s)
{
	struct sources_entries entries;
	struct sources_entry e;
	enum prof_status status;

	if (s->portable.data == NULL)
		return true;
	if (!sources_entries_begin(&entries, s->portable))
		return false;
	while ((status = sources_entries_next(&entries, &e)) == PROF_OK)
		;
	return status == PROF_END;
}

enum prof_status
sources_section_open(struct prof_span image, struct sources_section *s,
    struct prof_error *err)
{
	struct prof_span section;
	enum prof_status status;

	*s = (struct sources_section){ .start = 0 };
	if (!sources_locate(image, &section, &s->start) ||
	    !sources_split_tables(section, s) || !good_strings(s))
		return PROF_END;
	status = sources_check_nodes(s, err);
	if (status != PROF_OK)
		return status;
	return good_stacks(s) && good_entries(s) && good_fields(s) &&
	    good_names(s) && good_portable(s) ? PROF_OK : PROF_END;
}

/*
 * The first item with the number in a table whose items of `size` bytes ascend
 * by the number of 8 bytes that they begin with, or NULL.
 */
static const uint8_t *
sources_find_item(const uint8_t *table, uint64_t count, size_t size,
    uint64_t number)
{
	uint64_t low = 0, high = count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (load_u64(table + middle * size, false) < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && load_u64(table + low * size, false) == number ?
	    table + low * size : NULL;
}

static struct sources_location
sources_section_entry(const struct sources_section *s, uint64_t entry)
{
	uint64_t e = load_u64(s->entries + entry * SOURCES_ENTRY, false);
	unsigned low = s->widths.discriminator, middle = s->widths.line;
	const uint8_t *o;

	if (e != UINT64_MAX)
		return (struct sources_location){
			.file = (uint32_t)(e >> (low + middle)),
			.line = (uint32_t)(e << s->widths.file >>
			    s->widths.file >> low),
			.discriminator = (uint32_t)(e &
			    ((UINT64_C(1) << low) - 1)),
		};
	/* Each entry of all ones has an item, see good_entries. */
	o = sources_find_item(s->overflow, s->overflow_size, SOURCES_OVERFLOW,
	    entry);
	return (struct sources_location){ load_u32(o + 8, false),
	    load_u32(o + 12, false), load_u32(o + 16, false) };
}

/* Looking up stacks in the sections behind an indexed file. */

/* Each frame may be looked up in all sections; the writer makes one. */
enum { SECTIONS_MAX = 64 };

struct sources {
	struct sources_section *sections;	/* the last one first */
	size_t size, room;
	struct arena arena;		/* of paths */
};

/* Sections may follow each other: each ends where the next one begins. */
enum prof_status
sources_open(struct prof_span image, struct sources **out,
    struct prof_error *err)
{
	struct sources *s = calloc(1, sizeof(*s));
	struct sources_section section;
	enum prof_status status = PROF_OK;

	*out = NULL;
	if (s == NULL)
		return err_memory(err);
	while (status == PROF_OK && (status = sources_section_open(image,
	    &section, err)) == PROF_OK) {
		if (s->size == SECTIONS_MAX)
			status = err_set(err, PROF_E_LIMIT, "more than %d "
			    "sections of source files", SECTIONS_MAX);
		else if (!ARRAY_ADD(s->sections, s->size, s->room, section))
			status = err_memory(err);
		image.size = (size_t)section.start;
	}
	if (status == PROF_END && s->size != 0)
		*out = s;
	else
		sources_close(s);
	return status == PROF_END ? PROF_OK : status;
}

size_t
sources_start(const struct sources *s)
{
	return (size_t)s->sections[s->size - 1].start;
}

/* Writes a path to the bytes before `end`, its last component first. */
static void
sources_join_path(const struct sources_section *s, uint32_t node, uint8_t *end)
{
	for (;;) {
		const uint8_t *n = s->nodes + (size_t)node * SOURCES_NODE;
		const char *string = (const char *)s->strings +
		    load_u32(n, false);
		uint32_t above = load_u32(n + 4, false);
		size_t size = strlen(string);

		end -= size;
		memcpy(end, string, size);
		if (above == 0)
			return;
		*--end = '/';
		node = above - 1;
	}
}

static size_t
sources_path_size(const struct sources_section *s, uint32_t node)
{
	size_t size = 0;

	for (;;) {
		const uint8_t *n = s->nodes + (size_t)node * SOURCES_NODE;
		uint32_t above = load_u32(n + 4, false);

		size += strlen((const char *)s->strings + load_u32(n, false));
		if (above == 0)
			return size;
		size++;
		node = above - 1;
	}
}

/* The path of a node, which is cached; data is NULL if out of memory. */
static struct prof_span
sources_path(struct sources *s, struct sources_section *section, uint32_t node)
{
	struct prof_span *path, *paths = section->paths;
	uint8_t *bytes;
	size_t size;

	if (paths == NULL)
		paths = calloc((size_t)section->nodes_size, sizeof(*paths));
	if (paths == NULL)
		return (struct prof_span){ NULL, 0 };
	section->paths = paths;
	path = &paths[node];
	if (path->data != NULL)
		return *path;
	size = sources_path_size(section, node);
	bytes = arena_alloc(&s->arena, size);
	if (bytes == NULL)
		return (struct prof_span){ NULL, 0 };
	sources_join_path(section, node, bytes + size);
	*path = (struct prof_span){ bytes, size };
	return *path;
}

/* False if out of memory. */
static bool
sources_decorate_frame(struct sources *s, struct sources_section *section,
    uint64_t entry, struct prof_frame *f)
{
	struct sources_location l = sources_section_entry(section, entry);

	if (l.file != 0) {
		f->file = sources_path(s, section, l.file);
		if (f->file.data == NULL)
			return false;
	}
	if (l.line != 0) {
		f->line = l.line;
		f->flags |= PROF_FRAME_LINE;
	}
	/* The line's offset says which line is the function's first. */
	if (l.line != 0 && (f->flags & PROF_FRAME_LINE_OFFSET) != 0 &&
	    l.line != f->line_offset) {
		f->start_line = l.line - f->line_offset;
		f->flags |= PROF_FRAME_START_LINE;
	}
	if (l.discriminator != 0) {
		f->discriminator = l.discriminator;
		f->flags |= PROF_FRAME_DISCRIMINATOR;
	}
	return true;
}

enum prof_status
sources_decorate(struct sources *s, uint64_t stack_id,
    struct prof_frame *frames, size_t count, struct prof_error *err)
{
	bool named = false;

	for (size_t i = 0; i < count; i++) {
		struct prof_symbol *f = &frames[i].function;

		if (f->name.data == NULL)
			f->name = sources_name(s, f->guid);
		named = named || f->name.data != NULL;
	}
	for (size_t i = 0; i < s->size; i++) {
		struct sources_section *section = &s->sections[i];
		const uint8_t *stack = sources_find_item(section->stacks,
		    section->stacks_size, SOURCES_STACK, stack_id);

		if (stack == NULL || load_u32(stack + 12, false) != count)
			continue;
		for (size_t k = 0; k < count; k++) {
			if (!sources_decorate_frame(s, section,
			    (uint64_t)load_u32(stack + 8, false) + k,
			    &frames[k]))
				return err_memory(err);
		}
		return PROF_OK;
	}
	return named ? PROF_OK : PROF_END;
}

struct prof_span
sources_name(const struct sources *s, uint64_t guid)
{
	for (size_t i = 0; s != NULL && i < s->size; i++) {
		const struct sources_section *from = &s->sections[i];
		const uint8_t *p = sources_find_item(from->names,
		    from->names_size, SOURCES_NAME, guid);

		if (p != NULL)
			return span_of_text((const char *)from->strings +
			    load_u32(p + 8, false));
	}
	return (struct prof_span){ NULL, 0 };
}

void
sources_close(struct sources *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->size; i++)
		free(s->sections[i].paths);
	free(s->sections);
	arena_free(&s->arena);
	free(s);
}
