#include "ops/heap/frames.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/memprof_guid.h"

/* This is above the 65530 mappings that Linux allows (vm.max_map_count). */
enum { RANGES_MAX = 65536 };

void
heap_frames_start(struct heap_frames *h, const struct prof_header *head)
{
	h->profile++;
	h->is_sum = head->inputs > 1;
	h->segments_size = h->ranges_size = 0;
	list_pool_free(&h->segment_ids);
	list_pool_free(&h->stack_ids);
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

static enum prof_status
heap_frames_add_range(struct heap_frames *h, uint32_t segment,
    struct prof_error *err)
{
	const struct prof_segment *s = &h->segments[segment].segment;

	if (h->ranges_size == RANGES_MAX)
		return err_set(err, PROF_E_LIMIT, "more than %d segments with "
		    "addresses", RANGES_MAX);
	h->ranges_size++;
	return intervals_add(&h->ranges, s->start, s->end,
	    UINT32_MAX - segment) ? PROF_OK : err_memory(err);
}

/*
 * An absolute address of a sum was in no segment of its run.  The ranges of the
 * segments, which may be of other runs, are not used.
 */
enum prof_status
heap_frames_segment(struct heap_frames *h, const struct prof_segment *s,
    struct prof_error *err)
{
	uint32_t module = heap_frames_add_module(h, s), n;

	if (module == INDEX_NONE ||
	    !ARRAY_ROOM(h->segments, h->segments_size, h->segments_room))
		return err_memory(err);
	n = list_pool_add_u64(&h->segment_ids, s->id);
	if (n == INDEX_NONE)
		return err_memory(err);
	if (n != h->segments_size)
		return err_set(err, PROF_E_CORRUPT, "segment %llu occurs twice",
		    (unsigned long long)s->id);
	h->segments[h->segments_size++] = (struct heap_segment){ *s, module };
	h->segments[n].segment.build_id = (struct prof_span){ NULL, 0 };
	return s->has_range && !h->is_sum ? heap_frames_add_range(h, n, err) :
	    PROF_OK;
}

/* The first segment that has an absolute address, or NULL. */
static const struct heap_segment *
heap_frames_segment_around(const struct heap_frames *h, uint64_t pc)
{
	const struct interval *r = intervals_find(&h->ranges, pc);

	return r == NULL ? NULL : &h->segments[UINT32_MAX - r->rank];
}

/* Sets module and address of the k-th pc. */
static enum prof_status
heap_frames_locate(struct heap_frames *h, const struct prof_stack *s,
    size_t k, struct heap_frame *f, struct prof_error *err)
{
	const struct heap_segment *around;
	uint64_t pc = s->pcs[k];
	uint32_t n;

	f->has_address = true;
	f->address = pc;
	if (s->segments != NULL && s->segments[k] != PROF_NO_SEGMENT) {
		n = list_pool_find_u64(&h->segment_ids, s->segments[k]);
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
	around = heap_frames_segment_around(h, pc);
	if (around == NULL)
		return PROF_OK;
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

enum prof_status
heap_frames_stack(struct heap_frames *h, const struct prof_stack *s,
    struct prof_error *err)
{
	size_t size = s->frames_size != 0 ? s->frames_size : s->pcs_size;
	size_t known = h->stack_ids.size;
	uint32_t id, stack;

	if (size > UINT32_MAX ||
	    !ARRAY_RESERVE(h->scratch, 0, size, h->scratch_room) ||
	    !ARRAY_ROOM(h->by_id, known, h->by_id_room))
		return err_memory(err);
	if (heap_frames_add_stack(h, s, size, err) != PROF_OK)
		return PROF_FAIL;
	stack = list_pool_add(&h->stacks, h->scratch, (uint32_t)size);
	id = list_pool_add_u64(&h->stack_ids, s->id);
	if (stack == INDEX_NONE || id == INDEX_NONE)
		return err_memory(err);
	if (id != known && h->by_id[id] != stack)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx occurs "
		    "twice, and differs", (unsigned long long)s->id);
	h->by_id[id] = stack;
	return PROF_OK;
}

uint32_t
heap_frames_find(const struct heap_frames *h, uint64_t id)
{
	uint32_t n = list_pool_find_u64(&h->stack_ids, id);

	return n == INDEX_NONE ? INDEX_NONE : h->by_id[n];
}

/* Whether a pc is in the run time is decided by its first frame. */
size_t
heap_frames_site(const struct heap_frames *h, const uint32_t *frames,
    size_t size)
{
	bool runtime = false, first = true;

	for (size_t i = 0; i < size; i++) {
		const struct heap_frame *f = &h->frames[frames[i]];

		if (first)
			runtime = memprof_is_runtime(&f->source);
		if (heap_is_source(f) && !runtime)
			return i;
		first = (f->source.flags & PROF_FRAME_INLINE) == 0;
	}
	return size > 1;
}

void
heap_frames_free(struct heap_frames *h)
{
	intern_free(&h->build_ids);
	list_pool_free(&h->module_keys);
	frame_pool_free(&h->sources);
	list_pool_free(&h->frame_keys);
	free(h->of_source);
	list_pool_free(&h->stacks);
	list_pool_free(&h->segment_ids);
	list_pool_free(&h->stack_ids);
	free(h->modules);
	free(h->frames);
	free(h->segments);
	intervals_free(&h->ranges);
	free(h->by_id);
	frame_numbers_free(&h->numbers);
	free(h->scratch);
}
