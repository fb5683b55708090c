/* Collects the source files of stacks, for sources_write. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/memprof_guid.h"
#include "model/memprof/build.h"
#include "format/sources/writer.h"

struct sources_writer *
sources_writer_new(struct sources_widths w)
{
	struct sources_writer *s;

	if (w.file == 0 && w.line == 0 && w.discriminator == 0)
		w = (struct sources_widths){ 24, 20, 20 };
	if (w.file == 0 || w.line == 0 || w.discriminator == 0 ||
	    w.file + w.line + w.discriminator != 64)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->widths = w;
	buf_u8(&s->text, 0);
	/* Node 0 is the unknown file; its key is unlike that of any other. */
	if (s->text.failed ||
	    list_pool_add(&s->nodes, (uint32_t[]){ 0, 0 }, 2) != 0) {
		sources_writer_free(s);
		return NULL;
	}
	return s;
}

/*
 * Sets *number to the number of a known string.  A new string is copied, and
 * gets the number that *number has.
 */
static bool
sources_intern(struct sources_writer *w, struct sources_strings *s,
    struct prof_span string, uint32_t *number)
{
	uint64_t guid = prof_guid(string);
	size_t at = symtab_find(&s->table, guid, NULL);

	if (at != SYMTAB_NONE) {
		*number = s->numbers[at];
		return true;
	}
	at = s->table.size;
	if (!ARRAY_ROOM(s->numbers, at, s->room) ||
	    !symtab_keep(&s->table, &w->arena, string, guid))
		return false;
	s->numbers[at] = *number;
	return true;
}

/* Sets the offset in the string table of a string, which has no NUL. */
static bool
sources_add_string(struct sources_writer *w, struct prof_span s,
    uint32_t *offset)
{
	size_t known = w->components.table.size;

	*offset = 0;
	if (s.size == 0)
		return true;
	*offset = (uint32_t)w->text.size;
	if (w->text.size + s.size >= UINT32_MAX ||
	    !sources_intern(w, &w->components, s, offset))
		return false;
	if (w->components.table.size != known) {
		buf_put(&w->text, s.data, s.size);
		buf_u8(&w->text, 0);
	}
	return !w->text.failed;
}

/* Replaces *node, or 0 for a root, by its child with that name. */
static bool
sources_add_node(struct sources_writer *w, struct prof_span component,
    uint32_t *node)
{
	uint32_t pair[2] = { 0, *node }, known = w->nodes.size;
	uint32_t above = *node == 0 ? 0 : w->lengths[*node] + 1;

	if (!sources_add_string(w, component, &pair[0]))
		return false;
	pair[0]++;
	*node = list_pool_add(&w->nodes, pair, 2);
	if (*node == INDEX_NONE || w->nodes.size == known)
		return *node != INDEX_NONE;
	while (w->lengths_room <= *node) {
		if (!ARRAY_ROOM(w->lengths, w->lengths_room, w->lengths_room))
			return false;
	}
	w->lengths[*node] = above + (uint32_t)component.size;
	w->paths_bytes += w->lengths[*node];
	return true;
}

/*
 * True if the section cannot hold the path.  The limit of all paths is tested
 * with an upper bound of the bytes that the path would add.
 */
static bool
sources_path_is_bad(const struct sources_writer *w, struct prof_span path)
{
	uint64_t components = 1;

	if (path.size > SOURCES_PATH_MAX ||
	    memchr(path.data, '\0', path.size) != NULL)
		return true;
	for (size_t i = 0; i < path.size; i++)
		components += path.data[i] == '/';
	return w->paths_bytes + components * path.size >
	    sources_paths_max((uint64_t)SOURCES_NODE * w->nodes.size);
}

/* Sets the node of a path, 0 if it cannot be held, adding its components. */
static bool
sources_add_path(struct sources_writer *w, struct prof_span path,
    uint32_t *node)
{
	size_t at = 0;

	*node = 0;
	if (sources_path_is_bad(w, path)) {
		w->bad_paths++;
		return true;
	}
	for (;;) {
		const uint8_t *slash = memchr(path.data + at, '/',
		    path.size - at);
		size_t end = slash == NULL ? path.size :
		    (size_t)(slash - path.data);

		if (!sources_add_node(w, (struct prof_span){ path.data + at,
		    end - at }, node))
			return false;
		if (slash == NULL)
			return true;
		at = end + 1;
	}
}

static bool
sources_file_node(struct sources_writer *w, struct prof_span path,
    uint32_t *node)
{
	size_t at;

	*node = 0;
	if (path.size == 0)
		return true;
	at = symtab_find(&w->paths.table, prof_guid(path), NULL);
	if (at != SYMTAB_NONE) {
		*node = w->paths.numbers[at];
		return true;
	}
	return sources_add_path(w, path, node) &&
	    sources_intern(w, &w->paths, path, node);
}

/*
 * Adds the name of a function: the canonical name, unless the function has the
 * guid of its whole name.
 */
static bool
sources_add_name(struct sources_writer *w, const struct prof_symbol *s)
{
	struct prof_span name = memprof_canonical_name(s->name);
	uint64_t guid = s->guid != 0 ? s->guid : prof_guid(name);
	uint32_t offset;

	if (s->guid != 0 && s->guid != prof_guid(name))
		name = s->name;
	if (name.size == 0 || memchr(name.data, '\0', name.size) != NULL ||
	    symtab_find(&w->names, guid, NULL) != SYMTAB_NONE)
		return true;
	return sources_add_string(w, name, &offset) &&
	    symtab_keep(&w->names, &w->arena, name, guid);
}

static enum prof_status
sources_add_frame(struct sources_writer *w, const struct prof_frame *f,
    bool *known, struct prof_error *err)
{
	struct sources_place *p;

	if (!ARRAY_ROOM(w->places, w->places_size, w->places_room))
		return err_memory(err);
	p = &w->places[w->places_size++];
	*p = (struct sources_place){ .line = f->line,
	    .discriminator = f->discriminator };
	if (!sources_file_node(w, f->file, &p->file) ||
	    (f->function.name.size != 0 && !sources_add_name(w, &f->function)))
		return err_memory(err);
	*known = *known || p->file != 0 || p->line != 0 ||
	    p->discriminator != 0;
	return PROF_OK;
}

enum prof_status
sources_put_stack(struct sources_writer *w, uint64_t stack_id,
    const struct prof_frame *frames, size_t count, struct prof_error *err)
{
	size_t first = w->places_size;
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		if (sources_add_frame(w, &frames[i], &known, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (!known) {
		w->places_size = first;
		return PROF_OK;
	}
	return ARRAY_ADD(w->stacks, w->stacks_size, w->stacks_room,
	    (struct sources_stack){ .id = stack_id, .first = first,
	    .size = count }) ? PROF_OK : err_memory(err);
}

enum prof_status
sources_put_entry(struct sources_writer *w, uint64_t stack_id,
    const struct prof_mib *info, struct prof_error *err)
{
	uint32_t known = w->entry_ids.size;
	uint32_t at = list_pool_add_u64(&w->entry_ids, stack_id);

	if (at == INDEX_NONE)
		return err_memory(err);
	if (at != known)
		return PROF_OK;
	return ARRAY_ADD(w->entries, w->entries_size, w->entries_room,
	    sources_entry_of(stack_id, info)) ? PROF_OK : err_memory(err);
}

static enum prof_status
sources_add_context(struct sources_writer *w, const struct memprof_built *built,
    const struct memprof_alloc *a, struct buf *ids, struct prof_error *err)
{
	const struct memprof_stack *s = &built->stacks[a->stack];

	ids->size = 0;
	for (uint32_t i = 0; i < s->size; i++)
		buf_u64le(ids, memprof_frame_id(&built->frames[s->frames[i]]));
	if (ids->failed)
		return err_memory(err);
	return sources_put_entry(w, memprof_stack_id(ids->data, s->size),
	    a->info, err);
}

static enum prof_status
sources_add_contexts(struct sources_writer *w,
    const struct memprof_built *built, const struct memprof_record *r,
    struct buf *ids, struct prof_error *err)
{
	for (size_t i = 0; i < r->allocs_size; i++) {
		if (sources_add_context(w, built, &r->allocs[i], ids, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
sources_put_built(struct sources_writer *w, const struct memprof_built *built,
    bool entries, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct buf ids = { 0 };

	for (uint32_t i = 0; i < built->records_size && status == PROF_OK;
	    i++) {
		const struct memprof_record *r = &built->records[i];

		if (r->name.size != 0 &&
		    !sources_add_name(
			w, &(struct prof_symbol){ r->name, r->guid }))
			status = err_memory(err);
		else if (entries)
			status = sources_add_contexts(w, built, r, &ids, err);
	}
	buf_free(&ids);
	return status;
}

void
sources_writer_free(struct sources_writer *w)
{
	if (w == NULL)
		return;
	free(w->stacks);
	free(w->places);
	free(w->entries);
	free(w->components.numbers);
	free(w->paths.numbers);
	free(w->lengths);
	symtab_free(&w->components.table);
	symtab_free(&w->paths.table);
	symtab_free(&w->names);
	list_pool_free(&w->entry_ids);
	list_pool_free(&w->nodes);
	buf_free(&w->text);
	arena_free(&w->arena);
	free(w);
}
