/*
 * check.h - profiles that can be read, but can hardly be what was meant
 *
 * Sees all records of an input and tells of what is odd about them: reasons for
 * a person to look, not for refusing the input.
 */
#ifndef OPS_CHECK_H
#define OPS_CHECK_H

#include "base/intern.h"
#include "prof.h"

/* What is odd about memory info blocks (check_heap.c). */
enum check_mib {
	CHECK_NO_ALLOCATIONS,		/* AllocCount is 0 */
	CHECK_MIN_MAX,			/* a minimum is above its maximum */
	CHECK_TOTAL,			/* TotalSize is not possible */
	CHECK_MIB_FAULTS
};

/* What an input came to.  All zero before the first record. */
struct check {
	/* The head of the first profile, without what it would borrow. */
	struct prof_header header;
	char format[16];		/* header.source.format, or empty */
	uint64_t profiles, functions, counters, nonzero, pseudo;
	uint64_t raw_counters, raw_nonzero;	/* of correlated profiles */
	uint64_t contexts, heap_functions, data_accesses;
	uint64_t huge, saturated;	/* functions with such counters */
	uint64_t salvaged;		/* profiles */
	uint64_t blocks[CHECK_MIB_FAULTS];
	struct intern binary_ids;

	/* Of the profile being read. */
	bool told_huge, byte_coverage;
};

enum prof_status check_add(struct check *, const struct prof_record *,
    struct prof_error *);

/* Behind the last record: what is odd goes to the taker. */
void check_end(const struct check *, prof_warn *, void *arg);

/* Forgets all; good for the next input. */
void check_reset(struct check *);

/* Counts what is odd about a block. */
void check_mib(struct check *, const struct prof_mib *);

#endif
