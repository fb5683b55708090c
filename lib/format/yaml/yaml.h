/*
 * format/yaml/yaml.h - YAML as its reader sees it: events of the parser
 *
 * Facts: MemProfYAML.h and YAMLTraits.cpp of LLVM 22.
 */
#ifndef FORMAT_YAML_YAML_H
#define FORMAT_YAML_YAML_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/text.h"
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

#endif
