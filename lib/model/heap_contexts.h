/*
 * model/heap_contexts.h - a whole heap profile in memory: contexts with their
 * frames and allocation statistics
 *
 * ops/heap/view.h builds it from records; cmd/show prints and lib/export
 * exports it.
 */
#ifndef MODEL_HEAP_CONTEXTS_H
#define MODEL_HEAP_CONTEXTS_H

#include "base/bytes.h"
#include "prof.h"

/* A file that was mapped; without a build id, one mapping of a file. */
struct heap_module {
	struct prof_span build_id;	/* bytes; empty if unknown */
	uint64_t segment;		/* id in its profile */
	bool file_addresses;		/* addresses are bytes of the file */
};

#define HEAP_NO_MODULE	UINT32_MAX

/*
 * A frame with a function is one of the source; a frame without is an address
 * that was not symbolized.  A frame of the source may occur in several modules:
 * `module` is the first of them.
 */
struct heap_frame {
	struct prof_frame source;
	uint32_t module;	/* or HEAP_NO_MODULE */
	bool has_address;
	uint64_t address;	/* in the module, absolute if there is none */
};

struct heap_context {
	const uint32_t *frames;	/* leaf first; indices */
	size_t size;
	size_t site;	/* the frame that called the allocator; exports begin
			   with this one, too */
	struct prof_mib info;
};

struct heap {
	const struct heap_module *modules;
	size_t modules_size;
	const struct heap_frame *frames;
	size_t frames_size;
	const struct heap_context *contexts;	/* in the order of arrival */
	size_t contexts_size;
};

/* The quantities that contexts can be measured by. */
enum heap_value {
	HEAP_BYTES, HEAP_COUNT, HEAP_LIFETIME, HEAP_ACCESSES, HEAP_VALUES
};

/* The field of a memory info block, by enum heap_value. */
extern const uint8_t heap_fields[HEAP_VALUES];

/* The value named by a word of the command line: bytes, count ... */
bool heap_value_named(const char *word, enum heap_value *);

static inline bool
heap_is_source(const struct heap_frame *f)
{
	return f->source.function.name.size != 0 ||
	    f->source.function.guid != 0;
}

/* What the number of a frame's line counts from. */
enum heap_line {
	HEAP_LINE_UNKNOWN, HEAP_LINE_OF_FILE, HEAP_LINE_OF_FUNCTION
};

/*
 * The line of a frame in its file or, if only this is known, from the beginning
 * of its function.  The number is 0 if the line is unknown.  Code without a
 * line has line 0 in DWARF, so that LLVM stores an offset below 0 (modulo
 * 2^32).
 */
enum heap_line heap_frame_line(const struct prof_frame *, uint32_t *number);

/* Appends the demangled form of a linkage name. */
typedef void heap_name(struct buf *, struct prof_span linkage_name);

/*
 * Appends the name of a frame: its function (demangled by heap_name unless that
 * is NULL), or the guid as 0x..., or the address as [BUILD-ID+0x...],
 * [segment N+0x...], [0x...] or [unknown].
 */
void heap_put_name(struct buf *, const struct heap *,
    const struct heap_frame *, heap_name *);

#endif
