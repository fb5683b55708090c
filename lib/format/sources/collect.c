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
sources_add_context(struct sources_writer *w, const struct memprof_built *built,
    const struct memprof_alloc *a, struct buf *ids, struct prof_error *err)
{
	if (!sources_stack_ids(built, &built->stacks[a->stack], ids))
		return err_memory(err);
	return sources_put_entry(w, memprof_stack_id(ids), a->info, err);
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

static bool
sources_note_record(struct sources_writer *w, const struct memprof_record *r)
{
	return list_pool_add_u64(&w->asked_guids, r->guid) != INDEX_NONE &&
	    (r->name.size == 0 || sources_add_name(w,
	    &(struct prof_symbol){ r->name, r->guid }));
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

		if (!sources_note_record(w, r))
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
