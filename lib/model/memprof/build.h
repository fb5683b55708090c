/*
 * model/memprof/build.h - builder of heap profiles as the compiler reads them
 *
 * A run leaves stacks and allocations.  The builder makes of them a record for
 * each function: where in the function memory is allocated, and which of its
 * calls lead to an allocation (RawMemProfReader::mapRawProfileToRecords, LLVM
 * 15 to 22).  Frames, stacks and records stand in LLVM's order.  Records of
 * functions, as indexed files and YAML have them, are added as they are.
 *
 * Of folded profiles, the sums of several, only the contents count: stacks that
 * have the same frames become one, and all is sorted, so that the result is the
 * same whether the profile had stacks and allocations or records of functions.
 */
#ifndef MODEL_MEMPROF_BUILD_H
#define MODEL_MEMPROF_BUILD_H

#include "base/bytes.h"
#include "prof.h"

/* Indices into memprof_built.frames, leaf first. */
struct memprof_stack {
	const uint32_t *frames;
	uint32_t size;
};

/* An allocation site; `stack` is an index into memprof_built.stacks. */
struct memprof_alloc {
	uint32_t stack;
	const struct prof_mib *info;	/* a sum has no histogram */
};

/* A call site and the guids of the functions called there. */
struct memprof_call {
	uint32_t stack;
	const uint64_t *callees;
	size_t callees_size;
};

/* The record of one function. */
struct memprof_record {
	uint64_t guid;
	struct prof_span name;		/* data is NULL if unknown */
	const struct memprof_alloc *allocs;
	const struct memprof_call *calls;
	size_t allocs_size, calls_size;
};

/* Numbers of things that were left out or changed, for warnings. */
struct memprof_losses {
	uint64_t addresses;	/* distinct ones without a function */
	uint64_t stacks;	/* that had such addresses */
	uint64_t stacks_without_place;	/* with functions that have none */
	bool all_without_place;	/* these functions stayed, as the only ones */
	uint64_t sites;		/* allocations and calls without a frame */
	uint64_t saturated;	/* sums that stay at the largest number */
	uint64_t saturated_accesses;	/* the same of accesses to data */
};

/*
 * Each frame and each stack stands there once, stacks in the order of first
 * use.  Some frames may be in no stack.
 */
struct memprof_built {
	const struct memprof_frame *frames;
	const struct memprof_stack *stacks;
	const struct memprof_record *records;
	uint32_t frames_size, stacks_size, records_size;
	/* Fields of allocation sites that came in records: bits 1 << field. */
	uint32_t function_fields;
	/* Fields that some allocations or allocation sites have, and lack. */
	uint32_t known_fields, unknown_fields;
	uint64_t histograms;		/* that came */
	uint64_t callees;		/* guids of all call sites */
	struct memprof_losses losses;

	/* In the order in which they came, or sorted. */
	const struct prof_data_access *accesses;
	const struct prof_data *cold_symbols;
	size_t accesses_size, cold_size;
};

struct memprof_build;

/* NULL if out of memory. */
struct memprof_build *memprof_build_new(void);
void memprof_build_free(struct memprof_build *);	/* NULL is fine */

/* The profile is a folded one; to be called before any record is put. */
void memprof_build_fold(struct memprof_build *);

/* Adds a record; records of other kinds are ignored. */
enum prof_status memprof_build_put(struct memprof_build *,
    const struct prof_record *, struct prof_error *);

/*
 * Whether the result will have a stack with that id and, in it, a frame of the
 * function with that guid; to be called after the last record, before
 * memprof_build_finish.
 */
bool memprof_build_shows(const struct memprof_build *, uint64_t stack,
    uint64_t guid);

/*
 * Makes the result; to be called once, after the last record.  The result lives
 * as long as the builder.  Addresses without a function are left out and
 * counted; PROF_E_UNSUPPORTED if no record is left then.
 */
enum prof_status memprof_build_finish(struct memprof_build *,
    struct memprof_built *, struct prof_error *);

/*
 * The ids that LLVM gives to frames and call stacks.
 *
 * Sections of versions 0 to 2 refer to frames and stacks by these ids; versions
 * 3 and 4 only sort frames by them (MemProf.h and MemProf.cpp).
 */

/* A frame as all versions of the section store it. */
struct memprof_frame {
	uint64_t guid;			/* of the function */
	uint32_t line_offset, column;
	bool is_inline;
};

/* Size in bytes of a frame in a file, which is also the form that is hashed. */
enum { MEMPROF_FRAME_SIZE = 17 };
void memprof_frame_bytes(const struct memprof_frame *,
    uint8_t bytes[MEMPROF_FRAME_SIZE]);

/* BLAKE3, as LLVM 20 to 22; and the sum of LLVM 15 to 19, which collides. */
uint64_t memprof_frame_id(const struct memprof_frame *);
uint64_t memprof_frame_id_llvm15(const struct memprof_frame *);

/* memprof_frame_id of n frames in the form of a file, end to end. */
void memprof_frame_ids(const uint8_t *, size_t n, uint64_t *ids);

/*
 * The id of a stack, from a buffer of the ids of its frames as u64,
 * little-endian; 0 if the buffer has failed.
 */
uint64_t memprof_stack_id(const struct buf *frame_ids);

/* Figures of a heap profile, computed as LLVM does. */

/* The summary's fields, in the order of the section (MemProfSummary.h). */
enum memprof_summary_field {
	MEMPROF_CONTEXTS,
	MEMPROF_COLD_CONTEXTS,
	MEMPROF_HOT_CONTEXTS,
	MEMPROF_MAX_COLD_SIZE,
	MEMPROF_MAX_WARM_SIZE,
	MEMPROF_MAX_HOT_SIZE,
	MEMPROF_SUMMARY_FIELDS
};

/*
 * Computes all fields.  Each stack counts once, with its first info
 * (MemProfSummaryBuilder.cpp, LLVM 21 and 22).  False if out of memory.
 */
bool memprof_summarize(const struct memprof_built *,
    uint64_t out[MEMPROF_SUMMARY_FIELDS]);

#endif
