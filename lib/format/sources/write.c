#include "config.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "format/sources/layout.h"
#include "model/heap.h"
#include "model/memprof/build.h"
#include "model/mib.h"
#include "model/symtab.h"

/*
 * The RFC's portable entries: u64 number of entries, u8 number of fields, u8
 * tag and u8 type of each field, the values of each entry, zeros up to a
 * multiple of 8.
 */

/* Types of fields; those of 32 and 64 bits are stored as ULEB128. */
enum { RFC_UINT8 = 1, RFC_UINT16, RFC_UINT32, RFC_UINT64 };

/*
 * The value of a tag is a field of LLVM's block, or the average of a total.
 * The RFC gives the types of StackID, AllocCount and NumSameDeallocCPU only.
 */
static const struct entry_field {
	uint8_t type, field;
	bool average;
} entry_fields[SOURCES_TAGS] = {
	[SOURCES_TAG_STACK] = { RFC_UINT64, 0, false },
	[2] = { RFC_UINT32, PROF_MIB_ALLOC_COUNT, false },
	[3] = { RFC_UINT32, PROF_MIB_TOTAL_SIZE, true },
	[4] = { RFC_UINT32, PROF_MIB_MIN_SIZE, false },
	[5] = { RFC_UINT32, PROF_MIB_MAX_SIZE, false },
	[6] = { RFC_UINT64, PROF_MIB_TOTAL_ACCESS_COUNT, true },
	[7] = { RFC_UINT64, PROF_MIB_MIN_ACCESS_COUNT, false },
	[8] = { RFC_UINT64, PROF_MIB_MAX_ACCESS_COUNT, false },
	[9] = { RFC_UINT32, PROF_MIB_TOTAL_LIFETIME, true },
	[10] = { RFC_UINT32, PROF_MIB_MIN_LIFETIME, false },
	[11] = { RFC_UINT32, PROF_MIB_MAX_LIFETIME, false },
	[12] = { RFC_UINT16, PROF_MIB_NUM_MIGRATED_CPU, false },
	[13] = { RFC_UINT32, PROF_MIB_NUM_LIFETIME_OVERLAPS, false },
	[14] = { RFC_UINT8, PROF_MIB_NUM_SAME_ALLOC_CPU, false },
	[15] = { RFC_UINT8, PROF_MIB_NUM_SAME_DEALLOC_CPU, false },
};

static const uint64_t type_max[] = {
	[RFC_UINT8] = UINT8_MAX, [RFC_UINT16] = UINT16_MAX,
	[RFC_UINT32] = UINT32_MAX, [RFC_UINT64] = UINT64_MAX
};

static struct sources_entry
sources_entry_of(uint64_t stack_id, const struct prof_mib *m)
{
	uint64_t count = m->value[PROF_MIB_ALLOC_COUNT];
	struct sources_entry e = { .known = 1 << SOURCES_TAG_STACK };

	e.value[SOURCES_TAG_STACK] = stack_id;
	for (unsigned tag = 2; tag < SOURCES_TAGS; tag++) {
		const struct entry_field *entry_field = &entry_fields[tag];

		if (!mib_has(m, entry_field->field) ||
		    (entry_field->average && count == 0))
			continue;
		e.value[tag] = m->value[entry_field->field] /
		    (entry_field->average ? count : 1);
		e.known |= UINT32_C(1) << tag;
	}
	return e;
}

static void
sources_put_value(struct buf *b, unsigned type, uint64_t value,
    uint64_t *saturated)
{
	if (value > type_max[type]) {
		value = type_max[type];
		++*saturated;
	}
	if (type == RFC_UINT8 || type == RFC_UINT16)
		buf_number(b, value, type, false);
	else
		buf_uleb(b, value);
}

/*
 * Appends the table of portable entries, with its schema.  Values that exceed
 * their type become its largest value and are counted.
 */
static void
sources_entries_put(struct buf *b, const struct sources_entry *entries,
    size_t count, uint64_t *saturated)
{
	size_t begin = b->size;
	uint32_t known = 0;
	uint8_t fields = 0;

	for (size_t i = 0; i < count; i++)
		known |= entries[i].known;
	for (unsigned tag = 1; tag < SOURCES_TAGS; tag++)
		fields = (uint8_t)(fields + (known >> tag & 1));
	buf_u64le(b, count);
	buf_u8(b, fields);
	for (unsigned tag = 1; tag < SOURCES_TAGS; tag++) {
		if ((known >> tag & 1) == 0)
			continue;
		buf_u8(b, (uint8_t)tag);
		buf_u8(b, entry_fields[tag].type);
	}
	for (size_t i = 0; i < count; i++) {
		for (unsigned tag = 1; tag < SOURCES_TAGS; tag++) {
			if ((known >> tag & 1) != 0)
				sources_put_value(b, entry_fields[tag].type,
				    entries[i].value[tag], saturated);
		}
	}
	buf_zeros(b, (size_t)pad8(b->size - begin));
}

static uint64_t
sources_read_value(struct cursor *c, unsigned type)
{
	uint64_t value;

	switch (type) {
	case RFC_UINT8:
		return cur_u8(c);
	case RFC_UINT16:
		return cur_u16(c);
	case RFC_UINT32:
	case RFC_UINT64:
		value = cur_uleb(c);
		if (value > type_max[type])
			c->failed = true;
		return value;
	default:
		c->failed = true;
		return 0;
	}
}

bool
sources_entries_begin(struct sources_entries *e, struct prof_span table)
{
	*e = (struct sources_entries){
		.at = { .data = table.data, .size = table.size }
	};
	e->left = cur_u64(&e->at);
	e->fields = cur_u8(&e->at);
	e->schema = cur_bytes(&e->at, (uint64_t)2 * e->fields);
	/* Each value has a byte at least. */
	return !e->at.failed && (e->left == 0 || (e->fields != 0 &&
	    e->left <= cur_left(&e->at) / e->fields));
}

enum prof_status
sources_entries_next(struct sources_entries *e, struct sources_entry *out)
{
	if (e->left == 0)
		return PROF_END;
	e->left--;
	*out = (struct sources_entry){ .known = 0 };
	for (uint8_t i = 0; i < e->fields; i++) {
		uint64_t value =
		    sources_read_value(&e->at, e->schema[2 * i + 1]);
		uint8_t tag = e->schema[2 * i];

		if (tag < SOURCES_TAGS) {
			out->value[tag] = value;
			out->known |= UINT32_C(1) << tag;
		}
	}
	return e->at.failed ? PROF_FAIL : PROF_OK;
}

/* The state of a writer: what it gathers, then what of that is written. */
/*
 * A frame; 0 for what is unknown.  `file` is the MD5 of the path, and a node
 * once sources_resolve was called.
 */
struct sources_place {
	uint64_t file;
	uint32_t line, discriminator;
};

struct sources_stack {
	uint64_t id;
	size_t first, size;		/* of its places */
	struct sources_place *places;	/* set by sources_resolve */
};

struct sources_writer {
	struct sources_widths widths;
	struct sources_stack *stacks;
	struct sources_place *places;
	struct sources_entry *entries;
	size_t stacks_size, stacks_room, places_size, places_room;
	size_t entries_size, entries_room;
	struct list_pool entry_ids;	/* stacks that have an entry */
	struct symtab paths;		/* by MD5 */
	struct symtab names;		/* of functions, by guid */
	struct arena arena;		/* of paths and names */
	/* What the indexed file has; only if `selective`. */
	struct list_pool asked_stacks, asked_guids;
	bool selective;

	/* By sources_resolve. */
	uint32_t *path_nodes;		/* of each path; 0: left out */
	struct list_pool nodes;		/* string + 1 and parent */
	uint32_t *lengths;		/* of the paths of nodes */
	size_t lengths_room;
	uint64_t paths_bytes;
	struct symtab strings;		/* by MD5 */
	uint32_t *offsets;		/* of each string in the text */
	size_t offsets_room;
	struct buf text;		/* the string table */
	uint64_t bad_paths;
};

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
	return s;
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

	if (s->guid != 0 && s->guid != prof_guid(name))
		name = s->name;
	return name.size == 0 ||
	    memchr(name.data, '\0', name.size) != NULL ||
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
	if (f->file.size != 0)
		p->file = prof_guid(f->file);
	if ((p->file != 0 && !symtab_keep(&w->paths, &w->arena, f->file,
	    p->file)) ||
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

/* The ids of the frames of a stack; false if out of memory. */
static bool
sources_stack_ids(const struct memprof_built *built,
    const struct memprof_stack *s, struct buf *ids)
{
	ids->size = 0;
	for (uint32_t i = 0; i < s->size; i++)
		buf_u64le(ids, memprof_frame_id(&built->frames[s->frames[i]]));
	return !ids->failed;
}

static enum prof_status
sources_add_contexts(struct sources_writer *w,
    const struct memprof_built *built, const struct memprof_record *r,
    struct buf *ids, struct prof_error *err)
{
	for (size_t i = 0; i < r->allocs_size; i++) {
		const struct memprof_alloc *a = &r->allocs[i];

		if (!sources_stack_ids(built, &built->stacks[a->stack], ids))
			return err_memory(err);
		if (sources_put_entry(w, memprof_stack_id(ids), a->info,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Notes which stacks and guids the indexed file has, and so its reader asks. */
static bool
sources_note_stacks(struct sources_writer *w, const struct memprof_built *built,
    struct buf *ids)
{
	for (uint32_t i = 0; i < built->stacks_size; i++) {
		const struct memprof_stack *s = &built->stacks[i];

		for (uint32_t k = 0; k < s->size; k++) {
			if (list_pool_add_u64(&w->asked_guids,
			    built->frames[s->frames[k]].guid) == INDEX_NONE)
				return false;
		}
		if (!sources_stack_ids(built, s, ids) ||
		    list_pool_add_u64(&w->asked_stacks,
		    memprof_stack_id(ids)) == INDEX_NONE)
			return false;
	}
	return true;
}

enum prof_status
sources_put_built(struct sources_writer *w, const struct memprof_built *built,
    bool entries, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct buf ids = { 0 };

	w->selective = true;
	if (!sources_note_stacks(w, built, &ids))
		status = err_memory(err);
	for (uint32_t i = 0; i < built->records_size && status == PROF_OK;
	    i++) {
		const struct memprof_record *r = &built->records[i];

		if (list_pool_add_u64(&w->asked_guids, r->guid) ==
		    INDEX_NONE || (r->name.size != 0 && !sources_add_name(w,
		    &(struct prof_symbol){ r->name, r->guid })))
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
	free(w->path_nodes);
	free(w->offsets);
	free(w->lengths);
	symtab_free(&w->strings);
	symtab_free(&w->paths);
	symtab_free(&w->names);
	list_pool_free(&w->entry_ids);
	list_pool_free(&w->asked_stacks);
	list_pool_free(&w->asked_guids);
	list_pool_free(&w->nodes);
	buf_free(&w->text);
	arena_free(&w->arena);
	free(w);
}

/* Choosing the stacks and names that are written, and making their strings. */

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

/* Replaces the path of a place, which has one, by its node. */
static bool
sources_resolve_place(struct sources_writer *w, struct sources_place *p)
{
	size_t at = symtab_find(&w->paths, p->file, NULL);

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

			if (p->file != 0 && !sources_resolve_place(w, p))
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

/*
 * Leaves the stacks and names that are asked for, sorted and without
 * duplicates, and makes the nodes and the text of them alone, in that order: so
 * that the section depends on nothing that its reader does not return.
 * *entries is the number of the places of all stacks.  False if out of memory.
 */
static bool
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

/* The section to bytes. */

uint32_t
sources_crc(struct prof_span s)
{
	return (uint32_t)crc32_z(0, s.data, s.size);
}

static bool
sources_fits(uint64_t value, uint8_t bits)
{
	return value < (UINT64_C(1) << bits) - 1;
}

/* An entry; all ones if a field does not fit: see the overflow table. */
static uint64_t
sources_packed_entry(struct sources_widths w, const struct sources_place *p)
{
	if (!sources_fits(p->file, w.file) || !sources_fits(p->line, w.line) ||
	    !sources_fits(p->discriminator, w.discriminator))
		return UINT64_MAX;
	return p->file << (w.line + w.discriminator) |
	    (uint64_t)p->line << w.discriminator | p->discriminator;
}

static void
sources_emit_stacks(const struct sources_writer *w, struct buf *out)
{
	uint32_t first = 0;

	for (size_t i = 0; i < w->stacks_size; i++) {
		buf_u64le(out, w->stacks[i].id);
		buf_u32le(out, first);
		buf_u32le(out, (uint32_t)w->stacks[i].size);
		first += (uint32_t)w->stacks[i].size;
	}
	for (size_t i = 0; i < w->stacks_size; i++) {
		for (size_t k = 0; k < w->stacks[i].size; k++)
			buf_u64le(out, sources_packed_entry(w->widths,
			    &w->stacks[i].places[k]));
	}
}

/* Writes the overflow table unless out is NULL; returns its items. */
static uint64_t
sources_emit_overflow(const struct sources_writer *w, struct buf *out)
{
	uint64_t entry = 0, count = 0;

	for (size_t i = 0; i < w->stacks_size; i++) {
		for (size_t k = 0; k < w->stacks[i].size; k++, entry++) {
			const struct sources_place *p =
			    &w->stacks[i].places[k];

			if (sources_packed_entry(w->widths, p) != UINT64_MAX)
				continue;
			count++;
			if (out == NULL)
				continue;
			buf_u64le(out, entry);
			buf_u32le(out, (uint32_t)p->file);
			buf_u32le(out, p->line);
			buf_u32le(out, p->discriminator);
			buf_u32le(out, 0);
		}
	}
	return count;
}

/* Nodes of paths, strings, names. */
static void
sources_emit_text(const struct sources_writer *w, struct buf *out)
{
	buf_u64le(out, 0);
	for (uint32_t i = 1; i < w->nodes.size; i++) {
		const uint32_t *n = w->nodes.items[i].numbers;

		buf_u32le(out, n[0] - 1);
		buf_u32le(out, n[1] == 0 ? 0 : n[1] + 1);
	}
	buf_put(out, w->text.data, w->text.size);
	for (size_t i = 0; i < w->names.size; i++) {
		const struct prof_symbol *s = &w->names.symbols[i];
		size_t string = symtab_find(&w->strings, prof_guid(s->name),
		    NULL);

		buf_u64le(out, s->guid);
		buf_u32le(out, w->offsets[string]);
		buf_u32le(out, 0);
	}
}

/* The sizes of section and portable entries are filled in at the end. */
static void
sources_emit_header(const struct sources_writer *w, uint64_t entries,
    struct buf *out)
{
	buf_put(out, SOURCES_MAGIC, 8);
	buf_u32le(out, SOURCES_VERSION);
	buf_u32le(out, SOURCES_HEADER);
	buf_u8(out, w->widths.file);
	buf_u8(out, w->widths.line);
	buf_u8(out, w->widths.discriminator);
	buf_u8(out, w->entries_size != 0 ? SOURCES_PORTABLE : 0);
	buf_u32le(out, 0);
	buf_u64le(out, w->stacks_size);
	buf_u64le(out, entries);
	buf_u64le(out, sources_emit_overflow(w, NULL));
	buf_u64le(out, w->nodes.size);
	buf_u64le(out, w->text.size);
	buf_u64le(out, 0);
	buf_u64le(out, 0);
	buf_u64le(out, w->names.size);
	buf_u64le(out, 0);
}

static void
sources_emit_trailer(struct buf *out, size_t begin, uint64_t offset)
{
	uint64_t size = out->size - begin + SOURCES_TRAILER;
	uint32_t crc;

	if (out->failed)
		return;
	buf_set_u64le(out, begin + SOURCES_AT_SIZE, size);
	crc = sources_crc((struct prof_span){ out->data + begin,
	    out->size - begin });
	buf_u64le(out, offset + begin);
	buf_u64le(out, size);
	buf_u32le(out, crc);
	buf_u32le(out, SOURCES_VERSION);
	buf_put(out, SOURCES_END_MAGIC, 8);
}

static void
sources_emit_portable(struct sources_writer *w, struct prof_context *context,
    struct buf *out, size_t begin)
{
	size_t before = out->size;
	uint64_t saturated = 0;

	if (w->entries_size == 0)
		return;
	sources_entries_put(out, w->entries, w->entries_size, &saturated);
	if (!out->failed)
		buf_set_u64le(out, begin + SOURCES_AT_PORTABLE_SIZE,
		    out->size - before);
	if (saturated != 0)
		warn_lost(context, "%llu values are too large for the types "
		    "of the RFC, and became the largest",
		    (unsigned long long)saturated);
}

enum prof_status
sources_write(struct sources_writer *w, struct prof_context *context,
    uint64_t offset, struct buf *out, struct prof_error *err)
{
	uint64_t entries;
	size_t begin;

	if (!sources_resolve(w, &entries))
		return err_memory(err);
	if (entries > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "source files of %llu "
		    "frames: the limit is 4294967295",
		    (unsigned long long)entries);
	if (w->bad_paths != 0)
		warn_lost(context, "%llu names of source files are too long "
		    "or have a NUL: left out",
		    (unsigned long long)w->bad_paths);
	buf_zeros(out, (size_t)pad8(offset + out->size));
	begin = out->size;
	sources_emit_header(w, entries, out);
	sources_emit_stacks(w, out);
	sources_emit_overflow(w, out);
	sources_emit_text(w, out);
	sources_emit_portable(w, context, out, begin);
	sources_emit_trailer(out, begin, offset);
	return out->failed ? err_memory(err) : PROF_OK;
}
