#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "model/heap.h"
#include "model/mib.h"
#include "model/memprof/build.h"
#include "format/yaml/yaml.h"

/* Maps, lists and scalars, with messages for wrong ones. */

/* Events, of which `now` was not consumed yet, and memory for texts. */
struct yaml_source {
	struct yaml_events *events;
	struct yaml_event now;
	struct arena arena;		/* the owner resets it */
};

/*
 * A map: keys come in any order, each once.  An empty scalar is an empty map.
 * yaml_next_key sets m.key; the caller must read the value before the next
 * call.  PROF_END after the last key, or an error if a required key is missing.
 */
struct yaml_keys {
	const char *of;			/* a name of the map, for messages */
	const char *const *names;
	size_t size;			/* 32 at most */
	uint32_t required;		/* bits 1 << index */
};
struct yaml_map {
	const struct yaml_keys *keys;
	bool empty;
	uint32_t seen;			/* bits 1 << index */
	size_t key;			/* index of the present key */
};
#define YAML_KEYS(of_, names_, required_) \
	{ of_, names_, sizeof(names_) / sizeof((names_)[0]), required_ }

static bool
scalar_equals(struct prof_span text, const char *word)
{
	return text.size == strlen(word) &&
	    memcmp(text.data, word, text.size) == 0;
}

/* Goes to the next event. */
static enum prof_status
yaml_advance(struct yaml_source *y, struct prof_error *err)
{
	return yaml_events_next(y->events, &y->now, err);
}

/* Reports an event of another kind than the one that is wanted. */
static enum prof_status
yaml_wrong_kind(const struct yaml_source *y, const char *key,
    const char *wanted, struct prof_error *err)
{
	static const char *const kinds[] = {
		[YAML_STREAM_DONE] = "the end",
		[YAML_DOCUMENT] = "a document",
		[YAML_DOCUMENT_DONE] = "the end of the document",
		[YAML_SCALAR] = "a scalar",
		[YAML_LIST] = "a list",
		[YAML_LIST_DONE] = "the end of a list",
		[YAML_MAP] = "a map",
		[YAML_MAP_DONE] = "the end of a map",
	};

	return err_line(err, PROF_E_CORRUPT, y->now.line, "%s: %s, not %s",
	    key, kinds[y->now.kind], wanted);
}

static enum prof_status
yaml_read_begin(struct yaml_source *y, enum yaml_kind kind, const char *key,
    bool *empty, struct prof_error *err)
{
	*empty = y->now.kind == YAML_SCALAR && y->now.empty;
	if (!*empty && y->now.kind != kind)
		return yaml_wrong_kind(y, key, kind == YAML_MAP ? "a map" :
		    "a list", err);
	return yaml_advance(y, err);
}

static enum prof_status
yaml_read_map(struct yaml_source *y, struct yaml_map *m,
    const struct yaml_keys *keys, struct prof_error *err)
{
	*m = (struct yaml_map){ .keys = keys };
	return yaml_read_begin(y, YAML_MAP, keys->of, &m->empty, err);
}

static enum prof_status
yaml_read_key(struct yaml_source *y, struct yaml_map *m, struct prof_error *err)
{
	const struct yaml_keys *keys = m->keys;
	struct prof_span text = y->now.text;
	char shown[ERR_NAME_SIZE];
	size_t i = 0;

	if (y->now.kind != YAML_SCALAR)
		return yaml_wrong_kind(y, keys->of, "a key", err);
	while (i < keys->size && !scalar_equals(text, keys->names[i]))
		i++;
	if (i == keys->size)
		return err_line(err, PROF_E_CORRUPT, y->now.line,
		    "%s: unknown key '%s'", keys->of, err_name(shown, text));
	if ((m->seen >> i & 1) != 0)
		return err_line(err, PROF_E_CORRUPT, y->now.line, "%s: %s "
		    "occurs twice", keys->of, keys->names[i]);
	m->seen |= UINT32_C(1) << i;
	m->key = i;
	return yaml_advance(y, err);
}

static enum prof_status
yaml_next_key(struct yaml_source *y, struct yaml_map *m,
    struct prof_error *err)
{
	uint32_t missing = m->keys->required & ~m->seen;

	if (!m->empty && y->now.kind != YAML_MAP_DONE)
		return yaml_read_key(y, m, err);
	for (size_t i = 0; missing != 0 && i < m->keys->size; i++) {
		if ((missing >> i & 1) != 0)
			return err_line(err, PROF_E_CORRUPT, y->now.line,
			    "%s: %s is missing", m->keys->of,
			    m->keys->names[i]);
	}
	return m->empty || yaml_advance(y, err) == PROF_OK ? PROF_END :
	    PROF_FAIL;
}

/* A list, which is the value of `key`.  An empty scalar is an empty list. */
static enum prof_status
yaml_read_list(struct yaml_source *y, const char *key, bool *empty,
    struct prof_error *err)
{
	return yaml_read_begin(y, YAML_LIST, key, empty, err);
}

/* PROF_OK if an item comes next, PROF_END after the last. */
static enum prof_status
yaml_next_item(struct yaml_source *y, bool empty, struct prof_error *err)
{
	if (empty)
		return PROF_END;
	if (y->now.kind != YAML_LIST_DONE)
		return PROF_OK;
	return yaml_advance(y, err) == PROF_OK ? PROF_END : PROF_FAIL;
}

/* Sets the text of the scalar that is the present event. */
static enum prof_status
yaml_scalar_text(const struct yaml_source *y, const char *key,
    struct prof_span *out, struct prof_error *err)
{
	if (y->now.kind != YAML_SCALAR)
		return yaml_wrong_kind(y, key, "a scalar", err);
	*out = y->now.text;
	return PROF_OK;
}

static enum prof_status
yaml_bad_scalar(const struct yaml_source *y, const char *key,
    const char *wanted, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	return err_line(err, PROF_E_CORRUPT, y->now.line, "%s '%s' is not %s",
	    key, err_name(shown, y->now.text), wanted);
}

/* The text is copied to the arena. */
static enum prof_status
yaml_read_text(struct yaml_source *y, const char *key, struct prof_span *out,
    struct prof_error *err)
{
	if (yaml_scalar_text(y, key, out, err) != PROF_OK)
		return PROF_FAIL;
	*out = arena_copy(&y->arena, *out);
	return out->data == NULL ? err_memory(err) : yaml_advance(y, err);
}

/* LLVM, without a message, cuts values that do not fit their field. */
static enum prof_status
yaml_read_number(struct yaml_source *y, const char *key, uint64_t max,
    uint64_t *out, struct prof_error *err)
{
	struct prof_span text = { NULL, 0 };

	if (yaml_scalar_text(y, key, &text, err) != PROF_OK)
		return PROF_FAIL;
	if (!digits_auto(text, UINT64_MAX, out))
		return yaml_bad_scalar(y, key, "a number", err);
	if (*out > max)
		return err_line(err, PROF_E_LIMIT, y->now.line,
		    "%s %llu exceeds %llu", key, (unsigned long long)*out,
		    (unsigned long long)max);
	return yaml_advance(y, err);
}

/* The words of parseBool, LLVM 10 to 22. */
static enum prof_status
yaml_read_bool(struct yaml_source *y, const char *key, bool *out,
    struct prof_error *err)
{
	static const char *const words[] = {
		"false", "False", "FALSE", "no", "No", "NO", "n", "N", "off",
		"Off", "OFF", "true", "True", "TRUE", "yes", "Yes", "YES",
		"y", "Y", "on", "On", "ON"
	};
	const size_t count = sizeof(words) / sizeof(*words);
	struct prof_span text = { NULL, 0 };
	size_t i = 0;

	if (yaml_scalar_text(y, key, &text, err) != PROF_OK)
		return PROF_FAIL;
	while (i < count && !scalar_equals(text, words[i]))
		i++;
	if (i == count)
		return yaml_bad_scalar(y, key, "true or false", err);
	*out = i >= count / 2;
	return yaml_advance(y, err);
}

/* A hexadecimal guid, or a name, which also sets the guid. */
static enum prof_status
yaml_read_function(struct yaml_source *y, const char *key,
    struct prof_symbol *out, struct prof_error *err)
{
	struct prof_span text = { NULL, 0 };
	size_t digits = 0;

	*out = (struct prof_symbol){ 0 };
	if (yaml_scalar_text(y, key, &text, err) != PROF_OK)
		return PROF_FAIL;
	while (digits < text.size && text.data[digits] >= '0' &&
	    text.data[digits] <= '9')
		digits++;
	if (digits == text.size)
		return yaml_bad_scalar(y, key,
		    "a hexadecimal guid or a function's name", err);
	if (text.size >= 2 && text.data[0] == '0' &&
	    (text.data[1] | 0x20) == 'x') {
		if (!digits_auto(text, UINT64_MAX, &out->guid))
			return yaml_bad_scalar(y, key, "a guid", err);
		return yaml_advance(y, err);
	}
	out->guid = memprof_guid(text);
	return yaml_read_text(y, key, &out->name, err);
}

/* Data accesses (MemProfYAML.h and DataAccessProf.h, LLVM 22). */

struct location_link {
	struct location_link *next;
	struct prof_location location;
};

static enum prof_status
access_read_location(struct yaml_source *y, struct prof_location *l,
    struct prof_error *err)
{
	static const char *const names[] = { "FileName", "Line" };
	static const struct yaml_keys keys = YAML_KEYS("a location", names, 0);
	enum prof_status status;
	struct yaml_map m;
	uint64_t line = 0;

	*l = (struct prof_location){ 0 };
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		status = m.key == 0 ?
		    yaml_read_text(y, names[0], &l->file, err) :
		    yaml_read_number(y, names[1], UINT32_MAX, &line, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	l->line = (uint32_t)line;
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
access_read_locations(struct yaml_source *y, struct prof_data_access *a,
    struct prof_error *err)
{
	struct location_link *first = NULL, **end = &first;
	struct prof_location *locations;
	enum prof_status status;
	bool empty;

	if (yaml_read_list(y, "Locations", &empty, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_item(y, empty, err)) == PROF_OK) {
		*end = arena_alloc(&y->arena, sizeof(**end));
		if (*end == NULL)
			return err_memory(err);
		(*end)->next = NULL;
		if (access_read_location(y, &(*end)->location, err) != PROF_OK)
			return PROF_FAIL;
		end = &(*end)->next;
		a->size++;
	}
	if (status != PROF_END)
		return PROF_FAIL;
	locations = arena_array(&y->arena, a->size, sizeof(*locations));
	if (locations == NULL)
		return err_memory(err);
	a->locations = locations;
	for (; first != NULL; first = first->next)
		*locations++ = first->location;
	return PROF_OK;
}

/*
 * Reads an item of SampledRecords, whose texts are in the arena.  It must have
 * a symbol or a hash.  LLVM uses the symbol if there are both, and the hash 0
 * if there is neither.
 */
static enum prof_status
yaml_access_read(struct yaml_source *y, struct prof_data_access *a,
    struct prof_context *context, struct prof_error *err)
{
	static const char *const names[] = {
		"Symbol", "Hash", "AccessCount", "Locations"
	};
	static const struct yaml_keys keys =
	    YAML_KEYS("a sampled record", names, 1 << 2);
	uint64_t line = y->now.line;
	struct prof_data *d = &a->data;
	enum prof_status status;
	struct yaml_map m;
	bool has_hash;

	*a = (struct prof_data_access){ .count = 0 };
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		if (m.key == 0)
			status = yaml_read_text(y, names[0], &d->symbol, err);
		else if (m.key == 3)
			status = access_read_locations(y, a, err);
		else
			status = yaml_read_number(y, names[m.key], UINT64_MAX,
			    m.key == 1 ? &d->hash : &a->count, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	if (status != PROF_END)
		return PROF_FAIL;
	has_hash = (m.seen & 1 << 1) != 0;
	if (d->symbol.size == 0)
		d->symbol = (struct prof_span){ NULL, 0 };
	if (d->symbol.data == NULL && !has_hash)
		return err_line(err, PROF_E_CORRUPT, line,
		    "a sampled record: neither Symbol nor Hash");
	if (d->symbol.data != NULL && has_hash) {
		warn_line(context, line, "Hash occurs together with Symbol: it "
		    "is left out");
		d->hash = 0;
	}
	return PROF_OK;
}

/* Records of functions (MemProfYAML.h, LLVM 20 to 22). */

/* The record of a function; its arrays are reused for the next one. */
struct yaml_heap {
	struct prof_frame *frames;	/* of all stacks */
	struct yaml_stack *stacks;
	struct prof_allocation *allocs;
	struct prof_call_site *calls;
	uint64_t *callees;		/* of all calls */
	size_t frames_size, frames_room, stacks_size, stacks_room;
	size_t allocs_size, allocs_room, calls_size, calls_room;
	size_t callees_size, callees_room;
	struct prof_symbol symbol;
	struct buf ids;			/* frames of one stack: their ids */
};

struct yaml_stack {
	uint64_t id;
	size_t first, size;		/* of its frames */
};

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

/* Reads an item of HeapProfileRecords. */
static enum prof_status
yaml_heap_read(struct yaml_heap *h, struct yaml_source *y,
    struct prof_error *err)
{
	static const char *const names[] = {
		"GUID", "AllocSites", "CallSites"
	};
	static const struct yaml_keys keys = YAML_KEYS("a record", names, 1);
	enum prof_status status;
	const uint64_t *callee;
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
	/* The array of callees does not move any more. */
	callee = h->callees;
	for (size_t i = 0; i < h->calls_size; i++) {
		if (h->calls[i].callees_size == 0)
			continue;
		h->calls[i].callee_guids = callee;
		callee += h->calls[i].callees_size;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* Heap profiles, as LLVM 20 to 22 merge and show them. */

/* The line of a function's record, for finding duplicates. */
struct function_line {
	uint64_t guid, line;
};

enum yaml_state {
	AT_DOCUMENT, AT_TOP, AT_HEAP, AT_DATA, AT_SAMPLED, AT_COLD_NAMES,
	AT_COLD_HASHES, AT_END
};

struct yaml_reader {
	struct prof_reader base;
	struct yaml_source source;
	enum yaml_state state;
	struct yaml_map top, data;
	bool empty;			/* the list that is read is empty */
	size_t profiles;
	struct yaml_heap heap;
	size_t next_stack;		/* of heap, to be returned next */
	bool has_function;		/* heap's function is to be returned */
	struct list_pool stacks;	/* ids of stacks that were returned */
	struct function_line *lines;
	size_t lines_size, lines_room;
};

static const char *const top_names[] = {
	"HeapProfileRecords", "DataAccessProfiles"
};
static const struct yaml_keys top_keys =
    YAML_KEYS("the document", top_names, 0);
static const enum yaml_state top_states[] = { AT_HEAP, AT_DATA };

static const char *const data_names[] = {
	"SampledRecords", "KnownColdSymbols", "KnownColdStrHashes"
};
static const struct yaml_keys data_keys =
    YAML_KEYS("DataAccessProfiles", data_names, 0);
static const enum yaml_state data_states[] = {
	AT_SAMPLED, AT_COLD_NAMES, AT_COLD_HASHES
};

/* A document mark, which LLVM needs and no text profile begins with. */
bool
yaml_sniff(struct prof_span first_bytes)
{
	const uint8_t *p = first_bytes.data;

	return first_bytes.size >= 3 && memcmp(p, "---", 3) == 0 &&
	    (first_bytes.size == 3 || p[3] == '\n' || p[3] == '\r' ||
	    p[3] == ' ' || p[3] == '\t');
}

static void
yaml_set_profile(struct yaml_reader *r, struct prof_record *out)
{
	out->kind = PROF_REC_PROFILE;
	out->u.profile = (struct prof_header){
		.kind = PROF_MEMPROF,
		.source.format = "yaml",
	};
	r->profiles++;
}

/*
 * Skips documents without content, as LLVM does: its own output begins with one
 * that holds comments only.  If there is no other document, the profile is
 * empty.
 */
static enum prof_status
yaml_next_document(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct yaml_source *y = &r->source;

	while (y->now.kind == YAML_DOCUMENT) {
		if (yaml_advance(y, err) != PROF_OK ||
		    yaml_read_map(y, &r->top, &top_keys, err) != PROF_OK)
			return PROF_FAIL;
		if (!r->top.empty) {
			r->state = AT_TOP;
			yaml_set_profile(r, out);
			return PROF_OK;
		}
		if (yaml_advance(y, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (r->profiles != 0)
		return PROF_END;
	r->state = AT_END;
	yaml_set_profile(r, out);
	return PROF_OK;
}

static int
yaml_compare_lines(const void *a, const void *b)
{
	const struct function_line *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Warns of functions with several records, of which LLVM reads the first. */
static void
yaml_warn_repeats(struct yaml_reader *r)
{
	const struct function_line *first = NULL;
	size_t repeats = 0;

	if (r->lines_size != 0)
		qsort(r->lines, r->lines_size, sizeof(*r->lines),
		    yaml_compare_lines);
	for (size_t i = 1; i < r->lines_size; i++) {
		const struct function_line *p = &r->lines[i];

		if (p->guid != p[-1].guid)
			continue;
		if (first == NULL || p->line < first->line)
			first = p;
		repeats++;
	}
	if (first != NULL)
		warn_line(r->base.context, first->line, "GUID 0x%llx occurs "
		    "again%s: LLVM reads only the first record of a function",
		    (unsigned long long)first->guid,
		    repeats > 1 ? ", and others do" : "");
	r->lines_size = 0;
}

/* LLVM writes "..." last: a file without it may be cut. */
static enum prof_status
yaml_set_end(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct yaml_source *y = &r->source;
	struct yaml_event end = y->now;

	if (r->state != AT_END) {
		if (yaml_advance(y, err) != PROF_OK)
			return PROF_FAIL;
		if (end.implicit && y->now.kind == YAML_STREAM_DONE)
			warn_line(r->base.context, end.line, "there is no "
			    "\"...\" at the end: the file may be truncated");
	}
	yaml_warn_repeats(r);
	list_pool_free(&r->stacks);
	r->stacks = (struct list_pool){ 0 };
	r->state = AT_DOCUMENT;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

/* The next stack of the function that was read, then the function. */
static enum prof_status
yaml_next_of_heap(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct yaml_heap *h = &r->heap;

	while (r->next_stack < h->stacks_size) {
		const struct yaml_stack *s = &h->stacks[r->next_stack++];
		uint32_t known = r->stacks.size;
		uint32_t at = list_pool_add_u64(&r->stacks, s->id);

		if (at == INDEX_NONE)
			return err_memory(err);
		if (at != known)
			continue;
		out->kind = PROF_REC_STACK;
		out->u.stack = (struct prof_stack){ .id = s->id,
		    .frames = s->size == 0 ? NULL : h->frames + s->first,
		    .frames_size = s->size };
		return PROF_OK;
	}
	if (!r->has_function)
		return PROF_END;
	r->has_function = false;
	out->kind = PROF_REC_MEMPROF_FUNCTION;
	out->u.memprof_function = (struct prof_memprof_function){
		.symbol = h->symbol,
		.alloc_sites = h->allocs, .allocs_size = h->allocs_size,
		.call_sites = h->calls, .calls_size = h->calls_size,
	};
	return PROF_OK;
}

static enum prof_status
yaml_read_cold(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_data *d = &out->u.cold_symbol;
	uint64_t line = r->source.now.line;

	out->kind = PROF_REC_COLD_SYMBOL;
	*d = (struct prof_data){ 0 };
	if (r->state == AT_COLD_HASHES)
		return yaml_read_number(&r->source, data_names[2], UINT64_MAX,
		    &d->hash, err);
	if (yaml_read_text(&r->source, data_names[1], &d->symbol, err) !=
	    PROF_OK)
		return PROF_FAIL;
	return d->symbol.size != 0 ? PROF_OK : err_line(err, PROF_E_CORRUPT,
	    line, "%s: an empty name", data_names[1]);
}

/* Reads an item of a list; out->kind stays PROF_REC_OTHER without a record. */
static enum prof_status
yaml_step_list(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	enum prof_status status = yaml_next_item(&r->source, r->empty, err);
	uint64_t line;

	if (status == PROF_END) {
		r->state = r->state == AT_HEAP ? AT_TOP : AT_DATA;
		return PROF_OK;
	}
	if (status != PROF_OK)
		return PROF_FAIL;
	line = r->source.now.line;
	if (r->state == AT_HEAP) {
		if (yaml_heap_read(&r->heap, &r->source, err) != PROF_OK)
			return PROF_FAIL;
		if (!ARRAY_ADD(r->lines, r->lines_size, r->lines_room,
		    (struct function_line){ r->heap.symbol.guid, line }))
			return err_memory(err);
		r->next_stack = 0;
		r->has_function = true;
		return PROF_OK;
	}
	if (r->state != AT_SAMPLED)
		return yaml_read_cold(r, out, err);
	out->kind = PROF_REC_DATA_ACCESS;
	return yaml_access_read(&r->source, &out->u.data_access,
	    r->base.context, err);
}

static enum prof_status
yaml_step_map(struct yaml_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	bool at_top = r->state == AT_TOP;
	struct yaml_map *m = at_top ? &r->top : &r->data;
	enum prof_status status = yaml_next_key(&r->source, m, err);

	if (status == PROF_END && at_top)
		return yaml_set_end(r, out, err);
	if (status == PROF_END) {
		r->state = AT_TOP;
		return PROF_OK;
	}
	if (status != PROF_OK)
		return PROF_FAIL;
	r->state = at_top ? top_states[m->key] : data_states[m->key];
	if (r->state == AT_DATA)
		return yaml_read_map(&r->source, &r->data, &data_keys, err);
	return yaml_read_list(&r->source, m->keys->names[m->key], &r->empty,
	    err);
}

static enum prof_status
yaml_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct yaml_reader *r = (struct yaml_reader *)base;
	enum prof_status status = yaml_next_of_heap(r, out, err);

	if (status != PROF_END)
		return status;
	if (r->state == AT_DOCUMENT)
		return yaml_next_document(r, out, err);
	if (r->state == AT_END)
		return yaml_set_end(r, out, err);
	arena_reset(&r->source.arena);
	out->kind = PROF_REC_OTHER;
	do {
		status = r->state == AT_TOP || r->state == AT_DATA ?
		    yaml_step_map(r, out, err) : yaml_step_list(r, out, err);
		if (status == PROF_OK && r->has_function)
			return yaml_next_of_heap(r, out, err);
	} while (status == PROF_OK && out->kind == PROF_REC_OTHER);
	return status;
}

static void
yaml_close(struct prof_reader *base)
{
	struct yaml_reader *r = (struct yaml_reader *)base;

	yaml_events_free(r->source.events);
	arena_free(&r->source.arena);
	free(r->heap.frames);
	free(r->heap.stacks);
	free(r->heap.allocs);
	free(r->heap.calls);
	free(r->heap.callees);
	buf_free(&r->heap.ids);
	list_pool_free(&r->stacks);
	free(r->lines);
}

static const struct reader_ops yaml_ops = {
	.size = sizeof(struct yaml_reader),
	.next = yaml_next,
	.close = yaml_close,
};

struct prof_reader *
yaml_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct yaml_reader *r = codec_reader_new(&yaml_ops, context, err);

	if (r == NULL)
		return NULL;
	r->source.events = yaml_events_new(image, err);
	if (r->source.events == NULL ||
	    yaml_advance(&r->source, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	return &r->base;
}
