/*
 * ops/diff/table.h - the functions of both sides of a comparison
 *
 * A function is known by its guid, its hash, and whether its instrumentation is
 * context-sensitive; one table has those of both sides, so that what matches
 * has been found once all is read.  Profiles of a side are added up.  If
 * records of a function are of different classes, all those of one class are
 * added up, whatever their order is: those that a merge keeps
 * (diff_record_compare_class).
 */
#ifndef OPS_DIFF_TABLE_H
#define OPS_DIFF_TABLE_H

#include "base/hash_index.h"
#include "ops/diff/record.h"

enum { OVERLAP_A, OVERLAP_B, OVERLAP_SIDES };

struct diff_function {
	struct prof_symbol symbol;	/* as B has it if B has the function,
					   with its guid */
	uint64_t hash;
	bool context_sensitive;
	bool misfits[OVERLAP_SIDES];	/* some of its records do not fit */
	struct diff_record *records[OVERLAP_SIDES];	/* or NULL */
};

/*
 * Whether a function of that hash is context-sensitive; ir: the profile is of
 * the IR level (InstrProf.h, NamedInstrProfRecord::CS_FLAG_IN_FUNC_HASH).
 */
static inline bool
diff_context_sensitive(bool ir, uint64_t hash)
{
	return ir && (hash >> 60 & 1) != 0;
}

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
	struct diff_table_side sides[OVERLAP_SIDES];
	struct arena arena;
};

/*
 * Adds a record of any kind to a side; others than functions and headers are
 * ignored.  PROF_FAIL only if out of memory or, with PROF_E_LIMIT, if a
 * function has more counters than 32 bits can number.
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
