#include "config.h"

#include "sym/addresses.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/expansion.h"
#include "model/memprof_guid.h"
#include "sym/frame_cache.h"

/*
 * A small binary must not make a large profile: many addresses may be in one
 * nest of inlined functions, and many functions may share a long name or folder
 * of debug information.  Addresses have at most FRAMES_MEAN frames on average,
 * after FRAMES_FEW addresses, and NAMES_MEAN bytes of names and paths, after
 * NAMES_FEW addresses.
 */
enum { FRAMES_MEAN = 64, FRAMES_FEW = 1 << 10 };
enum { NAMES_MEAN = 1 << 15, NAMES_FEW = 1 << 12 };

/* Names that are shown, which are demangled and longer, count by this part. */
enum { SHOWN_PART = 2 };

enum prof_status
frame_sums_add(struct frame_sums *s, size_t frames, uint64_t name_bytes,
    struct prof_error *err)
{
	s->frames += frames;
	s->name_bytes += name_bytes;
	if (s->frames / FRAMES_MEAN > s->addresses + FRAMES_FEW)
		return err_set(err, PROF_E_LIMIT, "%llu addresses have %llu "
		    "frames, more than %d each", ull(s->addresses),
		    ull(s->frames), FRAMES_MEAN);
	if (s->name_bytes / NAMES_MEAN > s->addresses + NAMES_FEW)
		return err_set(err, PROF_E_LIMIT, "the names and paths of %llu "
		    "addresses have %llu bytes, more than %d each",
		    ull(s->addresses), ull(s->name_bytes), NAMES_MEAN);
	return PROF_OK;
}

/* Counts a frame of the binary, and bytes of the name that is shown. */
static enum prof_status
addresses_count(struct addresses *s, struct address *a,
    const struct prof_frame *f, size_t shown, struct prof_error *err)
{
	uint64_t bytes = (uint64_t)f->function.name.size + f->file.size +
	    shown;

	a->name_bytes += bytes;
	return frame_sums_add(&s->sums, 1, bytes, err);
}

/* Makes the frames with other names for the output. */
static enum prof_status
addresses_rename_frames(struct addresses *s, struct address *a,
    struct prof_error *err)
{
	struct prof_frame *shown = arena_array(&s->arena, a->count,
	    sizeof(*shown));

	if (shown == NULL)
		return err_memory(err);
	memcpy(shown, a->frames, a->count * sizeof(*shown));
	for (size_t i = 0; i < a->count; i++) {
		struct prof_span name = s->rename(s->arg,
		    shown[i].function.name);
		bool same = name.data == NULL ||
		    prof_span_equal(name, shown[i].function.name);

		if (addresses_count(s, a, &a->frames[i], same ? 0 : name.size /
		    SHOWN_PART, err) != PROF_OK)
			return PROF_FAIL;
		if (same)
			continue;
		shown[i].function.name = arena_copy(&s->arena, name);
		if (shown[i].function.name.data == NULL)
			return err_memory(err);
	}
	a->shown = shown;
	return PROF_OK;
}

static enum prof_status
addresses_show_frames(struct addresses *s, struct address *a,
    struct prof_error *err)
{
	s->sums.addresses++;
	a->shown = a->frames;
	a->shown_count = s->lines_only && a->count != 0 &&
	    !memprof_has_place(&a->frames[0]) ? 0 : a->count;
	if (s->rename != NULL && a->count != 0)
		return addresses_rename_frames(s, a, err);
	for (size_t i = 0; i < a->count; i++) {
		if (addresses_count(s, a, &a->frames[i], 0, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/*
 * Counts what the frames of an address take.  Each may have a nest of inlined
 * functions, and an address is a few bytes of a profile.  In sound binaries,
 * calls have 8 bytes of code, and some inlined functions.
 */
static enum prof_status
addresses_count_memory(struct addresses *s, const struct address *a,
    struct prof_error *err)
{
	struct module *m = a->module == NO_MODULE ? NULL :
	    &s->modules->items[a->module];
	uint64_t limit;

	if (m != NULL && m->source != NULL && !m->counted) {
		m->counted = true;
		s->source_bytes += binary_file_size(m->source);
	}
	/* The first one counts as the address. */
	for (size_t i = 1; i < a->count; i++)
		s->frame_bytes += sizeof(*a->frames) + (a->shown == a->frames ?
		    0 : sizeof(*a->shown) + a->shown[i].function.name.size);
	limit = expansion_limit(s->source_bytes);
	return s->frame_bytes <= limit ? PROF_OK : err_set(err, PROF_E_LIMIT,
	    "the frames of %zu addresses take more than %llu bytes", s->size,
	    ull(limit));
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
	if (addresses_show_frames(s, &a, err) != PROF_OK ||
	    addresses_count_memory(s, &a, err) != PROF_OK)
		return PROF_FAIL;
	if (id_map_add(addresses_map(s, a.module), a.address,
	    (uint64_t)s->size + 1) == NULL)
		return err_memory(err);
	s->items[s->size++] = a;
	return PROF_OK;
}

/*
 * Adds the addresses of a cache, with those before it that has too many frames
 * or too long names.
 */
static enum prof_status
addresses_add_cached(struct addresses *s, size_t module,
    const struct frame_cache *cache, struct prof_error *err)
{
	for (size_t i = 0; i < cache->count; i++) {
		const struct cached_address *c = &cache->addresses[i];
		struct frame_sums sums = s->sums;
		uint64_t frame_bytes = s->frame_bytes;

		if (addresses_add(s, (struct address){ .module = module,
		    .address = c->address, .frames = c->frames,
		    .count = c->count, .known = true }, err) == PROF_OK)
			continue;
		s->sums = sums;
		s->frame_bytes = frame_bytes;
		return PROF_FAIL;
	}
	return PROF_OK;
}

/* A cache that cannot be read is ignored with a warning. */
static enum prof_status
addresses_load_cache(struct addresses *s, size_t module, struct prof_error *err)
{
	struct module *m = &s->modules->items[module];
	struct frame_cache cache;
	struct prof_error e = { 0 };
	struct prof_span bytes;
	char id[ID_TEXT_SIZE];

	if (m->build_id.size == 0)
		return PROF_OK;
	bytes = s->load(s->arg, m->build_id);
	if (bytes.data == NULL)
		return PROF_OK;
	s->source_bytes += bytes.size;
	if (frame_cache_read(bytes, m->build_id, &s->arena, &cache, &e) ==
	    PROF_OK && addresses_add_cached(s, module, &cache, &e) == PROF_OK)
		return PROF_OK;
	if (e.code == PROF_E_MEMORY)
		return err_memory(err);
	modules_warn(s->modules, PROF_E_NONE, e.code == PROF_E_LIMIT ?
	    "cache of %s: %s: the rest is not used" :
	    "cache of %s: %s: not used", module_id_text(id, m->build_id),
	    e.reason);
	return PROF_OK;
}

static enum prof_status
addresses_look_up(struct addresses *s, size_t module, uint64_t address,
    struct prof_error *err)
{
	struct address a = { .module = module, .address = address };
	struct frame_list found = { .count = 0 };

	if (module != NO_MODULE && modules_find(s->modules, module, address,
	    &found, err) != PROF_OK)
		return PROF_FAIL;
	a.frames = found.frames;
	a.count = found.count;
	a.known = found.known;
	if (module != NO_MODULE && (a.known || a.count != 0))
		s->modules->items[module].changed = true;
	if (module != NO_MODULE && !a.known)
		s->modules->items[module].unknown++;
	return addresses_add(s, a, err);
}

enum prof_status
addresses_find(struct addresses *s, size_t module, uint64_t address,
    const struct address **out, struct prof_error *err)
{
	const uint64_t *known;
	size_t i;

	while (s->load != NULL && s->loaded < s->modules->size) {
		if (addresses_load_cache(s, s->loaded++, err) != PROF_OK)
			return PROF_FAIL;
	}
	known = id_map_find(addresses_map(s, module), address);
	i = known == NULL ? s->size : (size_t)*known - 1;
	if (known == NULL && addresses_look_up(s, module, address, err) !=
	    PROF_OK)
		return PROF_FAIL;
	s->items[i].requested = true;
	*out = &s->items[i];
	return PROF_OK;
}

static int
addresses_by_module(const void *a, const void *b)
{
	const struct address *x = a, *y = b;

	return x->module < y->module ? -1 : x->module > y->module;
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
