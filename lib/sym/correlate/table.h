/*
 * correlate_table.h - which counters of a binary belong to which function
 *
 * A correlated profile is only counters; its program was compiled to leave the
 * data records to a section that is not loaded, or to its debug info
 * (InstrProfCorrelator.cpp, LLVM 14 to 22).
 */
#ifndef SYM_CORRELATE_TABLE_H
#define SYM_CORRELATE_TABLE_H

#include "model/name_section.h"
#include "prof.h"

struct Dwarf;		/* the Dwarf of libdw */

struct correlate_function {
	struct prof_symbol symbol;
	uint64_t hash;
	uint64_t counters, bitmap;	/* bytes from those of the section */
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
	bool no_bitmaps;		/* nothing says whose they would be */
	uint64_t added, name_bytes;	/* of all functions ever added */
	uint64_t nameless;		/* known by their guid only */
	uint64_t astray;		/* left out: no counters there */
	uint64_t incomplete;		/* left out: something is missing */
	prof_warn *each;		/* is told of each of those, or NULL */
	void *each_arg;
};

/* Where a section of the running program is; size 0 if there is none. */
struct correlate_range {
	uint64_t address, size;
};

/* What the tables are made for; all of one binary. */
struct correlate_layout {
	struct correlate_range counters, bitmap;
	uint64_t version;		/* of the raw profile */
	unsigned pointer_bytes;
	unsigned counter_bytes;		/* 1: coverage */
	bool big;
};

/*
 * From the sections __llvm_covdata and __llvm_covnames (LLVM 18 and later),
 * which must outlive the table.
 */
enum prof_status correlate_records(struct correlate_table *,
    const struct correlate_layout *, struct prof_span records,
    struct prof_span names, struct prof_error *);

/* From debug info, which must outlive the table. */
enum prof_status correlate_dwarf(struct correlate_table *,
    const struct correlate_layout *, struct Dwarf *, struct prof_error *);

/*
 * Adds a function by the addresses of its counters and bitmap; those that have
 * none are left out and counted.
 */
enum prof_status correlate_add(struct correlate_table *,
    const struct correlate_layout *, const struct correlate_function *,
    uint64_t counters, uint64_t bitmap, struct prof_error *);

/* Keeps the first function of each place, as LLVM does; checks the whole. */
enum prof_status correlate_table_finish(struct correlate_table *,
    const struct correlate_layout *, struct prof_error *);

void correlate_table_free(struct correlate_table *);

#endif
