#include "ops/heap/view.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "model/heap.h"
#include "model/mib.h"

/* A segment of the profile that is being read. */
struct heap_segment {
	struct prof_segment segment;	/* build_id is cleared */
	uint32_t module;		/* index */
};

/* All zero is empty. */
struct heap_frames {
	struct intern build_ids;
	struct frame_pool sources;	/* of frames */
	uint32_t *of_source;		/* frame without an address, or NONE */
	size_t of_source_size, of_source_room;
	struct list_pool module_keys, frame_keys;
	struct list_pool stacks;	/* of frames, leaf first */
	struct heap_module *modules;
	size_t modules_size, modules_room;
	struct heap_frame *frames;
	size_t frames_size, frames_room;

	/* Of the profile that is being read. */
	uint64_t profile;		/* its number */
	bool is_sum;			/* of several runs */
	struct heap_segment *segments;
	size_t segments_size, segments_room;
	size_t ranges_size;		/* of all segments */
	struct intervals ranges;	/* rank: UINT32_MAX - segment */
	struct frame_numbers numbers;	/* of frames of the source */
	struct id_map segment_ids;	/* to segments */
	struct id_map stack_ids;	/* to stacks */
	uint32_t *scratch;		/* frames of one stack */
	size_t scratch_room;
};

/* This is above the 65530 mappings that Linux allows (vm.max_map_count). */
enum { RANGES_MAX = 65536 };

/* Begins a profile: forgets the ids of the one before. */
static void
heap_frames_start(struct heap_frames *h, const struct prof_header *head)
{
	h->profile++;
	h->is_sum = head->inputs > 1;
	h->segments_size = h->ranges_size = 0;
	id_map_clear(&h->segment_ids);
	id_map_clear(&h->stack_ids);
	frame_numbers_clear(&h->numbers);
	intervals_clear(&h->ranges);
}

/*
 * Gives the number of a segment's module.  Segments of one build id share a
 * module.  A segment without build id is a module of its own, since two runs
 * may have mapped different files.
 */
static uint32_t
heap_frames_add_module(struct heap_frames *h, const struct prof_segment *s)
{
	uint32_t key[] = { (uint32_t)h->profile, (uint32_t)(h->profile >> 32),
	    (uint32_t)s->id, (uint32_t)(s->id >> 32) };
	struct heap_module m = { .segment = s->id,
	    .file_addresses = s->file_addresses };
	uint32_t n, id = INDEX_NONE;

	if (s->build_id.size != 0) {
		id = intern_add(&h->build_ids, s->build_id.data,
		    s->build_id.size);
		if (id == INDEX_NONE)
			return INDEX_NONE;
		m.build_id = h->build_ids.items[id];
	}
	if (!ARRAY_ROOM(h->modules, h->modules_size, h->modules_room))
		return INDEX_NONE;
	n = list_pool_add(&h->module_keys, id == INDEX_NONE ? key : &id,
	    id == INDEX_NONE ? 4 : 1);
	if (n == h->modules_size)
		h->modules[h->modules_size++] = m;
	return n;
}

/*
 * An absolute address of a sum was in no segment of its run.  The ranges of the
 * segments, which may be of other runs, are not used.
 */
static enum prof_status
heap_frames_segment(struct heap_frames *h, const struct prof_segment *s,
    struct prof_error *err)
{
	uint32_t module = heap_frames_add_module(h, s);
	size_t n = h->segments_size;

	if (module == INDEX_NONE ||
	    !ARRAY_ROOM(h->segments, n, h->segments_room) ||
	    id_map_add(&h->segment_ids, s->id, n) == NULL)
		return err_memory(err);
	if (h->segment_ids.size == n)
		return err_set(err, PROF_E_CORRUPT, "segment %llu occurs twice",
		    (unsigned long long)s->id);
	h->segments[h->segments_size++] = (struct heap_segment){ *s, module };
	h->segments[n].segment.build_id = (struct prof_span){ NULL, 0 };
	if (!s->has_range || h->is_sum)
		return PROF_OK;
	if (h->ranges_size++ == RANGES_MAX)
		return err_set(err, PROF_E_LIMIT, "more than %d segments with "
		    "addresses", RANGES_MAX);
	return intervals_add(&h->ranges, s->start, s->end,
	    UINT32_MAX - (uint32_t)n) ? PROF_OK : err_memory(err);
}

/* Sets module and address of the k-th pc. */
static enum prof_status
heap_frames_locate(struct heap_frames *h, const struct prof_stack *s,
    size_t k, struct heap_frame *f, struct prof_error *err)
{
	const struct heap_segment *around;
	const struct interval *range;
	uint64_t pc = s->pcs[k];
	uint32_t n;

	f->has_address = true;
	f->address = pc;
	if (s->segments != NULL && s->segments[k] != PROF_NO_SEGMENT) {
		n = id_map_index(&h->segment_ids, s->segments[k]);
		if (n == INDEX_NONE)
			return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx: "
			    "segment %llu is missing",
			    (unsigned long long)s->id,
			    (unsigned long long)s->segments[k]);
		f->module = h->segments[n].module;
		return PROF_OK;
	}
	/* Segments may follow stacks. */
	if (!intervals_build(&h->ranges))
		return err_memory(err);
	range = intervals_find(&h->ranges, pc);
	if (range == NULL)
		return PROF_OK;
	/* The first segment that has the address. */
	around = &h->segments[UINT32_MAX - range->rank];
	f->module = around->module;
	f->address = pc - around->segment.offset;
	if (around->segment.file_addresses)
		f->address = pc - around->segment.start +
		    around->segment.offset;
	return PROF_OK;
}

/*
 * Gives the number of a frame with that number of a source.  Module and address
 * count only if the function is unknown.
 */
static uint32_t
heap_frames_number(struct heap_frames *h, const struct heap_frame *f,
    uint32_t source)
{
	const uint32_t key[] = { source, f->module, f->has_address,
	    (uint32_t)f->address, (uint32_t)(f->address >> 32) };

	if (!heap_is_source(f))
		return list_pool_add(&h->frame_keys, key, 5);
	while (h->of_source_size <= source) {
		if (!ARRAY_ADD(h->of_source, h->of_source_size,
		    h->of_source_room, INDEX_NONE))
			return INDEX_NONE;
	}
	if (h->of_source[source] == INDEX_NONE)
		h->of_source[source] = list_pool_add(&h->frame_keys, key, 1);
	return h->of_source[source];
}

/*
 * Gives the number of a frame.  Sources are equal if all members are, but the
 * guid of a function with a name.
 */
static uint32_t
heap_frames_add(struct heap_frames *h, const struct heap_frame *f)
{
	struct prof_frame source = f->source;
	uint32_t number, n;

	if (!ARRAY_ROOM(h->frames, h->frames_size, h->frames_room))
		return INDEX_NONE;
	if (source.function.name.size != 0)
		source.function.guid = 0;
	number = frame_pool_add(&h->sources, &source);
	if (number == INDEX_NONE)
		return INDEX_NONE;
	n = heap_frames_number(h, f, number);
	if (n == h->frames_size) {
		h->frames[n] = *f;
		h->frames[n].source = h->sources.frames[number];
		h->frames[n].source.function.guid = f->source.function.guid;
		h->frames_size++;
	}
	return n;
}

/*
 * The same for the i-th frame of a stack, which the reader may have numbered.
 * What is not symbolized is told by its address and not by a number.
 */
static uint32_t
heap_frames_add_numbered(struct heap_frames *h, const struct prof_stack *s,
    size_t i, const struct heap_frame *f)
{
	uint32_t *known;

	if (s->frame_numbers == NULL || !heap_is_source(f))
		return heap_frames_add(h, f);
	known = frame_numbers_at(&h->numbers, s->frame_numbers[i]);
	if (known != NULL && *known == INDEX_NONE)
		*known = heap_frames_add(h, f);
	return known == NULL ? INDEX_NONE : *known;
}

/* Puts the numbers of a stack's frames into scratch. */
static enum prof_status
heap_frames_add_stack(struct heap_frames *h, const struct prof_stack *s,
    size_t size, struct prof_error *err)
{
	size_t pc = 0;

	for (size_t i = 0; i < size; i++) {
		struct heap_frame f = { .module = HEAP_NO_MODULE };

		if (s->frames_size != 0)
			f.source = s->frames[i];
		if (pc < s->pcs_size &&
		    heap_frames_locate(h, s, pc, &f, err) != PROF_OK)
			return PROF_FAIL;
		pc += (f.source.flags & PROF_FRAME_INLINE) == 0;
		h->scratch[i] = heap_frames_add_numbered(h, s, i, &f);
		if (h->scratch[i] == INDEX_NONE)
			return err_memory(err);
	}
	return PROF_OK;
}

static enum prof_status
heap_frames_stack(struct heap_frames *h, const struct prof_stack *s,
    struct prof_error *err)
{
	size_t size = s->frames_size != 0 ? s->frames_size : s->pcs_size;
	const uint64_t *known;
	uint32_t stack;

	if (size > UINT32_MAX ||
	    !ARRAY_RESERVE(h->scratch, 0, size, h->scratch_room))
		return err_memory(err);
	if (heap_frames_add_stack(h, s, size, err) != PROF_OK)
		return PROF_FAIL;
	stack = list_pool_add(&h->stacks, h->scratch, (uint32_t)size);
	if (stack == INDEX_NONE ||
	    (known = id_map_add(&h->stack_ids, s->id, stack)) == NULL)
		return err_memory(err);
	return *known == stack ? PROF_OK : err_set(err, PROF_E_CORRUPT,
	    "stack 0x%016llx occurs twice, and differs",
	    (unsigned long long)s->id);
}

/*
 * The first known frame that is not of the run time, which is decided by the
 * first frame of a pc.  One pc before it that is not known may be of the run
 * time; of several, the first one is the site.
 */
static size_t
heap_frames_site(const struct heap_frames *h, const uint32_t *frames,
    size_t size)
{
	bool runtime = false, first = true;
	size_t unknown = 0, first_unknown = 0;

	for (size_t i = 0; i < size; i++) {
		const struct heap_frame *f = &h->frames[frames[i]];

		if (first)
			runtime = memprof_is_runtime(&f->source);
		if (heap_is_source(f) && !runtime)
			return unknown > 1 ? first_unknown : i;
		if (!heap_is_source(f) && unknown++ == 0)
			first_unknown = i;
		first = (f->source.flags & PROF_FRAME_INLINE) == 0;
	}
	return size > 1;
}

static void
heap_frames_free(struct heap_frames *h)
{
	intern_free(&h->build_ids);
	list_pool_free(&h->module_keys);
	frame_pool_free(&h->sources);
	list_pool_free(&h->frame_keys);
	free(h->of_source);
	list_pool_free(&h->stacks);
	id_map_free(&h->segment_ids);
	id_map_free(&h->stack_ids);
	free(h->modules);
	free(h->frames);
	free(h->segments);
	intervals_free(&h->ranges);
	frame_numbers_free(&h->numbers);
	free(h->scratch);
}

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
	const uint64_t *known = id_map_find(&v->frames.stack_ids, id);
	struct heap_context *c;
	uint32_t stack;

	if (known == NULL)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx is "
		    "missing", (unsigned long long)id);
	if (!heap_view_reserve(v))
		return err_memory(err);
	stack = (uint32_t)*known;
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

		n += memprof_symbol_guid(&f->function) == guid;
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
	uint64_t guid = memprof_symbol_guid(&f->symbol);

	v->record++;
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (heap_view_add_alloc_site(v, guid, &f->alloc_sites[i],
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
heap_view_add(struct heap_view *v, const struct prof_record *r,
    struct prof_error *err)
{
	size_t n;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		heap_frames_start(&v->frames, &r->u.profile);
		return PROF_OK;
	case PROF_REC_SEGMENT:
		return heap_frames_segment(&v->frames, &r->u.segment, err);
	case PROF_REC_STACK:
		return heap_frames_stack(&v->frames, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		if (heap_view_find(v, r->u.allocation.stack, &n, err) !=
		    PROF_OK)
			return PROF_FAIL;
		return heap_view_add_info(v, n, &r->u.allocation.info) ?
		    PROF_OK : err_memory(err);
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

bool
heap_names_add(struct heap_names *n, struct prof_span name)
{
	const uint8_t *at = name.data == NULL ? NULL :
	    local_name_separator(name);

	if (at != NULL) {
		name.size -= (size_t)(at + 1 - name.data);
		name.data = at + 1;
	}
	return name.size == 0 || symtab_keep(&n->table, &n->arena, name,
	    memprof_guid(name));
}

bool
heap_names_add_record(struct heap_names *n, const struct prof_record *r)
{
	const struct prof_stack *stack = &r->u.stack;

	if (r->kind == PROF_REC_FUNCTION)
		return heap_names_add(n, r->u.function.symbol.name);
	if (r->kind == PROF_REC_MEMPROF_FUNCTION)
		return heap_names_add(n, r->u.memprof_function.symbol.name);
	for (size_t i = 0; r->kind == PROF_REC_STACK &&
	    i < stack->frames_size; i++) {
		if (!heap_names_add(n, stack->frames[i].function.name))
			return false;
	}
	return true;
}

struct prof_span
heap_names_find(const struct heap_names *n, const struct prof_frame *f)
{
	const struct prof_span none = { NULL, 0 };

	return f->function.name.size != 0 || f->function.guid == 0 ? none :
	    symtab_name(&n->table, f->function.guid);
}

void
heap_names_free(struct heap_names *n)
{
	symtab_free(&n->table);
	arena_free(&n->arena);
}
