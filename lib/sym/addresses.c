/* The addresses of a run, each of which is symbolized once. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "model/memprof_guid.h"
#include "sym/sym.h"

/*
 * A small binary must not make a large profile: many addresses may be in one
 * nest of inlined functions, and many functions may share a long name or
 * folder.  This work is free each time that an address is on a stack, which
 * takes bytes of the profile: 64 frames, or 32 KiB of names and paths.
 */
#define ADDRESS_FREE ((uint64_t)64 * WORK_FRAME)

/* Sets the frames for the output, which may have other names, and the cost. */
static enum prof_status
addresses_show_frames(struct addresses *s, struct address *a,
    struct prof_error *err)
{
	struct prof_frame *shown = NULL;

	a->shown = a->frames;
	a->shown_count = s->lines_only && a->count != 0 &&
	    !memprof_has_place(&a->frames[0]) ? 0 : a->count;
	if (s->rename != NULL && a->count != 0) {
		shown = arena_array(&s->arena, a->count, sizeof(*shown));
		if (shown == NULL)
			return err_memory(err);
		memcpy(shown, a->frames, a->count * sizeof(*shown));
		a->shown = shown;
	}
	for (size_t i = 0; i < a->count; i++) {
		struct prof_span old = a->frames[i].function.name, name = old;
		uint64_t cost = WORK_FRAME + (uint64_t)old.size +
		    a->frames[i].file.size;

		if (shown != NULL)
			name = s->rename(s->arg, old);
		if (name.data == NULL || prof_span_equal(name, old))
			name = old;
		else
			cost += name.size;
		a->cost += cost;
		if (work_take(s->work, cost, 1, "frames of addresses", err) !=
		    PROF_OK)
			return PROF_FAIL;
		if (name.data == old.data)
			continue;
		shown[i].function.name = arena_copy(&s->arena, name);
		if (shown[i].function.name.data == NULL)
			return err_memory(err);
	}
	return PROF_OK;
}

static struct id_map *
addresses_map(struct addresses *s, size_t module)
{
	return module == NO_MODULE ? &s->nowhere :
	    &s->modules->items[module].addresses;
}

static enum prof_status
addresses_add(struct addresses *s, struct address a, struct prof_error *err)
{
	if (!ARRAY_ROOM(s->items, s->size, s->room))
		return err_memory(err);
	a.runtime = a.count != 0 && memprof_is_runtime(&a.frames[0]);
	if (addresses_show_frames(s, &a, err) != PROF_OK)
		return PROF_FAIL;
	if (id_map_add(addresses_map(s, a.module), a.address,
	    (uint64_t)s->size + 1) == NULL)
		return err_memory(err);
	s->items[s->size++] = a;
	return PROF_OK;
}

/*
 * Adds the addresses of a cache.  A cache that cannot be read is ignored with a
 * warning; of one with too many frames or too long names, the addresses before
 * these are used.
 */
static enum prof_status
addresses_load_cache(struct addresses *s, size_t module, struct prof_error *err)
{
	struct module *m = &s->modules->items[module];
	struct frame_cache cache = { .count = 0 };
	struct prof_error e = { 0 };
	enum prof_status status;
	struct prof_span bytes;
	char id[ID_TEXT_SIZE];

	if (m->build_id.size == 0)
		return PROF_OK;
	bytes = s->load(s->arg, m->build_id);
	if (bytes.data == NULL)
		return PROF_OK;
	s->work->input += bytes.size;
	status = frame_cache_read(bytes, m->build_id, &s->arena, &cache, &e);
	for (size_t i = 0; i < cache.count && status == PROF_OK; i++) {
		const struct cached_address *c = &cache.addresses[i];
		uint64_t done = s->work->done;

		status = addresses_add(s, (struct address){ .module = module,
		    .address = c->address, .frames = c->frames,
		    .count = c->count, .known = true }, &e);
		if (status != PROF_OK)
			s->work->done = done;
	}
	if (e.code == PROF_E_MEMORY)
		return err_memory(err);
	if (status != PROF_OK)
		modules_warn(s->modules, PROF_E_NONE, e.code == PROF_E_LIMIT ?
		    "cache of %s: %s: the rest is not used" :
		    "cache of %s: %s: not used",
		    module_id_text(id, m->build_id), e.reason);
	return PROF_OK;
}

enum prof_status
addresses_find(struct addresses *s, size_t module, uint64_t address,
    const struct address **out, struct prof_error *err)
{
	struct address a = { .module = module, .address = address };
	struct frame_list found = { .count = 0 };
	const uint64_t *known;
	size_t i;

	while (s->load != NULL && s->loaded < s->modules->size) {
		if (addresses_load_cache(s, s->loaded++, err) != PROF_OK)
			return PROF_FAIL;
	}
	known = id_map_find(addresses_map(s, module), address);
	i = known == NULL ? s->size : (size_t)*known - 1;
	if (known == NULL) {
		if (module != NO_MODULE && modules_find(s->modules, module,
		    address, &found, err) != PROF_OK)
			return PROF_FAIL;
		a.frames = found.frames;
		a.count = found.count;
		a.known = found.known;
		if (module != NO_MODULE && (a.known || a.count != 0))
			s->modules->items[module].changed = true;
		if (module != NO_MODULE && !a.known)
			s->modules->items[module].unknown++;
		if (addresses_add(s, a, err) != PROF_OK)
			return PROF_FAIL;
	}
	*out = &s->items[i];
	s->items[i].requested = true;
	return (*out)->cost <= ADDRESS_FREE ? PROF_OK : work_take(s->work,
	    (*out)->cost - ADDRESS_FREE, 1, "frames of addresses", err);
}

static int
addresses_by_module(const void *a, const void *b)
{
	const struct address *x = a, *y = b;

	return compare_u64(x->module, y->module);
}

enum prof_status
addresses_save_all(struct addresses *s, addresses_save *save, void *arg,
    struct prof_error *err)
{
	struct cached_address *list = calloc(s->size + 1, sizeof(*list));
	struct buf b = { 0 };
	size_t i = 0;
	bool failed;

	if (list == NULL)
		return err_memory(err);
	/*
	 * Sorting invalidates the numbers in the maps, which are not used
	 * again.
	 */
	if (s->size != 0)
		qsort(s->items, s->size, sizeof(*s->items),
		    addresses_by_module);
	while (i < s->size && s->items[i].module != NO_MODULE) {
		size_t module = s->items[i].module, n = 0;
		const struct module *m = &s->modules->items[module];

		for (; i < s->size && s->items[i].module == module; i++) {
			const struct address *a = &s->items[i];

			if (a->known || a->count != 0)
				list[n++] = (struct cached_address){
				    a->address, a->frames, a->count };
		}
		b.size = 0;
		if (m->changed && m->build_id.size != 0 &&
		    modules_is_whole(m) &&
		    frame_cache_write(&b, m->build_id, list, n))
			save(arg, m->build_id, &b);
	}
	failed = b.failed;
	free(list);
	buf_free(&b);
	return failed ? err_memory(err) : PROF_OK;
}

void
addresses_free(struct addresses *s)
{
	free(s->items);
	id_map_free(&s->nowhere);
	arena_free(&s->arena);
}
