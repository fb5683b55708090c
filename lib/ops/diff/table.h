/*
 * ops/diff/table.h - the functions of both sides of a comparison
 *
 * A function is known by its guid, its hash, and whether its instrumentation is
 * context-sensitive; one table has those of both sides, so that what matches
 * has been found once all is read.  Profiles of a side are added up.  If
 * records of a function are of different classes, all those of one class are
 * added up, whatever their order is: those that a merge keeps.
 */
#ifndef OPS_DIFF_TABLE_H
#define OPS_DIFF_TABLE_H

#include "base/arena.h"
#include "base/hash.h"
#include "model/record.h"
#include "prof.h"

struct diff_value {
	uint64_t target, count;
};

struct diff_site {
	struct diff_value *values;	/* sorted by target, each once */
	size_t size, room;
};

/* The counters and values that one side has of a function. */
struct diff_record {
	struct function_class class;
	bool used;			/* not empty (function_is_empty) */
	bool hash_only;			/* not compared by shape, but hash */
	uint64_t *counts;		/* 0 each if they are pseudo counts */
	size_t counts_size;
	struct diff_site *sites[PROF_VALUE_KINDS];
};

/* The number of sites of a kind. */
static inline size_t
diff_sites_size(const struct diff_record *r, int kind)
{
	return (size_t)r->class.n[CLASS_KIND_SITES + kind];
}

/* Sums of the counters, and of the values of a kind; they saturate. */
uint64_t diff_count_sum(const struct diff_record *);
uint64_t diff_value_sum(const struct diff_record *, int kind);

/* Whether both have equal numbers of counters and sites, or `hash_only`. */
bool diff_records_fit(const struct diff_record *, const struct diff_record *);

enum { OVERLAP_OLD, OVERLAP_NEW, OVERLAP_SIDES };

struct diff_function {
	struct prof_symbol symbol;	/* as NEW has it if it has the function,
					   with its guid */
	uint64_t hash;
	bool context_sensitive;
	bool misfits[OVERLAP_SIDES];	/* some of its records do not fit */
	struct diff_record *records[OVERLAP_SIDES];	/* or NULL */
};

/* The functions of one side. */
struct diff_table_side {
	uint32_t *order;		/* of arrival: indices of functions */
	size_t size, room;
	bool ir;			/* level of the profile being read */
	uint64_t misfits;		/* functions that have some */
};

/* All zero is empty. */
struct diff_table {
	struct diff_function *functions;
	size_t size, room;
	size_t next;			/* where the next one is looked for */
	struct hash_index index;	/* of functions */
	/*
	 * As llvm-profdata overlap does: of records that cannot be added, the
	 * first stays unless one has more counters, and sums are rounded after
	 * each addition.
	 */
	bool as_llvm;
	bool binary;			/* NEW is one: it has hashes only */
	struct diff_table_side sides[OVERLAP_SIDES];
	struct arena arena;
};

/*
 * Adds a record of any kind to a side; others than functions and headers are
 * ignored.  PROF_FAIL only if out of memory.
 */
enum prof_status diff_table_add(struct diff_table *, int side,
    const struct prof_record *, struct prof_error *);

/* Function i of a side, in the order of arrival. */
static inline const struct diff_function *
diff_table_function(const struct diff_table *t, int side, size_t i)
{
	return &t->functions[t->sides[side].order[i]];
}

void diff_table_free(struct diff_table *);

#endif
