/* Reads records of functions in YAML (MemProfYAML.h, LLVM 20 to 22). */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/mib.h"
#include "model/memprof/ids.h"
#include "format/yaml/yaml.h"

/* Makes room for one more item of an array of h. */
#define ROOM(h, list) \
	ARRAY_ROOM((h)->list, (h)->list##_size, (h)->list##_room)

static enum prof_status
heap_read_frame(struct yaml_source *y, struct prof_frame *f,
    struct prof_error *err)
{
	static const char *const names[] = {
		"Function", "LineOffset", "Column", "IsInlineFrame"
	};
	static const struct yaml_keys keys = YAML_KEYS("a frame", names, 0xf);
	enum prof_status status;
	uint64_t numbers[4] = { 0 };
	bool is_inline = false;
	struct yaml_map m;

	*f = (struct prof_frame){ 0 };
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		if (m.key == 0)
			status = yaml_read_function(y, names[0], &f->function,
			    err);
		else if (m.key == 3)
			status = yaml_read_bool(y, names[3], &is_inline, err);
		else
			status = yaml_read_number(y, names[m.key], UINT32_MAX,
			    &numbers[m.key], err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	f->line_offset = (uint32_t)numbers[1];
	f->column = (uint32_t)numbers[2];
	f->flags = PROF_FRAME_LINE_OFFSET | PROF_FRAME_COLUMN |
	    (is_inline ? PROF_FRAME_INLINE : 0);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* The memprof_stack_id of frames: YAML has no ids of stacks. */
static uint64_t
heap_stack_id(struct buf *ids, const struct prof_frame *frames, size_t count)
{
	ids->size = 0;
	for (size_t i = 0; i < count; i++) {
		const struct memprof_frame f = {
			.guid = frames[i].function.guid,
			.line_offset = frames[i].line_offset,
			.column = frames[i].column,
			.is_inline = frames[i].flags & PROF_FRAME_INLINE,
		};

		buf_u64le(ids, memprof_frame_id(&f));
	}
	return memprof_stack_id(ids);
}

static enum prof_status
heap_read_stack(struct yaml_heap *h, struct yaml_source *y, const char *key,
    uint64_t *id, struct prof_error *err)
{
	size_t first = h->frames_size;
	enum prof_status status;
	bool empty;

	if (yaml_read_list(y, key, &empty, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_item(y, empty, err)) == PROF_OK) {
		if (!ROOM(h, frames))
			return err_memory(err);
		if (heap_read_frame(y, &h->frames[h->frames_size++], err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	if (status != PROF_END)
		return PROF_FAIL;
	/* The array of frames is NULL until the first frame. */
	*id = heap_stack_id(&h->ids,
	    h->frames == NULL ? NULL : h->frames + first,
	    h->frames_size - first);
	if (h->ids.failed || !ROOM(h, stacks))
		return err_memory(err);
	h->stacks[h->stacks_size++] = (struct yaml_stack){ *id, first,
	    h->frames_size - first };
	return PROF_OK;
}

static enum prof_status
heap_read_mib(struct yaml_source *y, struct prof_mib *m, struct prof_error *err)
{
	const char *names[PROF_MIB_FIELDS - 1];
	const struct yaml_keys keys = YAML_KEYS("MemInfoBlock", names, 0);
	enum prof_status status;
	struct yaml_map map;
	uint64_t value;

	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		names[i - 1] = mib_fields[i].name;
	if (yaml_read_map(y, &map, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &map, err)) == PROF_OK) {
		unsigned field = (unsigned)map.key + 1;

		if (yaml_read_number(y, names[map.key], mib_max(field),
		    &value, err) != PROF_OK)
			return PROF_FAIL;
		if (field != PROF_MIB_ACCESS_HISTOGRAM)
			mib_set(m, field, value);
	}
	/* The histogram has no value here, but belongs to its size. */
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
heap_read_alloc(struct yaml_heap *h, struct yaml_source *y,
    struct prof_error *err)
{
	static const char *const names[] = { "Callstack", "MemInfoBlock" };
	static const struct yaml_keys keys =
	    YAML_KEYS("an allocation site", names, 3);
	struct prof_allocation *a;
	enum prof_status status;
	struct yaml_map m;

	if (!ROOM(h, allocs))
		return err_memory(err);
	a = &h->allocs[h->allocs_size++];
	*a = (struct prof_allocation){ 0 };
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		status = m.key == 0 ?
		    heap_read_stack(h, y, names[0], &a->stack, err) :
		    heap_read_mib(y, &a->info, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
heap_read_callees(struct yaml_heap *h, struct yaml_source *y, const char *key,
    struct prof_call_site *c, struct prof_error *err)
{
	enum prof_status status;
	struct prof_symbol callee;
	bool empty;

	if (yaml_read_list(y, key, &empty, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_item(y, empty, err)) == PROF_OK) {
		if (yaml_read_function(y, key, &callee, err) != PROF_OK)
			return PROF_FAIL;
		if (!ROOM(h, callees))
			return err_memory(err);
		h->callees[h->callees_size++] = callee.guid;
		c->callees_size++;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* A call site is a map, or a list of frames as LLVM 20 writes it. */
static enum prof_status
heap_read_call(struct yaml_heap *h, struct yaml_source *y,
    struct prof_error *err)
{
	static const char *const names[] = { "Frames", "CalleeGuids" };
	static const struct yaml_keys keys =
	    YAML_KEYS("a call site", names, 1);
	struct prof_call_site *c;
	enum prof_status status;
	struct yaml_map m;

	if (!ROOM(h, calls))
		return err_memory(err);
	c = &h->calls[h->calls_size++];
	*c = (struct prof_call_site){ 0 };
	if (y->now.kind == YAML_LIST)
		return heap_read_stack(h, y, "a call site", &c->stack, err);
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		status = m.key == 0 ?
		    heap_read_stack(h, y, names[0], &c->stack, err) :
		    heap_read_callees(h, y, names[1], c, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
heap_read_sites(struct yaml_heap *h, struct yaml_source *y, const char *key,
    enum prof_status (*read)(struct yaml_heap *, struct yaml_source *,
    struct prof_error *), struct prof_error *err)
{
	enum prof_status status;
	bool empty;

	if (yaml_read_list(y, key, &empty, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_item(y, empty, err)) == PROF_OK) {
		if (read(h, y, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* Sets the callees of each call, when their array does not move any more. */
static void
heap_set_callees(struct yaml_heap *h)
{
	const uint64_t *next = h->callees;

	for (size_t i = 0; i < h->calls_size; i++) {
		if (h->calls[i].callees_size == 0)
			continue;
		h->calls[i].callee_guids = next;
		next += h->calls[i].callees_size;
	}
}

enum prof_status
yaml_heap_read(struct yaml_heap *h, struct yaml_source *y,
    struct prof_error *err)
{
	static const char *const names[] = {
		"GUID", "AllocSites", "CallSites"
	};
	static const struct yaml_keys keys = YAML_KEYS("a record", names, 1);
	enum prof_status status;
	struct yaml_map m;

	h->frames_size = h->stacks_size = h->allocs_size = 0;
	h->calls_size = h->callees_size = 0;
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		if (m.key == 0)
			status = yaml_read_function(y, names[0], &h->symbol,
			    err);
		else
			status = heap_read_sites(h, y, names[m.key],
			    m.key == 1 ? heap_read_alloc : heap_read_call, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	heap_set_callees(h);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

void
yaml_heap_free(struct yaml_heap *h)
{
	free(h->frames);
	free(h->stacks);
	free(h->allocs);
	free(h->calls);
	free(h->callees);
	buf_free(&h->ids);
}
