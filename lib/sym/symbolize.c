/*
 * Stacks of heap profiles get frames; which addresses are left out, and what is
 * said of those that have no frames.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/heap.h"
#include "sym/sym.h"

/*
 * A small binary must not make a large profile: many addresses may be in one
 * nest of inlined functions, and many functions may share a long name or
 * folder.  This work is free each time that an address is on a stack, which
 * takes bytes of the profile: 64 frames, or 32 KiB of names and paths.
 */
#define ADDRESS_FREE ((uint64_t)64 * WORK_FRAME)

/* An address of a module, which is symbolized once. */
struct address {
	size_t module;			/* index, or NO_MODULE */
	uint64_t address;
	const struct prof_frame *frames;	/* names as in the binary */
	size_t count;			/* of frames; 0: in no function */
	const struct prof_frame *shown;	/* names for the output */
	size_t shown_count;	/* as count; 0 if `drop` leaves them out */
	uint64_t cost;			/* work, of frames, names and paths */
	bool known;			/* there was debug information */
	bool requested;			/* it is on a stack */
	bool runtime;			/* memprof_is_runtime: left out */
};

/* A mapping of the profile being read. */
struct mapping {
	uint64_t start, offset;
	struct module_place place;
	bool file_addresses;
};

/* So many starts of mappings without module are shown, each once. */
#define UNMATCHED_SHOWN 2

struct symbolize {
	struct symbolize_options options;
	struct modules modules;
	struct work *work;		/* borrowed */
	struct address *addresses;
	size_t address_count, address_room;
	struct id_map nowhere;		/* addresses of no module: number + 1 */
	struct arena frame_arena;	/* of the addresses */

	/* Of the profile being read. */
	bool is_sum;			/* of several runs */
	struct mapping *mappings;
	size_t mapping_count, mapping_room;
	struct id_map by_id;		/* id of segment: mapping + 1 */
	struct intervals by_range;	/* rank: UINT32_MAX - mapping */
	struct id_map removed;		/* ids of stacks */
	uint64_t stacks, remaining;	/* with addresses */

	/* Of the run. */
	uint64_t unmatched_starts[UNMATCHED_SHOWN];
	size_t unmatched_count;
	uint64_t unmatched;		/* segments of no module */
	uint64_t requested, found;	/* addresses of stacks */
	uint64_t removed_stacks, removed_bytes;
	struct arena arena;		/* of one record */
};

struct symbolize *
symbolize_new(const struct symbolize_options *o, struct prof_error *err)
{
	struct symbolize *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		err_memory(err);
		return NULL;
	}
	s->options = *o;
	s->modules = (struct modules){ .binaries = o->binaries,
	    .binary_count = o->binary_count, .maps = o->maps,
	    .map_count = o->map_count, .search = o->search, .warn = o->warn,
	    .warn_arg = o->warn_arg };
	s->work = o->search->work;
	if (modules_start(&s->modules, err) != PROF_OK) {
		symbolize_free(s);
		return NULL;
	}
	return s;
}

static struct id_map *
symbolize_numbers(struct symbolize *s, size_t module)
{
	return module == NO_MODULE ? &s->nowhere :
	    &s->modules.items[module].addresses;
}

/* Adds an address, whose frames may get other names for the output. */
static enum prof_status
symbolize_add_address(struct symbolize *s, struct address a,
    struct prof_error *err)
{
	struct prof_frame *shown = NULL;

	a.runtime = a.count != 0 && memprof_is_runtime(&a.frames[0]);
	a.shown = a.frames;
	a.shown_count = s->options.drop && a.count != 0 &&
	    !memprof_has_place(&a.frames[0]) ? 0 : a.count;
	if (s->options.rename != NULL && a.count != 0) {
		shown = arena_array(&s->frame_arena, a.count, sizeof(*shown));
		if (shown == NULL)
			return err_memory(err);
		memcpy(shown, a.frames, a.count * sizeof(*shown));
		a.shown = shown;
	}
	for (size_t i = 0; i < a.count; i++) {
		struct prof_span old = a.frames[i].function.name, name = old;
		uint64_t cost = WORK_FRAME + (uint64_t)old.size +
		    a.frames[i].file.size;

		if (shown != NULL)
			name = s->options.rename(s->options.arg, old);
		if (name.data == NULL || prof_span_equal(name, old))
			name = old;
		else
			cost += name.size;
		a.cost += cost;
		if (work_take(s->work, cost, 1, "frames of addresses", err) !=
		    PROF_OK)
			return PROF_FAIL;
		if (name.data == old.data)
			continue;
		shown[i].function.name = arena_copy(&s->frame_arena, name);
		if (shown[i].function.name.data == NULL)
			return err_memory(err);
	}
	if (!ARRAY_ADD(s->addresses, s->address_count, s->address_room, a) ||
	    id_map_add(symbolize_numbers(s, a.module), a.address,
	    (uint64_t)s->address_count) == NULL)
		return err_memory(err);
	return PROF_OK;
}

/*
 * Symbolizes an address of a module, or of NO_MODULE.  *out is valid until the
 * next call.
 */
static enum prof_status
symbolize_look_up(struct symbolize *s, size_t module, uint64_t address,
    const struct address **out, struct prof_error *err)
{
	struct address a = { .module = module, .address = address };
	struct frame_list found = { .count = 0 };
	const uint64_t *known;
	size_t i;

	known = id_map_find(symbolize_numbers(s, module), address);
	i = known == NULL ? s->address_count : (size_t)*known - 1;
	if (known == NULL) {
		err_memory_begin();
		if (module != NO_MODULE && err_if_memory(modules_find(
		    &s->modules, module, address, &found, err), err) != PROF_OK)
			return PROF_FAIL;
		a.frames = found.frames;
		a.count = found.count;
		a.known = found.known;
		if (module != NO_MODULE && !a.known)
			s->modules.items[module].unknown++;
		if (symbolize_add_address(s, a, err) != PROF_OK)
			return PROF_FAIL;
	}
	*out = &s->addresses[i];
	s->addresses[i].requested = true;
	return (*out)->cost <= ADDRESS_FREE ? PROF_OK : work_take(s->work,
	    (*out)->cost - ADDRESS_FREE, 1, "frames of addresses", err);
}

/*
 * An absolute address of a sum was in no segment of its run.  The ranges of the
 * segments, which may be of other runs, are not used.
 */
static enum prof_status
symbolize_add_segment(struct symbolize *s, const struct prof_segment *seg,
    struct prof_error *err)
{
	struct mapping m = { .start = seg->start, .offset = seg->offset,
	    .file_addresses = seg->file_addresses };
	size_t shown = 0;

	if (modules_of(&s->modules, seg, &m.place, err) != PROF_OK)
		return PROF_FAIL;
	if (m.place.module == NO_MODULE) {
		s->unmatched++;
		while (shown < s->unmatched_count &&
		    s->unmatched_starts[shown] != seg->start)
			shown++;
		if (shown == s->unmatched_count && seg->has_range &&
		    shown < UNMATCHED_SHOWN)
			s->unmatched_starts[s->unmatched_count++] = seg->start;
	}
	if (s->mapping_count == UINT32_MAX ||
	    (!s->is_sum && !intervals_add(&s->by_range, seg->start, seg->end,
	    UINT32_MAX - (uint32_t)s->mapping_count)) ||
	    !ARRAY_ADD(s->mappings, s->mapping_count, s->mapping_room, m))
		return err_memory(err);
	return id_map_add(&s->by_id, seg->id, (uint64_t)s->mapping_count)
	    == NULL ? err_memory(err) : PROF_OK;
}

/*
 * Symbolizes the i-th address of a stack.  An absolute one that is in two
 * mappings belongs to the first.
 */
static enum prof_status
symbolize_find_address(struct symbolize *s, const struct prof_stack *stack,
    size_t i, const struct address **out, struct prof_error *err)
{
	uint64_t pc = stack->pcs[i], segment = stack->segments == NULL ?
	    PROF_NO_SEGMENT : stack->segments[i];
	const struct mapping *m = NULL;
	const struct interval *range;
	const uint64_t *known;

	if (segment != PROF_NO_SEGMENT) {
		known = id_map_find(&s->by_id, segment);
		if (known != NULL)
			m = &s->mappings[*known - 1];
	} else if ((range = intervals_find(&s->by_range, pc)) != NULL) {
		m = &s->mappings[UINT32_MAX - range->rank];
		pc -= m->file_addresses ? m->start - m->offset : m->offset;
	}
	if (m != NULL && m->place.module != NO_MODULE)
		pc += m->place.delta;
	return symbolize_look_up(s, m == NULL ? NO_MODULE :
	    m->place.module, pc, out, err);
}

/* How many frames of a symbolized stack belong to its next address. */
static size_t
symbolize_group_size(const struct prof_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if ((frames[i].flags & PROF_FRAME_INLINE) == 0)
			return i + 1;
	}
	return count;
}

/* The stack that is being made of another. */
struct stack_builder {
	const struct prof_stack *in;
	uint64_t *pcs, *segments;	/* segments may be NULL */
	struct prof_frame *frames;
	size_t pcs_size, frames_size, frames_room;
};

/* Appends the i-th address with `count` frames.  False: out of memory. */
static bool
symbolize_put_address(struct symbolize *s, struct stack_builder *m, size_t i,
    const struct prof_frame *added, size_t count)
{
	size_t room = m->frames_room;
	struct prof_frame *frames;

	while (room - m->frames_size < count)
		room = room == 0 ? 64 : room * 2;
	if (room != m->frames_room) {
		frames = arena_array(&s->arena, room, sizeof(*frames));
		if (frames == NULL)
			return false;
		if (m->frames_size != 0)
			memcpy(frames, m->frames, m->frames_size *
			    sizeof(*frames));
		m->frames = frames;
		m->frames_room = room;
	}
	memcpy(m->frames + m->frames_size, added, count * sizeof(*added));
	m->frames_size += count;
	m->pcs[m->pcs_size] = m->in->pcs[i];
	if (m->segments != NULL)
		m->segments[m->pcs_size] = m->in->segments[i];
	m->pcs_size++;
	return true;
}

/*
 * The frames of an address: those found, unless these have no place and the
 * input had any (old).  The count is 0 if the address is to be removed.
 */
static struct frame_list
symbolize_choose_frames(const struct symbolize *s, const struct address *found,
    const struct frame_list *old)
{
	static const struct prof_frame empty = { 0 };
	struct frame_list shown = { .frames = found->shown,
	    .count = found->shown_count };

	if (found->runtime)
		return (struct frame_list){ .count = 0 };
	if (shown.count != 0 && (memprof_has_place(shown.frames) ||
	    old->count == 0 || frame_is_empty(old->frames)))
		return shown;
	if (s->options.drop)
		return (struct frame_list){ .count = 0 };
	return old->count != 0 ? *old : (struct frame_list){ .frames = &empty,
	    .count = 1 };
}

static enum prof_status
symbolize_stack(struct symbolize *s, const struct prof_stack *in,
    struct prof_stack *out, struct prof_error *err)
{
	struct stack_builder m = { .in = in };
	const struct address *a;
	size_t at = 0, groups = 0;

	/* A symbolized stack has frames for each of its addresses, or stays. */
	for (; at < in->frames_size; groups++)
		at += symbolize_group_size(in->frames + at,
		    in->frames_size - at);
	if (in->pcs_size == 0 ||
	    (in->frames_size != 0 && groups != in->pcs_size))
		return PROF_OK;
	m.pcs = arena_array(&s->arena, in->pcs_size, sizeof(*m.pcs));
	if (in->segments != NULL)
		m.segments = arena_array(&s->arena, in->pcs_size,
		    sizeof(*m.segments));
	if (m.pcs == NULL || (in->segments != NULL && m.segments == NULL) ||
	    !intervals_build(&s->by_range))
		return err_memory(err);
	at = 0;
	for (size_t i = 0; i < in->pcs_size; i++) {
		struct frame_list old = { .count = 0 }, frames;

		/* Frames that the input has stay if they have a place. */
		if (in->frames_size != 0) {
			old.frames = in->frames + at;
			old.count = symbolize_group_size(old.frames,
			    in->frames_size - at);
		}
		frames = old;
		if (old.count == 0 || !memprof_has_place(old.frames)) {
			if (symbolize_find_address(s, in, i, &a, err) !=
			    PROF_OK)
				return PROF_FAIL;
			s->requested++;
			s->found += a->shown_count != 0;
			frames = symbolize_choose_frames(s, a, &old);
		}
		if (frames.count != 0 && !symbolize_put_address(s, &m, i,
		    frames.frames, frames.count))
			return err_memory(err);
		at += old.count;
	}
	s->stacks++;
	if (m.pcs_size == 0 && s->options.drop) {
		s->removed_stacks++;
		return id_map_add(&s->removed, in->id, 1) == NULL ?
		    err_memory(err) : PROF_END;
	}
	s->remaining++;
	out->pcs = m.pcs;
	out->segments = m.segments;
	out->pcs_size = m.pcs_size;
	out->frames = m.frames;
	out->frame_numbers = NULL;
	out->frames_size = m.frames_size;
	return PROF_OK;
}

/* Removes the sites whose stacks were removed. */
static enum prof_status
symbolize_function(struct symbolize *s, struct prof_memprof_function *f,
    struct prof_error *err)
{
	struct prof_allocation *allocs = arena_array(&s->arena, f->allocs_size,
	    sizeof(*allocs));
	struct prof_call_site *calls = arena_array(&s->arena, f->calls_size,
	    sizeof(*calls));
	size_t a = 0, c = 0;

	if (allocs == NULL || calls == NULL)
		return err_memory(err);
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (id_map_find(&s->removed, f->alloc_sites[i].stack) == NULL)
			allocs[a++] = f->alloc_sites[i];
	}
	for (size_t i = 0; i < f->calls_size; i++) {
		if (id_map_find(&s->removed, f->call_sites[i].stack) == NULL)
			calls[c++] = f->call_sites[i];
	}
	f->alloc_sites = allocs;
	f->allocs_size = a;
	f->call_sites = calls;
	f->calls_size = c;
	return PROF_OK;
}

enum prof_status
symbolize_record(struct symbolize *s, const struct prof_record *in,
    struct prof_record *out, struct prof_error *err)
{
	*out = *in;
	arena_reset(&s->arena);
	switch (in->kind) {
	case PROF_REC_PROFILE:
		s->is_sum = in->u.profile.inputs > 1;
		s->mapping_count = 0;
		id_map_free(&s->by_id);
		id_map_free(&s->removed);
		intervals_clear(&s->by_range);
		s->stacks = s->remaining = 0;
		return PROF_OK;
	case PROF_REC_SEGMENT:
		return symbolize_add_segment(s, &in->u.segment, err);
	case PROF_REC_STACK:
		return symbolize_stack(s, &in->u.stack, &out->u.stack, err);
	case PROF_REC_ALLOCATION:
		if (id_map_find(&s->removed, in->u.allocation.stack) == NULL)
			return PROF_OK;
		s->removed_bytes = saturating_add(s->removed_bytes,
		    in->u.allocation.info.value[PROF_MIB_TOTAL_SIZE]);
		return PROF_END;
	case PROF_REC_MEMPROF_FUNCTION:
		return s->removed.size == 0 ? PROF_OK :
		    symbolize_function(s, &out->u.memprof_function, err);
	case PROF_REC_END:
		if (s->stacks == 0 || s->remaining != 0)
			return PROF_OK;
		return err_set(err, PROF_E_MISMATCH, "no stack is left, of "
		    "%llu: no address is in a function of the debug "
		    "information", ull(s->stacks));
	default:
		return PROF_OK;
	}
}

/* So many modules are named in a message, which has room for their ids. */
#define MODULES_SHOWN 2
#define LIST_SIZE 128

/*
 * Lists the build ids of all modules in the order of the profile, in which the
 * program comes first; or, if `unknown`, of modules with unknown addresses.
 * Behind them are the mappings without a module, and how many are not named.
 */
static const char *
symbolize_list_modules(const struct symbolize *s, bool unknown,
    char text[LIST_SIZE])
{
	const struct modules *m = &s->modules;
	size_t shown = 0, all = (size_t)s->unmatched, size = 0;
	char id[ID_TEXT_SIZE];

	*text = '\0';
	for (size_t i = 0; i < m->size; i++) {
		if (unknown && m->items[i].unknown == 0)
			continue;
		all++;
		if (shown == MODULES_SHOWN)
			continue;
		size += (size_t)snprintf(text + size, LIST_SIZE - size,
		    "%s%s", shown++ == 0 ? "" : ", ",
		    module_id_text(id, m->items[i].build_id));
	}
	for (size_t i = 0; i < s->unmatched_count && shown < MODULES_SHOWN;
	    i++)
		size += (size_t)snprintf(text + size, LIST_SIZE - size,
		    "%snone at 0x%llx", shown++ == 0 ? "" : ", ",
		    ull(s->unmatched_starts[i]));
	if (shown != 0 && shown < all)
		snprintf(text + size, LIST_SIZE - size, " and %zu more",
		    all - shown);
	return text;
}

/* "PATH has build id X" for a message; the end of a path says most. */
#define BINARY_TEXT_SIZE (ERR_NAME_SIZE + ID_TEXT_SIZE + 16)
static const char *
symbolize_binary_text(const struct binary *b, char text[BINARY_TEXT_SIZE])
{
	size_t length = strlen(b->path), cut = length > 40 ? length - 37 : 0;
	char name[ERR_NAME_SIZE], id[ID_TEXT_SIZE];

	snprintf(text, BINARY_TEXT_SIZE, "%s%s has build id %s",
	    cut == 0 ? "" : "...", err_name(name, span_of_text(b->path + cut)),
	    module_id_text(id, b->build_id));
	return text;
}

/* No binary belongs to the profile: says which modules it has. */
static enum prof_status
symbolize_err_nothing(const struct symbolize *s, struct prof_error *err)
{
	char ids[LIST_SIZE], binary[BINARY_TEXT_SIZE];
	const struct modules *m = &s->modules;

	symbolize_list_modules(s, false, ids);
	if (m->size == 0 && s->unmatched == 0)
		return err_set(err, PROF_E_MISMATCH, "the profile does not say "
		    "which files its addresses belong to");
	if (m->binary_count == 0)
		return err_set(err, PROF_E_MISMATCH, "debug information was "
		    "found for no module of the profile, of build id %s", ids);
	return err_set(err, PROF_E_MISMATCH, "%s, modules of the profile have "
	    "%s", symbolize_binary_text(m->binaries[0], binary), ids);
}

/*
 * Warns of binaries and module_maps of the user that were not used, if the
 * profile has modules or counters used a binary.  Binaries with one build id
 * are one.
 */
static void
symbolize_warn_unused(const struct symbolize *s)
{
	char ids[LIST_SIZE], binary[BINARY_TEXT_SIZE];
	const struct modules *m = &s->modules;
	bool any = m->size != 0 || s->unmatched != 0, used;

	for (size_t i = 0; i < m->binary_count; i++)
		any |= m->binaries[i]->used;
	symbolize_list_modules(s, false, ids);
	for (size_t i = 0; i < m->binary_count && any; i++) {
		const struct binary *b = m->binaries[i];

		used = b->used;
		for (size_t j = 0; j < m->binary_count; j++)
			used |= m->binaries[j]->used && b->build_id.size != 0 &&
			    prof_span_equal(m->binaries[j]->build_id,
			    b->build_id);
		if (!used)
			modules_warn(m, PROF_E_NONE, "%s, %s%s",
			    symbolize_binary_text(b, binary), *ids == '\0' ?
			    "and belongs to no profile" :
			    "modules of the profile have ", ids);
	}
	for (size_t i = 0; i < m->map_count && any; i++) {
		if (!m->maps[i].used)
			modules_warn(m, PROF_E_NONE, "no segment begins at "
			    "0x%llx", ull(m->maps[i].start));
	}
}

/* Warns of addresses without debug information, and of those in no function. */
static void
symbolize_warn_unknown(const struct symbolize *s)
{
	uint64_t unknown = 0, nowhere = 0, all = 0;
	const struct modules *m = &s->modules;
	char ids[LIST_SIZE];

	for (size_t i = 0; i < s->address_count; i++) {
		const struct address *a = &s->addresses[i];
		bool without = a->requested && (a->count == 0 ||
		    !memprof_has_place(a->frames));

		all += a->requested;
		unknown += without && !a->known;
		nowhere += without && a->known;
	}
	symbolize_list_modules(s, true, ids);
	if (unknown != 0)
		modules_warn(m, PROF_E_NONE, "addresses without debug "
		    "information: %llu of %llu, of build id %s", ull(unknown),
		    ull(all), *ids == '\0' ? "unknown" : ids);
	if (nowhere != 0)
		modules_warn(m, PROF_E_NONE, "addresses in no function of the "
		    "debug information: %llu of %llu", ull(nowhere), ull(all));
}

enum prof_status
symbolize_finish(struct symbolize *s, struct prof_error *err)
{
	const struct modules *m = &s->modules;
	bool matched = s->found != 0;

	for (size_t i = 0; i < m->size; i++) {
		const struct module *module = &m->items[i];
		const struct prof_error *e = module->frames == NULL ? NULL :
		    &frames_lack(module->frames)->damage;

		if (e != NULL && e->code != PROF_E_NONE)
			modules_warn(m, PROF_E_NONE, "%s: damaged debug "
			    "information: %s",
			    binary_dwarf_path(module->source), e->reason);
		matched |= module->binary != NO_MODULE || e != NULL;
	}
	if (s->removed_stacks != 0)
		modules_warn(m, PROF_E_UNSUPPORTED, "contexts left "
		    "out, whose stacks have no function of the debug "
		    "information: %llu, of bytes: %llu", ull(s->removed_stacks),
		    ull(s->removed_bytes));
	if (s->requested != 0 && !matched)
		return symbolize_err_nothing(s, err);
	symbolize_warn_unused(s);
	symbolize_warn_unknown(s);
	return PROF_OK;
}

void
symbolize_free(struct symbolize *s)
{
	if (s == NULL)
		return;
	free(s->addresses);
	id_map_free(&s->nowhere);
	arena_free(&s->frame_arena);
	modules_free(&s->modules);
	free(s->mappings);
	id_map_free(&s->by_id);
	id_map_free(&s->removed);
	intervals_free(&s->by_range);
	arena_free(&s->arena);
	free(s);
}
