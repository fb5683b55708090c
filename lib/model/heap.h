/*
 * model/heap.h - heap profiles: contexts, frames, what records refer to, and
 * guids of functions
 *
 * struct heap is a whole heap profile in memory: contexts with their frames and
 * allocation statistics.  ops/heap/view.h builds it from records; cmd/show
 * prints and lib/export exports it.
 */
#ifndef MODEL_HEAP_H
#define MODEL_HEAP_H

#include "base/bytes.h"
#include "base/hash.h"
#include "prof.h"

/* Whether records of a kind belong to heap profiles. */
static inline bool
heap_has_kind(enum prof_record_kind kind)
{
	return kind >= PROF_REC_SEGMENT && kind <= PROF_REC_COLD_SYMBOL;
}

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

/*
 * For qsort: data, or what begins with data such as accesses, by symbol and
 * hash; locations by file and line.
 */
int heap_compare_data(const void *, const void *);
int heap_compare_locations(const void *, const void *);

/* Appends the demangled form of a linkage name. */
typedef void heap_name(struct buf *, struct prof_span linkage_name);

/*
 * Appends the name of a frame: its function (demangled by heap_name unless that
 * is NULL), or the guid as 0x..., or the address as [BUILD-ID+0x...],
 * [segment N+0x...], [0x...] or [unknown].
 */
void heap_put_name(struct buf *, const struct heap *,
    const struct heap_frame *, heap_name *);

/*
 * Frames and their texts, each stored once and numbered, and the numbers that
 * readers give to frames.
 *
 * A stack is then a list of frame numbers (base/hash.h).
 */

/* All zero is empty.  Frames stand in the order of adding. */
struct frame_pool {
	struct intern texts;
	struct prof_frame *frames;	/* index.size of them; texts are ours */
	size_t room;
	struct hash_index index;
};

/*
 * The number of the frame whose members are all equal, copied if it is new;
 * INDEX_NONE: no memory.  An empty name or file is stored as unknown.
 */
uint32_t frame_pool_add(struct frame_pool *, const struct prof_frame *);

void frame_pool_free(struct frame_pool *);

/*
 * What a consumer knows by the frame_numbers of stacks: its own number of each
 * frame, or INDEX_NONE.  Numbers of readers go on from profile to profile, so
 * that a small profile may have large ones: numbers are forgotten one by one,
 * when they are used again.  All zero is empty.
 */
struct frame_numbers {
	struct frame_number {
		uint32_t own, profile;	/* known in that profile only */
	} *items;
	size_t size, room;
	uint32_t profile;
};

/* Makes room for a number.  False: no memory. */
bool frame_numbers_grow(struct frame_numbers *, uint32_t number);

/* The place of a number; NULL: no memory.  Valid until the next call. */
static inline uint32_t *
frame_numbers_at(struct frame_numbers *n, uint32_t number)
{
	struct frame_number *at;

	if (number >= n->size && !frame_numbers_grow(n, number))
		return NULL;
	at = &n->items[number];
	if (at->profile != n->profile)
		*at = (struct frame_number){ INDEX_NONE, n->profile };
	return &at->own;
}

/* Forgets all numbers: another profile begins. */
static inline void
frame_numbers_clear(struct frame_numbers *n)
{
	n->profile++;
	if (n->profile == 0)
		n->size = 0;
}

void frame_numbers_free(struct frame_numbers *);

/* Whether a frame stands for an address that could not be symbolized. */
static inline bool
frame_is_empty(const struct prof_frame *f)
{
	return f->function.name.data == NULL && f->function.guid == 0;
}

/* How many frames of a stack, from one on, are of the same address. */
size_t frame_pool_address_size(const struct prof_stack *, size_t at);

/*
 * What records of a heap profile refer to.
 *
 * Stacks and segments are known by ids of their profile.  A profile that breaks
 * one of these rules contradicts itself and cannot be summed:
 *
 * - a segment that comes again is the same;
 * - a segment with a range comes before all stacks that have addresses outside
 *   of segments, since these may be in it; but the ranges of a sum are not used
 *   (merge/heap_context.c);
 * - the segments of a stack come before it;
 * - a stack that comes again is the same;
 * - the stack of an allocation, alloc site or call site comes before it.
 *
 * A stack is the same if its frames are, or, where one is missing or empty, its
 * addresses.  The rules of prof-stream(5), which `strict` adds, are that the
 * addresses are the same in any case, and that no segment comes again.
 *
 * While a merge folds records, the value of a stack is the number of its
 * context (merge/heap_context.c).  heap_refs_check is for records that are not
 * folded, or not yet: there the value is a digest of the stack.
 */

/* The ids in the records of one profile that were read.  All zero at first. */
struct heap_refs {
	bool strict;			/* set by the caller */
	bool is_sum;			/* of other inputs */
	bool placed;			/* one outside of segments */
	struct id_map segments;		/* to digests, in the order they came */
	struct id_map stacks;		/* to values */
	size_t next;			/* place in stacks to try first */
};

/* A profile begins that is the sum of so many inputs. */
void heap_refs_begin(struct heap_refs *, uint64_t inputs);
void heap_refs_free(struct heap_refs *);

/* PROF_END if the segment came before; else it is the last of segments. */
enum prof_status heap_refs_add_segment(struct heap_refs *,
    const struct prof_segment *, struct prof_error *);

/* The place in segments of the segment of an address of the stack. */
enum prof_status heap_refs_segment_of(struct heap_refs *,
    const struct prof_stack *, size_t pc, uint32_t *place,
    struct prof_error *);

/* A stack with another value must not have the id. */
enum prof_status heap_refs_add_stack(struct heap_refs *, uint64_t id,
    uint64_t value, struct prof_error *);

/* PROF_FAIL: there is no such stack. */
enum prof_status heap_refs_no_stack(uint64_t id, struct prof_error *);

static inline enum prof_status
heap_refs_find_stack(struct heap_refs *r, uint64_t id, uint64_t *value,
    struct prof_error *err)
{
	const uint64_t *known = id_map_find_next(&r->stacks, &r->next, id);

	if (known == NULL)
		return heap_refs_no_stack(id, err);
	*value = *known;
	return PROF_OK;
}

/*
 * Adds a record that is not folded, of any kind, by all of the rules.  A record
 * that refers to what is not there is not added.
 */
enum prof_status heap_refs_check(struct heap_refs *,
    const struct prof_record *, struct prof_error *);

/*
 * Of a function with heap data: its guid is that of its name, or of the name
 * without suffixes.  Part of heap_refs_check.
 */
enum prof_status heap_check_symbol(const struct prof_symbol *,
    struct prof_error *);

/*
 * Names and guids of functions in heap profiles, and the frames that heap
 * profiles leave out.
 */

/*
 * The name without the suffix that the compiler appended: ".llvm." or ".part."
 * and one more word (sampleprof::FunctionSamples::getCanonicalFnName with the
 * suffixes of MemProf.cpp, LLVM 15 to 22).  ".__uniq.N" stays.
 */
struct prof_span memprof_canonical_name(struct prof_span linkage_name);

/* The guid of the canonical name. */
uint64_t memprof_guid(struct prof_span linkage_name);

/* The guid of a function, or of its name if only that is known. */
static inline uint64_t
memprof_symbol_guid(const struct prof_symbol *s)
{
	return s->guid != 0 || s->name.size == 0 ? s->guid :
	    memprof_guid(s->name);
}

/*
 * The name of a function of a frame for LLVM: if there is none, LLVM hashes
 * what its symbolizer prints (DILineInfo::BadString, LLVM 15 to 22).
 */
struct prof_span memprof_frame_name(struct prof_span linkage_name);

/*
 * The name of a data symbol up to its first dot, or up to the first dot after
 * ".__uniq.N" if it has that (InstrProfSymtab::getCanonicalName, LLVM 21, 22).
 */
struct prof_span memprof_data_name(struct prof_span symbol);

/*
 * Whether the frame has a place in its function: a line, a line offset or a
 * column.  Frames of debug information always have one; frames of symbol tables
 * never do, and a compiler cannot match them with a call.
 */
static inline bool
memprof_has_place(const struct prof_frame *f)
{
	return (f->flags & (PROF_FRAME_LINE | PROF_FRAME_LINE_OFFSET |
	    PROF_FRAME_COLUMN)) != 0;
}

/*
 * Whether the frame is in a source file of LLVM's heap profiling runtime, whose
 * frames LLVM leaves out (MemProfReader.cpp, isRuntimePath); or, if it has no
 * place, in a function that the runtime defines to record allocations (LLVM 13
 * to 22: memprof_malloc_linux.cpp, memprof_new_delete.cpp,
 * memprof_interceptors.cpp).
 */
bool memprof_is_runtime(const struct prof_frame *);

#endif
