#include "ops/heap/view.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/memprof_guid.h"
#include "model/mib.h"
#include "model/mib_merge.h"
#include "ops/heap/frames.h"
#include "ops/heap/names.h"

/* Private part of a context. */
struct view_context {
	uint32_t stack;
	/*
	 * In indexed profiles, the copies of function `owner` count, of each
	 * `copies` that a record of it has; `seen` came so far.  For profile
	 * number `profile` and function number `record`.
	 */
	uint64_t profile, owner, record;
	size_t seen, copies;
	bool any;			/* statistics were added */
	struct mib_histogram histogram;	/* the sum, in the arena */
};

struct heap_view {
	struct heap_frames frames;
	struct arena arena;		/* histograms */
	bool histograms;
	uint64_t saturated;
	uint64_t record;		/* the function being added, from 1 */
	uint32_t *by_stack;		/* context + 1 of each stack, or 0 */
	size_t by_stack_size;
	struct view_context *own;
	struct heap_context *contexts;
	size_t size, own_room, room;
};

struct heap_view *
heap_view_new(bool histograms)
{
	struct heap_view *v = calloc(1, sizeof(*v));

	if (v != NULL)
		v->histograms = histograms;
	return v;
}

/* Makes room for one more context, and for all stacks in by_stack. */
static bool
heap_view_reserve(struct heap_view *v)
{
	size_t stacks = v->frames.stacks.room;
	uint32_t *p;

	if (!ARRAY_ROOM(v->contexts, v->size, v->room) ||
	    !ARRAY_ROOM(v->own, v->size, v->own_room))
		return false;
	if (v->by_stack_size >= stacks)
		return true;
	p = reallocarray(v->by_stack, stacks, sizeof(*p));
	if (p == NULL)
		return false;
	v->by_stack = p;
	for (; v->by_stack_size < stacks; v->by_stack_size++)
		p[v->by_stack_size] = 0;
	return true;
}

/* Finds the context of the stack with that id, or adds it. */
static enum prof_status
heap_view_find(struct heap_view *v, uint64_t id, size_t *out,
    struct prof_error *err)
{
	uint32_t stack = heap_frames_find(&v->frames, id);
	struct heap_context *c;

	if (stack == INDEX_NONE)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx is "
		    "missing", (unsigned long long)id);
	if (!heap_view_reserve(v))
		return err_memory(err);
	*out = v->by_stack[stack];
	if ((*out)-- != 0)
		return PROF_OK;
	*out = v->size;
	v->own[v->size] = (struct view_context){ .stack = stack };
	c = &v->contexts[v->size];
	*c = (struct heap_context){ .size = 0 };
	c->frames = v->frames.stacks.items[stack].numbers;
	c->size = v->frames.stacks.items[stack].size;
	c->site = heap_frames_site(&v->frames, c->frames, c->size);
	v->by_stack[stack] = (uint32_t)++v->size;
	return PROF_OK;
}

/*
 * Merges statistics into a context.  If there is no histogram, the size in the
 * field stays: indexed files store only the size.
 */
static bool
heap_view_add_info(struct heap_view *v, size_t context,
    const struct prof_mib *m)
{
	struct prof_mib *sum = &v->contexts[context].info;
	struct view_context *own = &v->own[context];
	struct mib_histogram *histogram = &own->histogram;
	bool fits = true;

	if (v->histograms && m->histogram != NULL &&
	    !mib_histogram_add(histogram, m->histogram,
	    (size_t)m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE], &v->arena, &fits))
		return false;
	if (own->any)
		v->saturated += !mib_merge(sum, m);
	else
		*sum = *m;
	own->any = true;
	sum->histogram = histogram->counts;
	if (histogram->counts != NULL)
		mib_set(sum, PROF_MIB_ACCESS_HISTOGRAM_SIZE, histogram->size);
	return true;
}

static uint64_t
heap_view_guid(const struct prof_frame *f)
{
	if (f->function.guid != 0 || f->function.name.size == 0)
		return f->function.guid;
	return memprof_guid(f->function.name);
}

/*
 * How many copies a function has of a context: one for each time it is among
 * the frames of the leaf's address; 1 if it is none of them.
 */
static size_t
heap_view_copies(const struct heap_view *v, const struct heap_context *c,
    uint64_t guid)
{
	size_t n = 0;

	for (size_t i = 0; i < c->size; i++) {
		const struct prof_frame *f =
		    &v->frames.frames[c->frames[i]].source;

		n += heap_view_guid(f) == guid;
		if ((f->flags & PROF_FRAME_INLINE) == 0)
			break;
	}
	return n == 0 ? 1 : n;
}

/*
 * All functions with a context have equal copies of its statistics: counts
 * those of the first function, one for each set of copies.
 */
static enum prof_status
heap_view_add_alloc_site(struct heap_view *v, uint64_t guid,
    const struct prof_allocation *a, struct prof_error *err)
{
	struct view_context *own;
	size_t n;

	if (heap_view_find(v, a->stack, &n, err) != PROF_OK)
		return PROF_FAIL;
	own = &v->own[n];
	if (own->profile != v->frames.profile) {
		own->profile = v->frames.profile;
		own->owner = guid;
		own->copies = heap_view_copies(v, &v->contexts[n], guid);
	}
	if (own->record != v->record) {
		own->record = v->record;
		own->seen = 0;
	}
	if (own->owner != guid || own->seen++ % own->copies != 0)
		return PROF_OK;
	return heap_view_add_info(v, n, &a->info) ? PROF_OK : err_memory(err);
}

static enum prof_status
heap_view_add_function(struct heap_view *v,
    const struct prof_memprof_function *f, struct prof_error *err)
{
	uint64_t guid = f->symbol.guid;

	if (guid == 0 && f->symbol.name.size != 0)
		guid = memprof_guid(f->symbol.name);
	v->record++;
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (heap_view_add_alloc_site(v, guid, &f->alloc_sites[i],
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
heap_view_add_allocation(struct heap_view *v, const struct prof_allocation *a,
    struct prof_error *err)
{
	size_t n;

	if (heap_view_find(v, a->stack, &n, err) != PROF_OK)
		return PROF_FAIL;
	return heap_view_add_info(v, n, &a->info) ? PROF_OK : err_memory(err);
}

enum prof_status
heap_view_add(struct heap_view *v, const struct prof_record *r,
    struct prof_error *err)
{
	switch (r->kind) {
	case PROF_REC_PROFILE:
		heap_frames_start(&v->frames, &r->u.profile);
		return PROF_OK;
	case PROF_REC_SEGMENT:
		return heap_frames_segment(&v->frames, &r->u.segment, err);
	case PROF_REC_STACK:
		return heap_frames_stack(&v->frames, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		return heap_view_add_allocation(v, &r->u.allocation, err);
	case PROF_REC_MEMPROF_FUNCTION:
		return heap_view_add_function(v, &r->u.memprof_function, err);
	default:
		return PROF_OK;
	}
}

struct heap
heap_view_get(const struct heap_view *v)
{
	return (struct heap){
		.modules = v->frames.modules,
		.modules_size = v->frames.modules_size,
		.frames = v->frames.frames,
		.frames_size = v->frames.frames_size,
		.contexts = v->contexts, .contexts_size = v->size
	};
}

enum heap_naming
heap_view_name(struct heap_view *v, const struct heap_names *names)
{
	size_t hashed = 0, named = 0;

	for (size_t i = 0; i < v->frames.frames_size; i++) {
		struct prof_symbol *s = &v->frames.frames[i].source.function;
		struct prof_span name = heap_names_find(names,
		    &v->frames.frames[i].source);

		if (name.data != NULL)
			s->name = name;
		named += s->name.size != 0;
		hashed += s->name.size == 0 && s->guid != 0;
	}
	if (named != 0 || v->frames.frames_size == 0)
		return HEAP_NAMED;
	return hashed != 0 ? HEAP_HASHED : HEAP_ADDRESSES;
}

uint64_t
heap_view_saturated(const struct heap_view *v)
{
	return v->saturated;
}

void
heap_view_free(struct heap_view *v)
{
	if (v == NULL)
		return;
	heap_frames_free(&v->frames);
	arena_free(&v->arena);
	free(v->by_stack);
	free(v->own);
	free(v->contexts);
	free(v);
}
