/*
 * Programs and shared libraries of profiles, and their binaries.  A module is
 * identified by its build id.  A mapping without build id belongs to the first
 * binary with code of the same place and size; if there is none, it is in no
 * module.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/digests.h"
#include "base/error.h"
#include "sym/sym.h"

/* Size of pages on x86-64, the only target of memprof raw versions 1 and 2. */
#define PAGE ((uint64_t)4096)

const char *
module_id_text(char text[ID_TEXT_SIZE], struct prof_span id)
{
	size_t n = id.size > 20 ? 20 : id.size;

	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", id.data[i]);
	snprintf(text + 2 * n, ID_TEXT_SIZE - 2 * n, "%s",
	    id.size == 0 ? "none" : id.size > n ? "..." : "");
	return text;
}

void
modules_warn(const struct modules *m, enum prof_code code,
    const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_report(m->warn, m->warn_arg, (struct prof_error){ .code = code },
	    format, ap);
	va_end(ap);
}

enum prof_status
modules_start(struct modules *m, struct prof_error *err)
{
	m->without_id = calloc(m->binary_count + 1, sizeof(*m->without_id));
	if (m->without_id == NULL)
		return err_memory(err);
	for (size_t i = 0; i < m->binary_count; i++)
		m->without_id[i] = NO_MODULE;
	return PROF_OK;
}

/*
 * The module of a build id or, without one, of a binary (an index), which is
 * added if it is new.
 */
static enum prof_status
modules_find_id(struct modules *m, struct prof_span id, size_t binary,
    size_t *index, struct prof_error *err)
{
	struct module module = { .binary = binary };
	uint64_t *known;

	*index = m->size;
	if (id.size == 0) {
		if (m->without_id[binary] == NO_MODULE)
			m->without_id[binary] = m->size;
		*index = m->without_id[binary];
	} else {
		known = id_map_add(&m->by_id, md5_u64(id.data, id.size),
		    (uint64_t)m->size + 1);
		if (known == NULL)
			return err_memory(err);
		*index = (size_t)*known - 1;
	}
	if (*index < m->size)
		return PROF_OK;
	module.build_id = id;
	return arena_keep(&m->arena, &module.build_id) &&
	    ARRAY_ADD(m->items, m->size, m->room, module) ? PROF_OK :
	    err_memory(err);
}

static uint64_t
modules_page(uint64_t address)
{
	return address & ~(PAGE - 1);
}

/*
 * Whether a mapping with file offsets (raw versions 1 and 2) is that of a
 * program header; the kernel maps whole pages.  base is the page of the first
 * header.  A debug file has the addresses of the program, but other offsets and
 * sizes: only the size in memory can be compared, and the offset in the
 * program's file is at most the distance from base.
 */
static bool
modules_is_mapping(const struct prof_segment *s, const struct binary *b,
    const struct binary_load *l, uint64_t base, uint64_t *delta)
{
	bool debug = b->debug_only;
	uint64_t first = modules_page(l->address), end;

	if (!add_u64(l->address, debug ? l->memory_size : l->file_size, &end))
		return false;
	end = modules_page(end - 1) + PAGE;
	*delta = first - s->offset;
	return end - first == s->end - s->start &&
	    (debug ? s->offset <= first - base :
	    modules_page(l->offset) == s->offset);
}

/* Whether a mapping may be the code of a binary; *delta as in modules_of. */
static bool
modules_may_be(const struct prof_segment *s, const struct binary *b,
    uint64_t *delta)
{
	const struct binary_load *l = b->loads;
	size_t count = b->load_count;

	*delta = 0;
	for (size_t i = 0; i < count && s->has_range; i++) {
		if (!l[i].executable || l[i].memory_size == 0)
			continue;
		if (s->file_addresses ? modules_is_mapping(s, b, &l[i],
		    modules_page(l[0].address), delta) :
		    s->start - s->offset == l[i].address &&
		    s->end - s->start == l[i].memory_size &&
		    b->build_id.size == 0)
			return true;
	}
	return false;
}

/*
 * *delta of a mapping that the user says is of a binary: by the header that it
 * matches, or else by the one whose bytes it begins in.
 */
static enum prof_status
modules_place_mapping(const struct prof_segment *s, const struct binary *b,
    uint64_t *delta, struct prof_error *err)
{
	const struct binary_load *l = b->loads;
	size_t count = b->load_count;

	if (!s->file_addresses || modules_may_be(s, b, delta)) {
		*delta = s->file_addresses ? *delta : 0;
		return PROF_OK;
	}
	for (size_t i = 0; i < count && !b->debug_only; i++) {
		*delta = l[i].address - l[i].offset;
		if (l[i].executable && s->offset >= modules_page(l[i].offset) &&
		    s->offset < l[i].offset + l[i].file_size)
			return PROF_OK;
	}
	return err_set(err, PROF_E_MISMATCH, "%s has no code at 0x%llx of "
	    "its file, which is mapped at 0x%llx", b->path, ull(s->offset),
	    ull(s->start));
}

/* modules_of for a mapping that the user assigned to a binary. */
static enum prof_status
modules_of_map(struct modules *m, struct module_map *map,
    const struct prof_segment *s, struct module_place *out,
    struct prof_error *err)
{
	struct binary *b = m->binaries[map->binary];
	struct prof_span id = b->build_id;
	char a[ID_TEXT_SIZE], c[ID_TEXT_SIZE];

	if (s->build_id.size != 0 && id.size != 0 &&
	    !prof_span_equal(s->build_id, id))
		return err_set(err, PROF_E_MISMATCH, "the segment at 0x%llx "
		    "has build id %s, %s has %s",
		    ull(s->start), module_id_text(a, s->build_id), b->path,
		    module_id_text(c, id));
	if (modules_place_mapping(s, b, &out->delta, err) != PROF_OK)
		return PROF_FAIL;
	map->used = true;
	b->used = true;
	return modules_find_id(m, id, map->binary, &out->module, err);
}

enum prof_status
modules_of(struct modules *m, const struct prof_segment *s,
    struct module_place *out, struct prof_error *err)
{
	struct prof_span id = s->build_id;
	size_t binary = NO_MODULE;

	*out = (struct module_place){ NO_MODULE, 0 };
	for (size_t i = 0; i < m->map_count && s->has_range; i++) {
		if (m->maps[i].start == s->start)
			return modules_of_map(m, &m->maps[i], s, out, err);
	}
	for (size_t i = 0; i < m->binary_count && binary == NO_MODULE; i++) {
		if (id.size == 0 ? modules_may_be(s, m->binaries[i],
		    &out->delta) : prof_span_equal(m->binaries[i]->build_id,
		    id))
			binary = i;
	}
	if (id.size == 0 && binary == NO_MODULE)
		return PROF_OK;
	if (binary != NO_MODULE) {
		m->binaries[binary]->used = true;
		id = m->binaries[binary]->build_id;
	}
	return modules_find_id(m, id, binary, &out->module, err);
}

/* Whether a module is of that binary, or of another with its build id. */
static bool
modules_is_binary_of(const struct modules *m, const struct module *module,
    size_t binary)
{
	return binary == module->binary || (module->build_id.size != 0 &&
	    prof_span_equal(m->binaries[binary]->build_id, module->build_id));
}

/*
 * Opens the debug information of the first binary with the build id that has
 * some: that others are stripped matters if all are.  It is not tried twice,
 * since sections may be uncompressed then.
 */
static enum prof_status
modules_open(struct modules *m, struct module *module, struct prof_error *err)
{
	struct binary *b = NULL;
	struct prof_error e = { 0 };
	Dwarf *dwarf = NULL;
	size_t missing;

	module->opened = true;
	for (size_t i = 0; i < m->binary_count && dwarf == NULL &&
	    module->binary != NO_MODULE; i++) {
		if (!modules_is_binary_of(m, module, i))
			continue;
		dwarf = binary_dwarf(m->binaries[i], &e);
		if (dwarf != NULL || b == NULL)
			b = m->binaries[i];
	}
	if (module->binary == NO_MODULE && module->build_id.size != 0) {
		if (binary_find(module->build_id, m->search, &module->found,
		    &e) == PROF_OK)
			b = module->found;
		dwarf = b == NULL ? NULL : binary_dwarf(b, &e);
	}
	if (dwarf != NULL)
		module->frames = frames_new(dwarf, m->search->work, &e);
	if (e.code == PROF_E_MEMORY || err_memory_seen() ||
	    (dwarf != NULL && module->frames == NULL))
		return err_memory(err);
	if (dwarf == NULL && b != NULL && binary_check_whole(b, err) != PROF_OK)
		return PROF_FAIL;
	if (e.code != PROF_E_NONE &&
	    (dwarf == NULL || e.code != PROF_E_UNSUPPORTED))
		modules_warn(m, PROF_E_NONE, "%s", e.reason);
	if (dwarf == NULL)
		return PROF_OK;
	module->source = b;
	missing = frames_lack(module->frames)->split_missing;
	if (missing != 0)
		modules_warn(m, PROF_E_NONE, "%s: units with functions in "
		    ".dwo files that are missing: %zu", b->path, missing);
	return PROF_OK;
}

/*
 * Reads the symbols of all binaries of a module.  A damaged table is used as
 * far as it goes, with a warning.
 */
static enum prof_status
modules_read_symbols(struct modules *m, struct module *module,
    struct prof_error *err)
{
	module->symbols_read = true;
	for (size_t i = 0; i <= m->binary_count; i++) {
		struct binary *b = module->found;
		struct prof_error e = { 0 };

		if (i < m->binary_count)
			b = modules_is_binary_of(m, module, i) ?
			    m->binaries[i] : NULL;
		if (b == NULL)
			continue;
		if (binary_symbols(b, &module->symbols, &e) == PROF_OK) {
			if (binary_check_whole(b, err) != PROF_OK)
				return PROF_FAIL;
			continue;
		}
		if (e.code == PROF_E_MEMORY || err_memory_seen())
			return err_memory(err);
		modules_warn(m, PROF_E_NONE, "%s", e.reason);
	}
	return PROF_OK;
}

/* Whether no debug information is known to be missing or damaged. */
static bool
modules_is_whole(const struct module *module)
{
	const struct frames_lack *lack = module->frames == NULL ? NULL :
	    frames_lack(module->frames);

	return lack == NULL || (lack->split_missing == 0 &&
	    lack->damage.code == PROF_E_NONE);
}

enum prof_status
modules_find(struct modules *m, size_t index, uint64_t address,
    struct frame_list *out, struct prof_error *err)
{
	struct module *module = &m->items[index];
	struct frame_list symbol;

	*out = (struct frame_list){ .count = 0 };
	if (!module->opened && modules_open(m, module, err) != PROF_OK)
		return PROF_FAIL;
	if (module->frames != NULL) {
		if (frames_find(module->frames, address, &m->arena, out, err)
		    != PROF_OK ||
		    binary_check_whole(module->source, err) != PROF_OK)
			return PROF_FAIL;
		/* The function may be in a part that could not be read. */
		out->known = out->count != 0 || modules_is_whole(module);
	}
	if (out->count != 0)
		return PROF_OK;
	if (!module->symbols_read &&
	    modules_read_symbols(m, module, err) != PROF_OK)
		return PROF_FAIL;
	if (symbols_find(&module->symbols, address, &m->arena, &symbol, err) !=
	    PROF_OK)
		return PROF_FAIL;
	out->frames = symbol.frames;
	out->count = symbol.count;
	return PROF_OK;
}

void
modules_free(struct modules *m)
{
	for (size_t i = 0; i < m->size; i++) {
		frames_free(m->items[i].frames);
		symbols_free(&m->items[i].symbols);
		binary_close(m->items[i].found);
		id_map_free(&m->items[i].addresses);
	}
	free(m->items);
	free(m->without_id);
	id_map_free(&m->by_id);
	arena_free(&m->arena);
}
