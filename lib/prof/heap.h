/*
 * prof/heap.h - heap profiles (MemProf)
 *
 * Facts: MemProfData.inc, MIBEntryDef.inc, MemProf.h and DataAccessProf.h of
 * LLVM 14 to 22.
 */
#ifndef PROF_HEAP_H
#define PROF_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/function.h"

/* No segment: the address is an absolute one of the run. */
#define PROF_NO_SEGMENT	UINT64_MAX

/*
 * A mapping of executable code.  Addresses in a module are those of the
 * binary's program headers (raw 3 and later: offset is the load bias), or, if
 * file_addresses, bytes of its file (raw 1 and 2: offset is the one that the
 * mapping begins at).  Absolute addresses belong to [start, end).
 */
struct prof_segment {
	uint64_t id;			/* unique in its profile */
	bool has_range;			/* start, end and offset */
	bool file_addresses;
	uint64_t start, end, offset;
	struct prof_span build_id;	/* bytes; empty if unknown */
};

/* Which members of a frame are known, apart from those that are not NULL. */
enum {
	PROF_FRAME_LINE		 = 1 << 0,
	PROF_FRAME_START_LINE	 = 1 << 1,
	PROF_FRAME_LINE_OFFSET	 = 1 << 2,
	PROF_FRAME_COLUMN	 = 1 << 3,
	PROF_FRAME_DISCRIMINATOR = 1 << 4,
	PROF_FRAME_INLINE	 = 1 << 5,	/* inlined: more frames of its
						   pc follow */
	PROF_FRAME_FLAGS	 = 6
};

/*
 * One frame of the source.  A frame without function stands for an address that
 * could not be symbolized.  The guid is the one that LLVM looks for: of the
 * name without suffixes (MemProf.cpp, getGUID), so it may differ from
 * prof_guid(name); 0 is unknown.
 */
struct prof_frame {
	struct prof_symbol function;	/* linkage name */
	struct prof_span file;		/* data is NULL if unknown */
	uint32_t line, start_line;	/* of the file, from 1; 0: none */
	uint32_t line_offset;		/* line - start_line, modulo 2^32 */
	uint32_t column, discriminator;
	unsigned flags;
};

/*
 * A call stack, leaf first, as program counters, frames or both.  pcs[i] is an
 * address in segments[i]; if segments is NULL, all pcs are absolute addresses.
 * The frames of one pc end with the first frame that is not inlined.  A stack
 * with frames may lack pcs (pcs_size is 0).
 *
 * Readers may number frames, so that consumers look up each distinct frame once
 * (model/heap.h): frames of one profile with the same number are equal,
 * but equal frames may have several numbers.  Code that changes the frames of a
 * stack clears frame_numbers.
 */
struct prof_stack {
	uint64_t id;			/* unique in its profile */
	const uint64_t *pcs, *segments;
	size_t pcs_size;
	const struct prof_frame *frames;
	const uint32_t *frame_numbers;	/* of each frame, or NULL */
	size_t frames_size;
};

/* One above the last field; names, widths and rules are in model/mib.h. */
enum { PROF_MIB_FIELDS = PROF_MIB_ACCESS_HISTOGRAM + 1 };

/*
 * fields has bit 1 << N for each field N that is known; the value of any other
 * is 0.  The histogram has value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] entries, one
 * for 8 bytes of the object, or is NULL: indexed files know only its size.
 */
struct prof_mib {
	uint32_t fields;
	uint64_t value[PROF_MIB_FIELDS];
	const uint64_t *histogram;
};

struct prof_allocation {
	uint64_t stack;			/* id of a stack of the profile */
	struct prof_mib info;
};

struct prof_call_site {
	uint64_t stack;
	const uint64_t *callee_guids;
	size_t callees_size;
};

/* The heap profile of one function, as compilers look it up by guid. */
struct prof_memprof_function {
	struct prof_symbol symbol;	/* name as in YAML, else guid only */
	const struct prof_allocation *alloc_sites;
	size_t allocs_size;
	const struct prof_call_site *call_sites;
	size_t calls_size;
};

/* A data symbol, or a string literal known by the hash of its content. */
struct prof_data {
	struct prof_span symbol;	/* data is NULL: hash */
	uint64_t hash;
};

struct prof_location {
	struct prof_span file;
	uint32_t line;
};

struct prof_data_access {
	struct prof_data data;
	uint64_t count;
	const struct prof_location *locations;
	size_t size;
};

#endif
