/* Heap profiles in YAML, as LLVM 20 to 22 merge and show them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "format/codec.h"
#include "format/yaml/libyaml.h"
#include "model/heap.h"
#include "model/memprof/build.h"
#include "model/mib.h"

#ifdef YAML_SONAME
LIBRARY_LOADED(libyaml, libyaml, LIBYAML_FUNCTIONS, YAML_SONAME, "yaml",
    "required")
#else
LIBRARY_LINKED(libyaml, libyaml, LIBYAML_FUNCTIONS)
#endif

/* Facts: MemProfYAML.h and YAMLTraits.cpp of LLVM 22. */

/*
 * A map: keys come in any order, each once.  An empty scalar is an empty map.
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

struct yaml_stack {
	uint64_t id;
	size_t first, size;		/* of its frames */
};

enum yaml_state {
	AT_DOCUMENT, AT_TOP, AT_HEAP, AT_DATA, AT_SAMPLED, AT_COLD_NAMES,
	AT_COLD_HASHES, AT_END
};

struct yaml_reader {
	struct prof_reader base;
	/* Nothing is parsed, nor any other error set, after a failure. */
	enum prof_status status;
	struct prof_error *err;		/* of the present call */
	struct prof_span image;
	size_t pulled;			/* bytes that the parser has */
	bool in_blanks;			/* only they are before in the line */
	yaml_parser_t parser;
	bool parses;			/* the parser is to be deleted */
	yaml_event_t now;		/* not consumed yet; owns its text */
	const char *key;		/* whose value is read, for messages */
	struct arena arena;		/* of the texts of a record */
	enum yaml_state state;
	struct yaml_map top, data;
	bool empty;			/* the list that is read is empty */
	size_t profiles;
	/* A record; its arrays are reused for the next one. */
	struct prof_symbol symbol;
	struct prof_frame *frames;	/* of all stacks */
	struct yaml_stack *stacks;
	struct prof_allocation *allocs;
	struct prof_call_site *calls;
	uint64_t *callees;		/* of all calls */
	struct prof_location *locations;
	size_t frames_size, frames_room, stacks_size, stacks_room;
	size_t allocs_size, allocs_room, calls_size, calls_room;
	size_t callees_size, callees_room, locations_size, locations_room;
	struct buf ids;			/* frames of one stack: their ids */
	size_t next_stack;		/* to be returned next */
	bool has_function;		/* and then the function */
	struct list_pool returned;	/* ids of stacks that were returned */
};

/* Makes room for one more item of an array; false if out of memory. */
#define ROOM(r, list) \
	(ARRAY_ROOM((r)->list, (r)->list##_size, (r)->list##_room) || \
	((r)->status = err_memory((r)->err)) == PROF_OK)

/* The parser, which is loaded when it is first needed. */

/* Whether p follows a line break of YAML 1.1, as libyaml recognises them. */
static bool
yaml_is_after_break(const uint8_t *image, const uint8_t *p)
{
	static const char *const breaks[] = {
		"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"
	};
	size_t before = (size_t)(p - image);

	for (size_t i = 0; i < sizeof(breaks) / sizeof(*breaks); i++) {
		size_t size = strlen(breaks[i]);

		if (size <= before && memcmp(p - size, breaks[i], size) == 0)
			return true;
	}
	return false;
}

static uint64_t
yaml_line_at(struct prof_span image, size_t offset)
{
	const uint8_t *end = image.data + offset, *p = image.data;
	uint64_t line = 1;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		line++;
		p++;
	}
	return line;
}

/*
 * Refuses directives: no profile needs them, and many would take long, as
 * libyaml compares each %TAG with all earlier ones.
 */
static enum prof_status
yaml_refuse_directives(struct prof_span image, struct prof_error *err)
{
	const uint8_t *end = image.data + image.size, *p = image.data;

	while (p < end && (p = memchr(p, '%', (size_t)(end - p))) != NULL) {
		if (yaml_is_after_break(image.data, p))
			return err_line(err, PROF_E_UNSUPPORTED,
			    yaml_line_at(image, (size_t)(p - image.data)),
			    "a YAML directive");
		p++;
	}
	return PROF_OK;
}

/* Tabs that a line begins with are blanks, as LLVM takes them. */
static int
yaml_pull(void *arg, unsigned char *to, size_t room, size_t *size)
{
	struct yaml_reader *r = arg;
	size_t left = r->image.size - r->pulled;

	*size = room < left ? room : left;
	for (size_t i = 0; i < *size; i++) {
		uint8_t c = r->image.data[r->pulled++];

		if (c == '\n')
			r->in_blanks = true;
		else if (c != ' ' && c != '\t')
			r->in_blanks = false;
		to[i] = c == '\t' && r->in_blanks ? ' ' : c;
	}
	return 1;
}

static void
yaml_parser_failure(struct yaml_reader *r)
{
	const yaml_parser_t *p = &r->parser;
	uint64_t line = (uint64_t)p->problem_mark.line + 1;

	if (p->error == YAML_READER_ERROR)
		line = yaml_line_at(r->image,
		    p->problem_offset < r->image.size ? p->problem_offset :
		    r->image.size);
	r->status = p->error == YAML_MEMORY_ERROR ? err_memory(r->err) :
	    err_line(r->err, PROF_E_CORRUPT, line, "YAML: %s",
	    p->problem == NULL ? "cannot be parsed" : p->problem);
}

/* The line of the present event. */
static uint64_t
yaml_now_line(const struct yaml_reader *r)
{
	return (uint64_t)r->now.start_mark.line + 1;
}

/* Goes to the next event. */
static void
yaml_advance(struct yaml_reader *r)
{
	if (r->status != PROF_OK)
		return;
	do {
		libyaml.yaml_event_delete(&r->now);
		if (!libyaml.yaml_parser_parse(&r->parser, &r->now)) {
			yaml_parser_failure(r);
			return;
		}
	} while (r->now.type == YAML_STREAM_START_EVENT);
	/* Refused, as aliases of aliases could exceed all memory. */
	if (r->now.type == YAML_ALIAS_EVENT)
		r->status = err_line(r->err, PROF_E_UNSUPPORTED,
		    yaml_now_line(r), "a YAML alias");
}

/* The text of the scalar that is the present event. */
static struct prof_span
yaml_now_text(const struct yaml_reader *r)
{
	return (struct prof_span){ r->now.data.scalar.value,
	    r->now.data.scalar.length };
}

/* Maps, lists and scalars, with messages for wrong ones. */

/* The place of a text among n words; n if it is none of them. */
static size_t
yaml_find_word(struct prof_span text, const char *const *words, size_t n)
{
	size_t i = 0;

	while (i < n && !prof_span_equal(text, span_of_text(words[i])))
		i++;
	return i;
}

/* Reports an event of another kind than the one that is wanted. */
static void
yaml_wrong_kind(struct yaml_reader *r, const char *what, const char *wanted)
{
	static const char *const kinds[] = {
		[YAML_STREAM_END_EVENT] = "the end",
		[YAML_DOCUMENT_START_EVENT] = "a document",
		[YAML_DOCUMENT_END_EVENT] = "the end of the document",
		[YAML_SCALAR_EVENT] = "a scalar",
		[YAML_SEQUENCE_START_EVENT] = "a list",
		[YAML_SEQUENCE_END_EVENT] = "the end of a list",
		[YAML_MAPPING_START_EVENT] = "a map",
		[YAML_MAPPING_END_EVENT] = "the end of a map",
	};

	if (r->status == PROF_OK)
		r->status = err_line(r->err, PROF_E_CORRUPT, yaml_now_line(r),
		    "%s: %s, not %s", what, kinds[r->now.type], wanted);
}

/* Whether a map or list is empty, which may be a plain scalar: a null. */
static bool
yaml_begin(struct yaml_reader *r, yaml_event_type_t kind, const char *what)
{
	static const char *const nulls[] = {
		"", "~", "null", "Null", "NULL"
	};
	const size_t n = sizeof(nulls) / sizeof(*nulls);
	bool empty = r->now.type == YAML_SCALAR_EVENT &&
	    r->now.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    yaml_find_word(yaml_now_text(r), nulls, n) != n;

	if (!empty && r->now.type != kind)
		yaml_wrong_kind(r, what, kind == YAML_MAPPING_START_EVENT ?
		    "a map" : "a list");
	yaml_advance(r);
	return empty;
}

static void
yaml_read_map(struct yaml_reader *r, struct yaml_map *m,
    const struct yaml_keys *keys)
{
	*m = (struct yaml_map){ .keys = keys,
	    .empty = yaml_begin(r, YAML_MAPPING_START_EVENT, keys->of) };
}

static void
yaml_read_key(struct yaml_reader *r, struct yaml_map *m)
{
	const struct yaml_keys *keys = m->keys;
	char shown[ERR_NAME_SIZE];
	size_t i;

	if (r->now.type != YAML_SCALAR_EVENT) {
		yaml_wrong_kind(r, keys->of, "a key");
		return;
	}
	i = yaml_find_word(yaml_now_text(r), keys->names, keys->size);
	if (i == keys->size) {
		r->status = err_line(r->err, PROF_E_CORRUPT, yaml_now_line(r),
		    "%s: unknown key '%s'", keys->of,
		    err_name(shown, yaml_now_text(r)));
		return;
	}
	if ((m->seen >> i & 1) != 0)
		r->status = err_line(r->err, PROF_E_CORRUPT, yaml_now_line(r),
		    "%s: %s occurs twice", keys->of, keys->names[i]);
	m->seen |= UINT32_C(1) << i;
	m->key = i;
	r->key = keys->names[i];
	yaml_advance(r);
}

/*
 * Sets m->key, whose value the caller reads before the next call.  False behind
 * the last key, and after a failure: a required key may be missing.
 */
static bool
yaml_next_key(struct yaml_reader *r, struct yaml_map *m)
{
	uint32_t missing = m->keys->required & ~m->seen;

	if (r->status != PROF_OK)
		return false;
	if (!m->empty && r->now.type != YAML_MAPPING_END_EVENT) {
		yaml_read_key(r, m);
		return r->status == PROF_OK;
	}
	for (size_t i = 0; i < m->keys->size; i++) {
		if ((missing >> i & 1) != 0)
			r->status = err_line(r->err, PROF_E_CORRUPT,
			    yaml_now_line(r), "%s: %s is missing", m->keys->of,
			    m->keys->names[i]);
	}
	if (!m->empty)
		yaml_advance(r);
	return false;
}

/* Whether a list, the value of the present key, is empty. */
static bool
yaml_read_list(struct yaml_reader *r)
{
	return yaml_begin(r, YAML_SEQUENCE_START_EVENT, r->key);
}

/* Whether an item comes next; false after a failure. */
static bool
yaml_next_item(struct yaml_reader *r, bool empty)
{
	if (empty || r->status != PROF_OK)
		return false;
	if (r->now.type != YAML_SEQUENCE_END_EVENT)
		return true;
	yaml_advance(r);
	return false;
}

/* Whether the present event is a scalar, which is reported if not. */
static bool
yaml_is_scalar(struct yaml_reader *r)
{
	if (r->now.type != YAML_SCALAR_EVENT)
		yaml_wrong_kind(r, r->key, "a scalar");
	return r->status == PROF_OK;
}

static void
yaml_bad_scalar(struct yaml_reader *r, const char *wanted)
{
	char shown[ERR_NAME_SIZE];

	r->status = err_line(r->err, PROF_E_CORRUPT, yaml_now_line(r),
	    "%s '%s' is not %s", r->key, err_name(shown, yaml_now_text(r)),
	    wanted);
}

/* The text is copied to the arena. */
static struct prof_span
yaml_read_text(struct yaml_reader *r)
{
	struct prof_span text = { NULL, 0 };

	if (!yaml_is_scalar(r))
		return text;
	text = arena_copy(&r->arena, yaml_now_text(r));
	if (text.data == NULL)
		r->status = err_memory(r->err);
	yaml_advance(r);
	return text;
}

/* LLVM, without a message, cuts values that do not fit their field. */
static uint64_t
yaml_read_number(struct yaml_reader *r, uint64_t max)
{
	uint64_t n = 0;

	if (!yaml_is_scalar(r))
		return 0;
	if (!digits_auto(yaml_now_text(r), UINT64_MAX, &n))
		yaml_bad_scalar(r, "a number");
	else if (n > max)
		r->status = err_line(r->err, PROF_E_LIMIT, yaml_now_line(r),
		    "%s %llu exceeds %llu", r->key, ull(n), ull(max));
	yaml_advance(r);
	return n;
}

/* The words of parseBool, LLVM 10 to 22. */
static bool
yaml_read_bool(struct yaml_reader *r)
{
	static const char *const words[] = {
		"false", "False", "FALSE", "no", "No", "NO", "n", "N", "off",
		"Off", "OFF", "true", "True", "TRUE", "yes", "Yes", "YES",
		"y", "Y", "on", "On", "ON"
	};
	const size_t count = sizeof(words) / sizeof(*words);
	size_t i;

	if (!yaml_is_scalar(r))
		return false;
	i = yaml_find_word(yaml_now_text(r), words, count);
	if (i == count)
		yaml_bad_scalar(r, "true or false");
	yaml_advance(r);
	return i >= count / 2;
}

/* A hexadecimal guid, or a name, which also sets the guid. */
static struct prof_symbol
yaml_read_function(struct yaml_reader *r)
{
	struct prof_symbol s = { .guid = 0 };
	struct prof_span text;
	size_t digits = 0;

	if (!yaml_is_scalar(r))
		return s;
	text = yaml_now_text(r);
	while (digits < text.size && text.data[digits] >= '0' &&
	    text.data[digits] <= '9')
		digits++;
	if (digits == text.size) {
		yaml_bad_scalar(r, "a hexadecimal guid or a function's name");
	} else if (text.size >= 2 && text.data[0] == '0' &&
	    (text.data[1] | 0x20) == 'x') {
		if (!digits_auto(text, UINT64_MAX, &s.guid))
			yaml_bad_scalar(r, "a guid");
		yaml_advance(r);
	} else {
		s.guid = memprof_guid(text);
		s.name = yaml_read_text(r);
	}
	return s;
}

/* Data accesses (MemProfYAML.h and DataAccessProf.h, LLVM 22). */

static void
yaml_read_location(struct yaml_reader *r, struct prof_location *l)
{
	static const char *const names[] = { "FileName", "Line" };
	static const struct yaml_keys keys = YAML_KEYS("a location", names, 0);
	struct yaml_map m;

	*l = (struct prof_location){ .line = 0 };
	yaml_read_map(r, &m, &keys);
	while (yaml_next_key(r, &m)) {
		if (m.key == 0)
			l->file = yaml_read_text(r);
		else
			l->line = (uint32_t)yaml_read_number(r, UINT32_MAX);
	}
}

/*
 * Reads an item of SampledRecords, whose texts are in the arena.  It must have
 * a symbol or a hash.  LLVM uses the symbol if there are both, and the hash 0
 * if there is neither.
 */
static void
yaml_read_access(struct yaml_reader *r, struct prof_data_access *a)
{
	static const char *const names[] = {
		"Symbol", "Hash", "AccessCount", "Locations"
	};
	static const struct yaml_keys keys =
	    YAML_KEYS("a sampled record", names, 1 << 2);
	uint64_t line = yaml_now_line(r);
	struct prof_data *d = &a->data;
	struct yaml_map m;
	bool has_hash;

	*a = (struct prof_data_access){ .count = 0 };
	r->locations_size = 0;
	yaml_read_map(r, &m, &keys);
	while (yaml_next_key(r, &m)) {
		if (m.key == 0) {
			d->symbol = yaml_read_text(r);
		} else if (m.key == 1) {
			d->hash = yaml_read_number(r, UINT64_MAX);
		} else if (m.key == 2) {
			a->count = yaml_read_number(r, UINT64_MAX);
		} else {
			bool empty = yaml_read_list(r);

			while (yaml_next_item(r, empty)) {
				if (ROOM(r, locations))
					yaml_read_location(r, &r->locations[
					    r->locations_size++]);
			}
		}
	}
	if (r->status != PROF_OK)
		return;
	a->locations = r->locations;
	a->size = r->locations_size;
	has_hash = (m.seen & 1 << 1) != 0;
	if (d->symbol.size == 0)
		d->symbol = (struct prof_span){ NULL, 0 };
	if (d->symbol.data == NULL && !has_hash)
		r->status = err_line(r->err, PROF_E_CORRUPT, line,
		    "a sampled record: neither Symbol nor Hash");
	if (d->symbol.data != NULL && has_hash) {
		warn_line(r->base.context, line, "Hash occurs together with "
		    "Symbol: it is left out");
		d->hash = 0;
	}
}

/* Records of functions (MemProfYAML.h, LLVM 20 to 22). */

static void
yaml_read_frame(struct yaml_reader *r, struct prof_frame *f)
{
	static const char *const names[] = {
		"Function", "LineOffset", "Column", "IsInlineFrame"
	};
	static const struct yaml_keys keys = YAML_KEYS("a frame", names, 0xf);
	struct yaml_map m;

	*f = (struct prof_frame){ .flags = PROF_FRAME_LINE_OFFSET |
	    PROF_FRAME_COLUMN };
	yaml_read_map(r, &m, &keys);
	while (yaml_next_key(r, &m)) {
		if (m.key == 0)
			f->function = yaml_read_function(r);
		else if (m.key == 1)
			f->line_offset = (uint32_t)yaml_read_number(r,
			    UINT32_MAX);
		else if (m.key == 2)
			f->column = (uint32_t)yaml_read_number(r, UINT32_MAX);
		else if (yaml_read_bool(r))
			f->flags |= PROF_FRAME_INLINE;
	}
}

/* The memprof_stack_id of frames: YAML has no ids of stacks. */
static uint64_t
yaml_stack_id(struct yaml_reader *r, size_t first)
{
	r->ids.size = 0;
	for (size_t i = first; i < r->frames_size; i++) {
		const struct memprof_frame f = {
			.guid = r->frames[i].function.guid,
			.line_offset = r->frames[i].line_offset,
			.column = r->frames[i].column,
			.is_inline = r->frames[i].flags & PROF_FRAME_INLINE,
		};

		buf_u64le(&r->ids, memprof_frame_id(&f));
	}
	if (r->ids.failed)
		r->status = err_memory(r->err);
	return memprof_stack_id(&r->ids);
}

/* Reads a list of frames; its id is returned. */
static uint64_t
yaml_read_stack(struct yaml_reader *r)
{
	bool empty = yaml_read_list(r);
	size_t first = r->frames_size;
	uint64_t id;

	while (yaml_next_item(r, empty)) {
		if (ROOM(r, frames))
			yaml_read_frame(r, &r->frames[r->frames_size++]);
	}
	if (r->status != PROF_OK || !ROOM(r, stacks))
		return 0;
	id = yaml_stack_id(r, first);
	r->stacks[r->stacks_size++] = (struct yaml_stack){ id, first,
	    r->frames_size - first };
	return id;
}

static void
yaml_read_mib(struct yaml_reader *r, struct prof_mib *mib)
{
	const char *names[PROF_MIB_FIELDS - 1];
	const struct yaml_keys keys = YAML_KEYS("MemInfoBlock", names, 0);
	struct yaml_map m;

	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		names[i - 1] = mib_fields[i].name;
	yaml_read_map(r, &m, &keys);
	while (yaml_next_key(r, &m)) {
		unsigned field = (unsigned)m.key + 1;
		uint64_t value = yaml_read_number(r, mib_max(field));

		if (field != PROF_MIB_ACCESS_HISTOGRAM)
			mib_set(mib, field, value);
	}
	/* The histogram has no value here, but belongs to its size. */
	if (mib_has(mib, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		mib_set(mib, PROF_MIB_ACCESS_HISTOGRAM, 0);
}

static void
yaml_read_alloc(struct yaml_reader *r, struct prof_allocation *a)
{
	static const char *const names[] = { "Callstack", "MemInfoBlock" };
	static const struct yaml_keys keys =
	    YAML_KEYS("an allocation site", names, 3);
	struct yaml_map m;

	*a = (struct prof_allocation){ 0 };
	yaml_read_map(r, &m, &keys);
	while (yaml_next_key(r, &m)) {
		if (m.key == 0)
			a->stack = yaml_read_stack(r);
		else
			yaml_read_mib(r, &a->info);
	}
}

/* A call site is a map, or a list of frames as LLVM 20 writes it. */
static void
yaml_read_call(struct yaml_reader *r, struct prof_call_site *c)
{
	static const char *const names[] = { "Frames", "CalleeGuids" };
	static const struct yaml_keys keys =
	    YAML_KEYS("a call site", names, 1);
	struct yaml_map m;
	bool empty;

	*c = (struct prof_call_site){ 0 };
	if (r->now.type == YAML_SEQUENCE_START_EVENT) {
		c->stack = yaml_read_stack(r);
		return;
	}
	yaml_read_map(r, &m, &keys);
	while (yaml_next_key(r, &m)) {
		if (m.key == 0) {
			c->stack = yaml_read_stack(r);
			continue;
		}
		empty = yaml_read_list(r);
		while (yaml_next_item(r, empty)) {
			if (!ROOM(r, callees))
				break;
			r->callees[r->callees_size++] =
			    yaml_read_function(r).guid;
			c->callees_size++;
		}
	}
}

/* Reads an item of HeapProfileRecords. */
static void
yaml_read_record(struct yaml_reader *r)
{
	static const char *const names[] = {
		"GUID", "AllocSites", "CallSites"
	};
	static const struct yaml_keys keys = YAML_KEYS("a record", names, 1);
	const uint64_t *callee;
	struct yaml_map m;
	bool empty;

	r->frames_size = r->stacks_size = r->allocs_size = 0;
	r->calls_size = r->callees_size = 0;
	yaml_read_map(r, &m, &keys);
	while (yaml_next_key(r, &m)) {
		if (m.key == 0) {
			r->symbol = yaml_read_function(r);
			continue;
		}
		empty = yaml_read_list(r);
		while (yaml_next_item(r, empty)) {
			if (m.key == 1 && ROOM(r, allocs))
				yaml_read_alloc(r,
				    &r->allocs[r->allocs_size++]);
			else if (m.key == 2 && ROOM(r, calls))
				yaml_read_call(r, &r->calls[r->calls_size++]);
		}
	}
	/* The array of callees does not move any more. */
	callee = r->callees;
	for (size_t i = 0; i < r->calls_size; i++) {
		if (r->calls[i].callees_size == 0)
			continue;
		r->calls[i].callee_guids = callee;
		callee += r->calls[i].callees_size;
	}
}

/* Documents and their lists. */

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

/*
 * Skips documents without content, as LLVM does: its own output begins with one
 * that holds comments only.  If there is no other document, the profile is
 * empty.
 */
static enum prof_status
yaml_next_document(struct yaml_reader *r, struct prof_record *out)
{
	while (r->state == AT_DOCUMENT && r->status == PROF_OK &&
	    r->now.type == YAML_DOCUMENT_START_EVENT) {
		yaml_advance(r);
		yaml_read_map(r, &r->top, &top_keys);
		if (r->top.empty)
			yaml_advance(r);
		else
			r->state = AT_TOP;
	}
	if (r->status != PROF_OK)
		return PROF_FAIL;
	if (r->state == AT_DOCUMENT && r->profiles != 0)
		return PROF_END;
	if (r->state == AT_DOCUMENT)
		r->state = AT_END;
	r->profiles++;
	out->kind = PROF_REC_PROFILE;
	out->u.profile = (struct prof_header){ .kind = PROF_MEMPROF,
	    .source.format = "yaml" };
	return PROF_OK;
}

/* LLVM writes "..." last: a file without it may be cut. */
static void
yaml_end_document(struct yaml_reader *r, struct prof_record *out)
{
	uint64_t line = yaml_now_line(r);
	bool implicit = r->now.data.document_end.implicit;

	if (r->state != AT_END) {
		yaml_advance(r);
		if (r->status != PROF_OK)
			return;
		if (implicit && r->now.type == YAML_STREAM_END_EVENT)
			warn_line(r->base.context, line, "there is no \"...\" "
			    "at the end: the file may be truncated");
	}
	list_pool_free(&r->returned);
	r->returned = (struct list_pool){ 0 };
	r->state = AT_DOCUMENT;
	out->kind = PROF_REC_END;
}

/* The next stack of the record that was read, then its function. */
static enum prof_status
yaml_next_of_record(struct yaml_reader *r, struct prof_record *out)
{
	while (r->next_stack < r->stacks_size) {
		const struct yaml_stack *s = &r->stacks[r->next_stack++];
		uint32_t known = r->returned.size;
		uint32_t at = list_pool_add_u64(&r->returned, s->id);

		if (at == INDEX_NONE)
			return err_memory(r->err);
		if (at != known)
			continue;
		out->kind = PROF_REC_STACK;
		out->u.stack = (struct prof_stack){ .id = s->id,
		    .frames = s->size == 0 ? NULL : r->frames + s->first,
		    .frames_size = s->size };
		return PROF_OK;
	}
	if (!r->has_function)
		return PROF_END;
	r->has_function = false;
	out->kind = PROF_REC_MEMPROF_FUNCTION;
	out->u.memprof_function = (struct prof_memprof_function){
		.symbol = r->symbol,
		.alloc_sites = r->allocs, .allocs_size = r->allocs_size,
		.call_sites = r->calls, .calls_size = r->calls_size,
	};
	return PROF_OK;
}

static void
yaml_read_cold(struct yaml_reader *r, struct prof_record *out)
{
	struct prof_data *d = &out->u.cold_symbol;
	uint64_t line = yaml_now_line(r);

	out->kind = PROF_REC_COLD_SYMBOL;
	*d = (struct prof_data){ 0 };
	if (r->state == AT_COLD_HASHES) {
		d->hash = yaml_read_number(r, UINT64_MAX);
		return;
	}
	d->symbol = yaml_read_text(r);
	if (d->symbol.size == 0 && r->status == PROF_OK)
		r->status = err_line(r->err, PROF_E_CORRUPT, line,
		    "%s: an empty name", r->key);
}

/* Reads an item of a list; out->kind stays PROF_REC_OTHER without a record. */
static void
yaml_step_list(struct yaml_reader *r, struct prof_record *out)
{
	if (!yaml_next_item(r, r->empty)) {
		r->state = r->state == AT_HEAP ? AT_TOP : AT_DATA;
	} else if (r->state == AT_HEAP) {
		yaml_read_record(r);
		r->next_stack = 0;
		r->has_function = true;
	} else if (r->state == AT_SAMPLED) {
		out->kind = PROF_REC_DATA_ACCESS;
		yaml_read_access(r, &out->u.data_access);
	} else {
		yaml_read_cold(r, out);
	}
}

static void
yaml_step_map(struct yaml_reader *r, struct prof_record *out)
{
	bool at_top = r->state == AT_TOP;
	struct yaml_map *m = at_top ? &r->top : &r->data;

	if (yaml_next_key(r, m)) {
		r->state = at_top ? top_states[m->key] : data_states[m->key];
		if (r->state == AT_DATA)
			yaml_read_map(r, &r->data, &data_keys);
		else
			r->empty = yaml_read_list(r);
	} else if (r->status == PROF_OK && at_top) {
		yaml_end_document(r, out);
	} else {
		r->state = AT_TOP;
	}
}

static enum prof_status
yaml_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct yaml_reader *r = (struct yaml_reader *)base;
	enum prof_status status;

	r->err = err;
	status = yaml_next_of_record(r, out);
	if (status != PROF_END)
		return status;
	if (r->state == AT_DOCUMENT)
		return yaml_next_document(r, out);
	arena_reset(&r->arena);
	out->kind = PROF_REC_OTHER;
	do {
		if (r->state == AT_END)
			yaml_end_document(r, out);
		else if (r->state == AT_TOP || r->state == AT_DATA)
			yaml_step_map(r, out);
		else
			yaml_step_list(r, out);
		if (r->status == PROF_OK && r->has_function)
			return yaml_next_of_record(r, out);
	} while (r->status == PROF_OK && out->kind == PROF_REC_OTHER);
	return r->status;
}

static void
yaml_close(struct prof_reader *base)
{
	struct yaml_reader *r = (struct yaml_reader *)base;

	if (r->parses) {
		libyaml.yaml_event_delete(&r->now);
		libyaml.yaml_parser_delete(&r->parser);
	}
	arena_free(&r->arena);
	free(r->frames);
	free(r->stacks);
	free(r->allocs);
	free(r->calls);
	free(r->callees);
	free(r->locations);
	buf_free(&r->ids);
	list_pool_free(&r->returned);
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
	r->err = err;
	r->image = image;
	if (libyaml_load(err) != PROF_OK ||
	    yaml_refuse_directives(image, err) != PROF_OK) {
		r->status = PROF_FAIL;
	} else if (!libyaml.yaml_parser_initialize(&r->parser)) {
		r->status = err_memory(err);
	} else {
		r->parses = true;
		libyaml.yaml_parser_set_encoding(&r->parser,
		    YAML_UTF8_ENCODING);
		r->in_blanks = true;
		libyaml.yaml_parser_set_input(&r->parser, yaml_pull, r);
	}
	yaml_advance(r);
	if (r->status == PROF_OK)
		return &r->base;
	prof_close(&r->base);
	return NULL;
}
