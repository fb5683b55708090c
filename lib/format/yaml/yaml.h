/*
 * format/yaml/yaml.h - the reader of heap profiles in YAML, in three layers: events of the
 * parser, pieces of a document, records
 *
 * Facts: MemProfYAML.h and YAMLTraits.cpp of LLVM 22.
 */
#ifndef FORMAT_YAML_YAML_H
#define FORMAT_YAML_YAML_H

#include "base/arena.h"
#include "base/bytes.h"
#include "format/codec.h"

enum yaml_kind {
	YAML_STREAM_DONE,		/* there are no more documents */
	YAML_DOCUMENT,
	YAML_DOCUMENT_DONE,
	YAML_SCALAR,
	YAML_LIST,
	YAML_LIST_DONE,
	YAML_MAP,
	YAML_MAP_DONE,
};

struct yaml_event {
	enum yaml_kind kind;
	uint64_t line;			/* from 1 */
	/* Of a scalar, until the next event. */
	struct prof_span text;
	bool empty;			/* nothing stands there, or ~ or null */
	bool implicit;			/* a document ends without "..." */
};

struct yaml_events;

/* NULL if out of memory, or directives stand in the image. */
struct yaml_events *yaml_events_new(struct prof_span image,
    struct prof_error *);
enum prof_status yaml_events_next(struct yaml_events *, struct yaml_event *,
    struct prof_error *);
void yaml_events_free(struct yaml_events *);		/* NULL is fine */

/* Events with a look ahead of one, and memory for what is kept of them. */
struct yaml_source {
	struct yaml_events *events;
	struct yaml_event now;
	struct arena arena;		/* the owner resets it */
};

/* Goes to the next event. */
enum prof_status yaml_advance(struct yaml_source *, struct prof_error *);

/*
 * A map whose keys are taken one by one, in any order, each once.  An empty
 * scalar is an empty map.  yaml_next_key gives PROF_END behind the last.
 */
struct yaml_keys {
	const char *of;			/* what the map is, for messages */
	const char *const *names;
	size_t size;			/* 32 at most */
	uint32_t required;		/* bits 1 << index */
};
struct yaml_map {
	const struct yaml_keys *keys;
	bool empty;
	uint32_t seen;			/* bits 1 << index */
	size_t key;			/* index of the key that was taken */
};
#define YAML_KEYS(of_, names_, required_) \
	{ of_, names_, sizeof(names_) / sizeof((names_)[0]), required_ }
enum prof_status yaml_take_map(struct yaml_source *, struct yaml_map *,
    const struct yaml_keys *, struct prof_error *);
enum prof_status yaml_next_key(struct yaml_source *, struct yaml_map *,
    struct prof_error *);

/*
 * A list; key is what it is the value of.  An empty scalar is an empty list.
 * yaml_next_item gives PROF_OK if an item is next, PROF_END behind the last.
 */
enum prof_status yaml_take_list(struct yaml_source *, const char *key,
    bool *empty, struct prof_error *);
enum prof_status yaml_next_item(struct yaml_source *, bool empty,
    struct prof_error *);

/* Scalars.  The text is copied; a number may not be above max. */
enum prof_status yaml_take_text(struct yaml_source *, const char *key,
    struct prof_span *, struct prof_error *);
enum prof_status yaml_take_number(struct yaml_source *, const char *key,
    uint64_t max, uint64_t *, struct prof_error *);
enum prof_status yaml_take_bool(struct yaml_source *, const char *key,
    bool *, struct prof_error *);
/* A function: a hexadecimal guid, or its name and the guid of that. */
enum prof_status yaml_take_function(struct yaml_source *, const char *key,
    struct prof_symbol *, struct prof_error *);

/* What a function's heap profile is made of; used again for the next. */
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
	struct buf ids;			/* of the frames of one stack */
};

struct yaml_stack {
	uint64_t id;
	size_t first, size;		/* of its frames */
};

/* Reads an item of HeapProfileRecords. */
enum prof_status yaml_heap_read(struct yaml_heap *, struct yaml_source *,
    struct prof_error *);
void yaml_heap_free(struct yaml_heap *);

/* Reads an item of SampledRecords; what it holds is in the arena. */
enum prof_status yaml_access_read(struct yaml_source *,
    struct prof_data_access *, struct prof_context *, struct prof_error *);

#endif
