/*
 * format/yaml/yaml.h - YAML as its reader sees it: events of the parser, pieces
 * of a document
 *
 * Facts: MemProfYAML.h and YAMLTraits.cpp of LLVM 22.
 */
#ifndef FORMAT_YAML_YAML_H
#define FORMAT_YAML_YAML_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/yaml_text.h"
#include "model/memprof/build.h"
#include "format/codec.h"

enum yaml_kind {
	YAML_STREAM_DONE,		/* after the last document */
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
	struct prof_span text;		/* of a scalar, until the next event */
	bool empty;			/* a plain scalar: none, ~ or null */
	bool implicit;			/* a document's end without "..." */
};

struct yaml_events;

/* NULL if out of memory, or if there is a directive in the image. */
struct yaml_events *yaml_events_new(struct prof_span image,
    struct prof_error *);
enum prof_status yaml_events_next(struct yaml_events *, struct yaml_event *,
    struct prof_error *);
void yaml_events_free(struct yaml_events *);		/* NULL is fine */

/* Events, of which `now` was not consumed yet, and memory for texts. */
struct yaml_source {
	struct yaml_events *events;
	struct yaml_event now;
	struct arena arena;		/* the owner resets it */
};

/* Goes to the next event. */
enum prof_status yaml_advance(struct yaml_source *, struct prof_error *);

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
enum prof_status yaml_read_map(struct yaml_source *, struct yaml_map *,
    const struct yaml_keys *, struct prof_error *);
enum prof_status yaml_next_key(struct yaml_source *, struct yaml_map *,
    struct prof_error *);

/*
 * A list, which is the value of `key`.  An empty scalar is an empty list.
 * yaml_next_item is PROF_OK if an item comes next, PROF_END after the last.
 */
enum prof_status yaml_read_list(struct yaml_source *, const char *key,
    bool *empty, struct prof_error *);
enum prof_status yaml_next_item(struct yaml_source *, bool empty,
    struct prof_error *);

/* Scalars.  The text is copied to the arena; a number is at most max. */
enum prof_status yaml_read_text(struct yaml_source *, const char *key,
    struct prof_span *, struct prof_error *);
enum prof_status yaml_read_number(struct yaml_source *, const char *key,
    uint64_t max, uint64_t *, struct prof_error *);
enum prof_status yaml_read_bool(struct yaml_source *, const char *key,
    bool *, struct prof_error *);

/* A function: a hexadecimal guid, or a name, which also sets the guid. */
enum prof_status yaml_read_function(struct yaml_source *, const char *key,
    struct prof_symbol *, struct prof_error *);

#endif
