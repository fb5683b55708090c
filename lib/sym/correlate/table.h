/*
 * sym/correlate/table.h - which counters of a binary belong to which function
 *
 * A correlated profile has only counters: its program was compiled to put the
 * data records into a section that is not loaded, or into debug information
 * (InstrProfCorrelator.cpp, LLVM 14 to 22).
 */
#ifndef SYM_CORRELATE_TABLE_H
#define SYM_CORRELATE_TABLE_H

#include "model/name_section.h"
#include "prof.h"
#include "sym/sym.h"

struct correlate_visitor;

struct correlate_function {
	struct prof_symbol symbol;
	uint64_t hash;
	uint64_t counters, bitmap;	/* byte offsets in their sections */
	uint64_t num_counters;		/* as the record has it, never 0 */
	uint64_t num_bitmap;		/* bytes */
};

/* All zero is an empty table. */
struct correlate_table {
	struct correlate_function *functions;
	size_t size, room;
	struct names names;
	bool any_hash_flags;		/* bits 60 to 63 in some hash */
	bool any_rust;			/* some function is Rust's */
	bool no_bitmaps;		/* debug info has no bitmaps */
	uint64_t added, name_bytes;	/* functions, their names; for limits */
	uint64_t nameless;		/* known by their guid only */
	uint64_t outside;		/* left out: counters not in section */
	uint64_t incomplete;		/* left out: an annotation is missing */
	uint64_t split_missing;		/* units whose .dwo is missing */
	prof_warn *each;		/* warns of each of these, or NULL */
	void *each_arg;
	/* If not NULL, gets the functions of debug info instead. */
	const struct correlate_visitor *visitor;
};

/* A section in memory, as linked; size 0 if there is none. */
struct correlate_range {
	uint64_t address, size;
};

/* The sections of one binary, and what the profile says about them. */
struct correlate_layout {
	struct correlate_range counters, bitmap;
	uint64_t version;		/* of the raw profile */
	unsigned pointer_bytes;
	unsigned counter_bytes;		/* 1: coverage */
	bool big;
};

/*
 * Makes a table of the sections __llvm_covdata and __llvm_covnames (LLVM 18 and
 * later), which must outlive the table.
 */
enum prof_status correlate_records(struct correlate_table *,
    const struct correlate_layout *, struct prof_span records,
    struct prof_span names, struct prof_error *);

/* Makes a table of debug information, which must outlive the table. */
enum prof_status correlate_dwarf(struct correlate_table *,
    const struct correlate_layout *, Dwarf *, struct work *,
    struct prof_error *);

/*
 * Adds a function, whose members `counters` and `bitmap` are addresses here,
 * not offsets.  A function
 * whose counters are not in the section is left out and counted as outside.
 */
enum prof_status correlate_add(struct correlate_table *,
    const struct correlate_layout *, const struct correlate_function *,
    struct prof_error *);

/*
 * To be called after the last function: of those with the same counters, the
 * first stays, as in LLVM (Builder::CounterOffsets).  PROF_E_LIMIT if functions
 * overlap too much.
 */
enum prof_status correlate_table_finish(struct correlate_table *,
    const struct correlate_layout *, struct prof_error *);

void correlate_table_free(struct correlate_table *);

#endif
