/*
 * format/memprof/build.h - heap profiles as the compiler looks them up
 *
 * What a run left, stacks and allocations, becomes a record for each function:
 * where in it memory is allocated, and which of its calls lead there
 * (RawMemProfReader::mapRawProfileToRecords, LLVM 15 to 22).  The order of all
 * is LLVM's.  Records that are of that kind already are taken as they are.
 */
#ifndef FORMAT_MEMPROF_BUILD_H
#define FORMAT_MEMPROF_BUILD_H

#include "format/codec.h"
#include "format/memprof/ids.h"

/* Frames leaf first, as indices; empty in odd profiles only. */
struct memprof_stack {
	const uint32_t *frames;
	uint32_t size;
};

/* Stacks are indices. */
struct memprof_alloc {
	uint32_t stack;
	const struct prof_mib *info;	/* its histogram is NULL */
};

struct memprof_call {
	uint32_t stack;
	const uint64_t *callees;	/* guids */
	size_t callees_size;
};

struct memprof_record {
	uint64_t guid;
	struct prof_span name;		/* data is NULL if unknown */
	const struct memprof_alloc *allocs;
	const struct memprof_call *calls;
	size_t allocs_size, calls_size;
};

/*
 * Frames and stacks stand there once each, stacks in the order of their first
 * use.  Frames that no stack has may be among them.
 */
struct memprof_built {
	const struct memprof_frame *frames;
	const struct memprof_stack *stacks;
	const struct memprof_record *records;
	uint32_t frames_size, stacks_size, records_size;
	/* Bits 1 << field that an info of such a record has; 0: none came. */
	uint32_t function_fields;
	uint64_t histograms;		/* that were left out */
	uint64_t callees;		/* guids of all calls */

	/* In the order in which they came. */
	const struct prof_data_access *accesses;
	const struct prof_data *cold_symbols;
	size_t accesses_size, cold_size;
};

struct memprof_build;

struct memprof_build *memprof_build_new(void);
void memprof_build_free(struct memprof_build *);	/* NULL is fine */

/*
 * Is told of each stack, and of the frames of each of its addresses, with names
 * and files as they came.  id is memprof_stack_id of what the indexed file has
 * of the frames.
 */
typedef enum prof_status memprof_tell(void *arg, uint64_t id,
    const struct prof_frame *, size_t count, struct prof_error *);

/* To be called before any record is put. */
void memprof_build_warn(struct memprof_build *, memprof_tell *, void *arg);

/* True for the kinds of records that memprof_build_put takes. */
bool memprof_build_takes(enum prof_record_kind);
enum prof_status memprof_build_put(struct memprof_build *,
    const struct prof_record *, struct prof_error *);

/*
 * To be called once, behind the last record.  The result lives as long as the
 * build.  Addresses without a function are left out with a warning; it is an
 * error if that leaves nothing.
 */
enum prof_status memprof_build_finish(struct memprof_build *,
    struct prof_context *, struct memprof_built *, struct prof_error *);

#endif
