/* Chooses the stacks and names that are written, and makes their strings. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "format/sources/writer.h"

/* Sets the offset in the text of a string, which has no NUL. */
static bool
sources_add_string(struct sources_writer *w, struct prof_span s,
    uint32_t *offset)
{
	uint64_t guid = prof_guid(s);
	size_t at = s.size == 0 ? SYMTAB_NONE :
	    symtab_find(&w->strings, guid, NULL);

	*offset = at == SYMTAB_NONE ? 0 : w->offsets[at];
	if (s.size == 0 || at != SYMTAB_NONE)
		return true;
	*offset = (uint32_t)w->text.size;
	at = w->strings.size;
	if (w->text.size + s.size >= UINT32_MAX ||
	    !ARRAY_ROOM(w->offsets, at, w->offsets_room) ||
	    !symtab_add(&w->strings, s, guid))
		return false;
	w->offsets[at] = *offset;
	buf_put(&w->text, s.data, s.size);
	buf_u8(&w->text, 0);
	return !w->text.failed;
}

uint32_t
sources_name_offset(const struct sources_writer *w, struct prof_span name)
{
	return w->offsets[symtab_find(&w->strings, prof_guid(name), NULL)];
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

/* Replaces the path of a place by its node. */
static bool
sources_resolve_place(struct sources_writer *w, struct sources_place *p)
{
	size_t at;

	if (p->file == 0)
		return true;
	at = symtab_find(&w->paths, p->file, NULL);
	if (w->path_nodes[at] == INDEX_NONE && !sources_add_path(w,
	    w->paths.symbols[at].name, &w->path_nodes[at]))
		return false;
	p->file = w->path_nodes[at];
	return true;
}

static int
sources_compare_places(const struct sources_place *a,
    const struct sources_place *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->discriminator > b->discriminator) -
	    (a->discriminator < b->discriminator);
}

static int
sources_compare_stacks(const void *a, const void *b)
{
	const struct sources_stack *x = a, *y = b;
	int order;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	for (size_t i = 0; i < x->size; i++) {
		order = sources_compare_places(&x->places[i], &y->places[i]);
		if (order != 0)
			return order;
	}
	return 0;
}

static bool
sources_is_asked(const struct sources_writer *w, const struct list_pool *ids,
    uint64_t id)
{
	return !w->selective || list_pool_find_u64(ids, id) != INDEX_NONE;
}

/* Leaves the stacks that are asked for, sorted; duplicates are neighbours. */
static void
sources_sort_stacks(struct sources_writer *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->stacks_size; i++) {
		struct sources_stack *s = &w->stacks[i];

		s->places = w->places + s->first;
		if (sources_is_asked(w, &w->asked_stacks, s->id))
			w->stacks[kept++] = *s;
	}
	w->stacks_size = kept;
	if (kept != 0)
		qsort(w->stacks, kept, sizeof(*w->stacks),
		    sources_compare_stacks);
}

/* Readers take the first stack of an id: others are left out. */
static bool
sources_resolve_stacks(struct sources_writer *w, uint64_t *entries)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->stacks_size; i++) {
		struct sources_stack *s = &w->stacks[i];
		bool known = false;

		if (kept != 0 && w->stacks[kept - 1].id == s->id)
			continue;
		for (size_t k = 0; k < s->size; k++) {
			struct sources_place *p = &s->places[k];

			if (!sources_resolve_place(w, p))
				return false;
			known = known || p->file != 0 || p->line != 0 ||
			    p->discriminator != 0;
		}
		if (!known)
			continue;
		*entries += s->size;
		w->stacks[kept++] = *s;
	}
	w->stacks_size = kept;
	return true;
}

static int
sources_compare_names(const void *a, const void *b)
{
	const struct prof_symbol *x = a, *y = b;

	return (x->guid > y->guid) - (x->guid < y->guid);
}

/* Sorts the table of names in place: no name is looked up by guid any more. */
static bool
sources_resolve_names(struct sources_writer *w)
{
	struct prof_symbol *names = w->names.symbols;
	size_t kept = 0;
	uint32_t offset;

	for (size_t i = 0; i < w->names.size; i++) {
		if (sources_is_asked(w, &w->asked_guids, names[i].guid))
			names[kept++] = names[i];
	}
	w->names.size = kept;
	if (kept != 0)
		qsort(names, kept, sizeof(*names), sources_compare_names);
	for (size_t i = 0; i < kept; i++) {
		if (!sources_add_string(w, names[i].name, &offset))
			return false;
	}
	return true;
}

bool
sources_resolve(struct sources_writer *w, uint64_t *entries)
{
	size_t paths = w->paths.size;

	*entries = 0;
	w->path_nodes = calloc(paths + 1, sizeof(*w->path_nodes));
	if (w->path_nodes == NULL)
		return false;
	for (size_t i = 0; i < paths; i++)
		w->path_nodes[i] = INDEX_NONE;
	buf_u8(&w->text, 0);
	/* Node 0 is the unknown file; its key is unlike that of any other. */
	if (w->text.failed ||
	    list_pool_add(&w->nodes, (uint32_t[]){ 0, 0 }, 2) != 0)
		return false;
	sources_sort_stacks(w);
	if (!sources_resolve_stacks(w, entries) || !sources_resolve_names(w))
		return false;
	buf_pad8(&w->text);
	return !w->text.failed;
}
