#include "config.h"

#include "sym/symbolize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/intervals.h"
#include "model/frame_pool.h"
#include "model/memprof_guid.h"
#include "sym/unmatched.h"

/* A mapping of the profile being read. */
struct mapping {
	uint64_t start, offset;
	struct module_place place;
	bool file_addresses;
};

struct symbolize {
	struct symbolize_options options;
	struct modules modules;
	struct addresses addresses;

	/* Of the profile being read. */
	bool is_sum;			/* of several runs */
	struct mapping *mappings;
	size_t mapping_count, mapping_room;
	struct id_map by_id;		/* id of segment: mapping + 1 */
	struct intervals by_range;	/* rank: UINT32_MAX - mapping */
	struct id_map removed;		/* ids of stacks */
	uint64_t stacks, remaining;	/* with addresses */

	/* Of the run. */
	struct unmatched unmatched;
	uint64_t removed_stacks, removed_bytes;
	struct frame_sums sums;		/* of stacks: addresses recur */
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
	s->addresses = (struct addresses){ .modules = &s->modules,
	    .load = o->load, .rename = o->rename, .arg = o->arg,
	    .lines_only = o->drop };
	if (modules_start(&s->modules, err) != PROF_OK) {
		symbolize_free(s);
		return NULL;
	}
	return s;
}

static void
symbolize_begin_profile(struct symbolize *s, const struct prof_header *h)
{
	s->is_sum = h->inputs > 1;
	s->mapping_count = 0;
	id_map_free(&s->by_id);
	id_map_free(&s->removed);
	intervals_clear(&s->by_range);
	s->stacks = s->remaining = 0;
}

/*
 * An absolute address of a sum was in no segment of its run.  The ranges of the
 * segments, which may be of other runs, are not used.
 */
static enum prof_status
symbolize_add_segment(struct symbolize *s, const struct prof_segment *seg,
    struct prof_error *err)
{
	struct mapping *m;

	if (!ARRAY_ROOM(s->mappings, s->mapping_count, s->mapping_room))
		return err_memory(err);
	m = &s->mappings[s->mapping_count];
	*m = (struct mapping){ .start = seg->start, .offset = seg->offset,
	    .file_addresses = seg->file_addresses };
	if (modules_of(&s->modules, seg, &m->place, err) != PROF_OK)
		return PROF_FAIL;
	if (m->place.module == NO_MODULE)
		unmatched_add(&s->unmatched, seg);
	if (s->mapping_count == UINT32_MAX ||
	    (!s->is_sum && !intervals_add(&s->by_range, seg->start, seg->end,
	    UINT32_MAX - (uint32_t)s->mapping_count)))
		return err_memory(err);
	s->mapping_count++;
	return id_map_add(&s->by_id, seg->id, (uint64_t)s->mapping_count)
	    == NULL ? err_memory(err) : PROF_OK;
}

/*
 * The mapping around an absolute address, or NULL.  An address in two mappings
 * belongs to the first.
 */
static const struct mapping *
symbolize_mapping_around(const struct symbolize *s, uint64_t pc)
{
	const struct interval *range = intervals_find(&s->by_range, pc);

	return range == NULL ? NULL : &s->mappings[UINT32_MAX - range->rank];
}

/* The mapping of an address, or NULL; *pc becomes an address in its module. */
static const struct mapping *
symbolize_mapping(struct symbolize *s, uint64_t segment, uint64_t *pc)
{
	const struct mapping *m;
	const uint64_t *known;

	if (segment != PROF_NO_SEGMENT) {
		known = id_map_find(&s->by_id, segment);
		return known == NULL ? NULL : &s->mappings[*known - 1];
	}
	m = symbolize_mapping_around(s, *pc);
	if (m == NULL)
		return NULL;
	*pc = m->file_addresses ? *pc - m->start + m->offset : *pc - m->offset;
	return m;
}

static enum prof_status
symbolize_find_address(struct symbolize *s, const struct prof_stack *stack,
    size_t i, const struct address **out, struct prof_error *err)
{
	uint64_t pc = stack->pcs[i];
	const struct mapping *m = symbolize_mapping(s, stack->segments == NULL ?
	    PROF_NO_SEGMENT : stack->segments[i], &pc);

	if (m != NULL && m->place.module != NO_MODULE)
		pc += m->place.delta;
	return addresses_find(&s->addresses, m == NULL ? NO_MODULE :
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

/* Whether a symbolized stack has frames for each of its addresses. */
static bool
symbolize_is_consistent(const struct prof_stack *s)
{
	size_t groups = 0, i = 0;

	for (; i < s->frames_size; groups++)
		i += symbolize_group_size(s->frames + i, s->frames_size - i);
	return groups == s->pcs_size;
}

/* The stack that is being made of another. */
struct stack_builder {
	const struct prof_stack *in;
	uint64_t *pcs, *segments;	/* segments may be NULL */
	struct prof_frame *frames;
	size_t pcs_size, frames_size, frames_room;
};

static bool
symbolize_reserve(struct symbolize *s, struct stack_builder *m, size_t more)
{
	size_t room = m->frames_room;
	struct prof_frame *frames;

	if (more <= room - m->frames_size)
		return true;
	while (room - m->frames_size < more)
		room = room == 0 ? 64 : room * 2;
	frames = arena_array(&s->arena, room, sizeof(*frames));
	if (frames == NULL)
		return false;
	if (m->frames_size != 0)
		memcpy(frames, m->frames, m->frames_size * sizeof(*frames));
	m->frames = frames;
	m->frames_room = room;
	return true;
}

/* Appends the i-th address with `count` frames.  False: out of memory. */
static bool
symbolize_put_address(struct symbolize *s, struct stack_builder *m, size_t i,
    const struct prof_frame *frames, size_t count)
{
	if (!symbolize_reserve(s, m, count))
		return false;
	memcpy(m->frames + m->frames_size, frames, count * sizeof(*frames));
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

/*
 * Adds the i-th address of a stack.  old has its frames in the input, if that
 * was symbolized, or none.  They stay if they have a place.
 */
static enum prof_status
symbolize_address(struct symbolize *s, struct stack_builder *m, size_t i,
    const struct frame_list *old, struct prof_error *err)
{
	struct frame_list frames = *old;
	const struct address *a;

	if (old->count == 0 || !memprof_has_place(old->frames)) {
		if (symbolize_find_address(s, m->in, i, &a, err) != PROF_OK)
			return PROF_FAIL;
		s->sums.addresses++;
		if (frame_sums_add(&s->sums, a->count, a->name_bytes, err) !=
		    PROF_OK)
			return PROF_FAIL;
		s->unmatched.requested++;
		s->unmatched.found += a->shown_count != 0;
		frames = symbolize_choose_frames(s, a, old);
	}
	return frames.count == 0 || symbolize_put_address(s, m, i,
	    frames.frames, frames.count) ? PROF_OK : err_memory(err);
}

static enum prof_status
symbolize_addresses(struct symbolize *s, struct stack_builder *m,
    struct prof_error *err)
{
	const struct prof_stack *in = m->in;
	size_t at = 0;

	m->pcs = arena_array(&s->arena, in->pcs_size, sizeof(*m->pcs));
	if (in->segments != NULL)
		m->segments = arena_array(&s->arena, in->pcs_size,
		    sizeof(*m->segments));
	if (m->pcs == NULL || (in->segments != NULL && m->segments == NULL))
		return err_memory(err);
	for (size_t i = 0; i < in->pcs_size; i++) {
		struct frame_list old = { .count = 0 };

		if (in->frames_size != 0) {
			old.frames = in->frames + at;
			old.count = symbolize_group_size(old.frames,
			    in->frames_size - at);
		}
		if (symbolize_address(s, m, i, &old, err) != PROF_OK)
			return PROF_FAIL;
		at += old.count;
	}
	return PROF_OK;
}

static enum prof_status
symbolize_stack(struct symbolize *s, const struct prof_stack *in,
    struct prof_stack *out, struct prof_error *err)
{
	struct stack_builder m = { .in = in };

	if (in->pcs_size == 0 || (in->frames_size != 0 &&
	    !symbolize_is_consistent(in)))
		return PROF_OK;
	if (!intervals_build(&s->by_range))
		return err_memory(err);
	if (symbolize_addresses(s, &m, err) != PROF_OK)
		return PROF_FAIL;
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

static bool
symbolize_is_removed(const struct symbolize *s, uint64_t stack)
{
	return id_map_find(&s->removed, stack) != NULL;
}

/* The sum stays at the largest number. */
static void
symbolize_count_removed(struct symbolize *s, const struct prof_mib *m)
{
	if (!add_u64(s->removed_bytes, m->value[PROF_MIB_TOTAL_SIZE],
	    &s->removed_bytes))
		s->removed_bytes = UINT64_MAX;
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
		if (!symbolize_is_removed(s, f->alloc_sites[i].stack))
			allocs[a++] = f->alloc_sites[i];
	}
	for (size_t i = 0; i < f->calls_size; i++) {
		if (!symbolize_is_removed(s, f->call_sites[i].stack))
			calls[c++] = f->call_sites[i];
	}
	f->alloc_sites = allocs;
	f->allocs_size = a;
	f->call_sites = calls;
	f->calls_size = c;
	return PROF_OK;
}

static enum prof_status
symbolize_end_profile(struct symbolize *s, struct prof_error *err)
{
	if (s->stacks == 0 || s->remaining != 0)
		return PROF_OK;
	return err_set(err, PROF_E_MISMATCH, "no stack is left: none of the "
	    "addresses of %llu stacks is in a function of the debug "
	    "information", (unsigned long long)s->stacks);
}

enum prof_status
symbolize_record(struct symbolize *s, const struct prof_record *in,
    struct prof_record *out, struct prof_error *err)
{
	*out = *in;
	arena_reset(&s->arena);
	switch (in->kind) {
	case PROF_REC_PROFILE:
		symbolize_begin_profile(s, &in->u.profile);
		return PROF_OK;
	case PROF_REC_SEGMENT:
		return symbolize_add_segment(s, &in->u.segment, err);
	case PROF_REC_STACK:
		return symbolize_stack(s, &in->u.stack, &out->u.stack, err);
	case PROF_REC_ALLOCATION:
		if (!symbolize_is_removed(s, in->u.allocation.stack))
			return PROF_OK;
		symbolize_count_removed(s, &in->u.allocation.info);
		return PROF_END;
	case PROF_REC_MEMPROF_FUNCTION:
		return s->removed.size == 0 ? PROF_OK :
		    symbolize_function(s, &out->u.memprof_function, err);
	case PROF_REC_END:
		return symbolize_end_profile(s, err);
	default:
		return PROF_OK;
	}
}

enum prof_status
symbolize_finish(struct symbolize *s, struct prof_error *err)
{
	modules_warn_damage(&s->modules);
	if (s->removed_stacks != 0)
		modules_warn(&s->modules, PROF_E_UNSUPPORTED, "%llu contexts "
		    "of %llu bytes are left out: their stacks have no function "
		    "of the debug information",
		    (unsigned long long)s->removed_stacks,
		    (unsigned long long)s->removed_bytes);
	return unmatched_warn(&s->unmatched, &s->addresses, err);
}

enum prof_status
symbolize_save(struct symbolize *s, addresses_save *save, void *arg,
    struct prof_error *err)
{
	return addresses_save_all(&s->addresses, save, arg, err);
}

void
symbolize_free(struct symbolize *s)
{
	if (s == NULL)
		return;
	addresses_free(&s->addresses);
	modules_free(&s->modules);
	free(s->mappings);
	id_map_free(&s->by_id);
	id_map_free(&s->removed);
	intervals_free(&s->by_range);
	arena_free(&s->arena);
	free(s);
}
