/* prof/function.h - functions, vtables, traces: profiles of counters */
#ifndef PROF_FUNCTION_H
#define PROF_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/base.h"

struct prof_reader;

/*
 * A function or vtable.  The guid is the first 8 bytes of MD5(name) read as a
 * little-endian number (InstrProf.h, ComputeHash).  Name or guid may be
 * missing: name.data == NULL is a symbol known only by its guid; guid == 0 with
 * a name is a guid that nobody has computed yet (prof_symbol_guid does); a
 * symbol with neither is LLVM's "external symbol".
 */
struct prof_symbol {
	struct prof_span name;
	uint64_t guid;
};

/* Value kinds, InstrProfData.inc VALUE_PROF_KIND (0: 3.8, 1: 5, 2: 19). */
enum prof_value_kind {
	PROF_INDIRECT_CALL_TARGET,	/* value is the guid of the callee */
	PROF_MEM_OP_SIZE,		/* value is a size in bytes */
	PROF_VTABLE_TARGET,		/* value is the guid of the vtable */
	PROF_VALUE_KINDS
};

struct prof_value {
	uint64_t value;
	uint64_t count;
	struct prof_span name;	/* name of the target where it is known */
};

struct prof_site {
	const struct prof_value *values; /* in the order of the profile */
	size_t size;
};

struct prof_sites {
	const struct prof_site *sites;
	size_t size;
};

/*
 * LLVM's pseudo counts.  One of them in the first counter of a function marks
 * the whole function as hot or warm (InstrProf.h, getPseudoCount, LLVM 16).
 * The largest ordinary counter is PROF_COUNT_MAX (getInstrMaxCountValue); sums
 * saturate there.
 */
#define PROF_COUNT_HOT	UINT64_MAX
#define PROF_COUNT_WARM	(UINT64_MAX - 1)
#define PROF_COUNT_MAX	(UINT64_MAX - 2)

/*
 * No run reaches more (InstrProfReader.cpp, MaxCounterValue, LLVM 19): such a
 * counter of a raw profile has wrapped, or was overwritten.
 */
#define PROF_COUNT_PLAUSIBLE	((uint64_t)1 << 56)

struct prof_function {
	struct prof_symbol symbol;
	uint64_t hash;			/* of the control flow; 0 is legal */
	const uint64_t *counts;
	size_t counts_size;
	struct prof_span bitmap;	/* MC/DC, bytes */
	const uint64_t *uniform_counts;	/* raw v11 */
	size_t uniform_size;
	struct prof_sites values[PROF_VALUE_KINDS];
	/* Unknown keys, sorted, as jq prints them: `"k":v,"k2":v2`. */
	struct prof_span extra;
};

/* A function of a block that has value sites. */
struct prof_block_values {
	size_t function;		/* of the block, from 0 */
	bool any;			/* at least one site has values */
	struct prof_sites values[PROF_VALUE_KINDS];
};

/*
 * A block: consecutive functions of a profile as one record.  Two blocks with
 * equal layout and index hold the same functions in the same order, with the
 * same numbers of counters and value sites; only counts and values differ.
 * Profiles of one program consist of the same blocks.  No function of a block
 * has a bitmap, uniform counts or extra keys.
 */
struct prof_block {
	size_t layout;			/* number of the program's layout,
					   unique in the process; 0: no other
					   block is known to be equal */
	size_t index;			/* of the block in the layout, from 0 */
	size_t size;			/* functions in this block */
	size_t of;			/* functions in all blocks */
	const uint64_t *counts;		/* of all functions, in their order */
	size_t counts_size;
	uint64_t any_bits;		/* bitwise or of all counts */
	const struct prof_block_values *values;	/* by function; names of
					   targets: prof_block_name */
	size_t values_size;
	uint64_t hash_mask;		/* and-mask for hashes of functions */
	uint64_t repeated_names;	/* bytes of names of functions that are
					   the name of the one before again */
	bool lends_targets;		/* names of targets end with the block,
					   even if it is retained */
	struct prof_reader *reader;
};

/* Counters whose functions only the binary knows (profile correlation). */
struct prof_raw_counters {
	const uint64_t *counts;
	size_t counts_size;
	struct prof_span bitmap;
};

struct prof_vtable {
	struct prof_symbol symbol;
	bool has_range;			/* raw profiles: start and size */
	uint64_t start;			/* address in the run that wrote it */
	uint64_t size;			/* bytes */
};

struct prof_trace {
	uint64_t weight;
	const struct prof_symbol *functions;	/* in order of first call */
	size_t size;
};

/* guid of a name; size 0 gives the MD5 of nothing. */
uint64_t prof_guid(struct prof_span name);

/* guid of a symbol, computed from the name if the guid is 0. */
uint64_t prof_symbol_guid(const struct prof_symbol *);

/* Whether the first counter is a pseudo count, PROF_COUNT_HOT or _WARM. */
bool prof_is_pseudo(const struct prof_function *);

#endif
