/* Looks up source files of stacks in the sections behind an indexed file. */
#include "config.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/sources/section.h"

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

/* Sets the line and, from the line's offset, the function's first line. */
static void
sources_set_lines(struct prof_frame *f, uint32_t line)
{
	f->line = line;
	f->flags |= PROF_FRAME_LINE;
	if ((f->flags & PROF_FRAME_LINE_OFFSET) == 0 ||
	    line == f->line_offset)
		return;
	f->start_line = line - f->line_offset;
	f->flags |= PROF_FRAME_START_LINE;
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
	if (l.line != 0)
		sources_set_lines(f, l.line);
	if (l.discriminator != 0) {
		f->discriminator = l.discriminator;
		f->flags |= PROF_FRAME_DISCRIMINATOR;
	}
	return true;
}

/* Names frames that have no name yet; true if any frame has a name. */
static bool
sources_name_frames(const struct sources *s, struct prof_frame *frames,
    size_t count)
{
	bool named = false;

	for (size_t i = 0; i < count; i++) {
		struct prof_symbol *f = &frames[i].function;

		if (f->name.data == NULL)
			f->name = sources_name(s, f->guid);
		named = named || f->name.data != NULL;
	}
	return named;
}

enum prof_status
sources_decorate(struct sources *s, uint64_t stack_id,
    struct prof_frame *frames, size_t count, struct prof_error *err)
{
	bool named = sources_name_frames(s, frames, count);

	for (size_t i = 0; i < s->size; i++) {
		struct sources_section *section = &s->sections[i];
		const uint8_t *stack = sources_section_find(section, stack_id);

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

static struct prof_span
sources_section_name(const struct sources_section *s, uint64_t guid)
{
	const uint8_t *p = sources_find_item(s->names, s->names_size,
	    SOURCES_NAME, guid);

	return p == NULL ? (struct prof_span){ NULL, 0 } : span_of_text(
	    (const char *)s->strings + load_u32(p + 8, false));
}

struct prof_span
sources_name(const struct sources *s, uint64_t guid)
{
	struct prof_span name = { NULL, 0 };

	for (size_t i = 0; s != NULL && i < s->size && name.data == NULL; i++)
		name = sources_section_name(&s->sections[i], guid);
	return name;
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
