/* prof/record.h - the header of a profile, and records of all kinds */
#ifndef PROF_RECORD_H
#define PROF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/heap.h"

enum { PROF_FLAGS = 9 };	/* number of enum prof_attribute */

/* Where a profile was decoded from, as far as known. */
struct prof_source {
	struct prof_span file, member;
	const char *format;		/* NULL if unknown */
	uint64_t version;		/* 0 if unknown */
	uint8_t endian;			/* 'l', 'b', or 0 if unknown */
	uint8_t pointer_bits;		/* 32, 64, or 0 if unknown */
	uint64_t offset;		/* of the profile in its file */
	/*
	 * indexed: the version of the heap profile's section plus 1, or 0 for
	 * a file without that section; and its schema (bit 1 << N for field N).
	 */
	unsigned memprof_version;
	uint32_t memprof_fields;
};

struct prof_header {
	enum prof_kind kind;
	enum prof_level level;
	unsigned flags;
	/*
	 * The range of indexed versions whose hash rule the front-end hashes
	 * may follow (prof-stream(5)); 0 and 0 if it is unknown.
	 */
	unsigned frontend_first, frontend_last;
	uint64_t wave_size;		/* raw v11, 0 if none */
	bool has_trace_stream_size;
	uint64_t trace_stream_size;	/* traces that were sampled from */
	uint64_t inputs;		/* profiles in this one; 0 means 1 */
	/*
	 * Of the heap data only the contents count, not the order: writers make
	 * one of stacks that are equal in their format, and sort all.
	 */
	bool folded;
	struct prof_source source;
	/* Unknown keys, sorted, as jq prints them: `"k":v,"k2":v2`. */
	struct prof_span extra;
};

enum prof_record_kind {
	PROF_REC_PROFILE,
	PROF_REC_BINARY,
	PROF_REC_VTABLE,
	PROF_REC_FUNCTION,
	PROF_REC_BLOCK,		/* only after prof_context_blocks */
	PROF_REC_RAW_COUNTERS,
	PROF_REC_TRACE,
	PROF_REC_NAME,		/* of a guid in other profiles (streams) */
	PROF_REC_SEGMENT,
	PROF_REC_STACK,
	PROF_REC_ALLOCATION,
	PROF_REC_MEMPROF_FUNCTION,
	PROF_REC_DATA_ACCESS,
	PROF_REC_COLD_SYMBOL,
	PROF_REC_OTHER,		/* a stream record this library does not know */
	PROF_REC_END,		/* of a profile, not of the input */
};

struct prof_record {
	enum prof_record_kind kind;
	union {
		struct prof_header profile;
		struct prof_span build_id;	/* BINARY */
		struct prof_vtable vtable;
		struct prof_function function;
		struct prof_block block;
		struct prof_raw_counters raw_counters;
		struct prof_trace trace;
		struct prof_span name;		/* NAME */
		struct prof_segment segment;
		struct prof_stack stack;
		struct prof_allocation allocation;
		struct prof_memprof_function memprof_function;
		struct prof_data_access data_access;
		struct prof_data cold_symbol;
		struct prof_span other;		/* the line, without newline */
	} u;
};

#endif
