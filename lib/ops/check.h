/*
 * ops/check.h - suspicious profiles: readable, but hardly what was meant
 *
 * Counts suspicious facts over all records of an input and reports them as
 * warnings: reasons for a person to look, not for refusing the input.
 */
#ifndef OPS_CHECK_H
#define OPS_CHECK_H

#include "base/hash.h"
#include "format/codec.h"
#include "model/heap.h"
#include "ops/figures.h"
#include "prof.h"

/*
 * Readers look at one record at a time; a stream that was put together by hand
 * may name stacks or segments that it does not have.
 */
struct check_refs {
	struct heap_refs heap;		/* strict */
	bool has_counted;		/* a record that is not a binary */
};

/* Suspicious allocation statistics (MIBs). */
enum check_mib_fault {
	CHECK_NO_ALLOCATIONS,	/* AllocCount is 0 */
	CHECK_MIN_MAX,		/* a minimum is above its maximum */
	CHECK_TOTAL,		/* TotalSize is not AllocCount times a size
				   from MinSize to MaxSize */
	CHECK_MIB_FAULTS
};

/* Sums over the records of an input.  All zero before the first record. */
struct check {
	/* Header of the first profile; its spans and format are cleared. */
	struct prof_header header;
	char format[16];		/* copy of source.format, or empty */
	uint64_t profiles, functions, counters, nonzero, pseudo;
	uint64_t raw_counters, raw_nonzero;	/* of correlated profiles */
	uint64_t contexts, heap_functions, data_accesses;
	uint64_t huge, saturated;	/* functions with such counters */
	uint64_t salvaged;		/* profiles */
	uint64_t mib_faults[CHECK_MIB_FAULTS];	/* contexts with each */
	struct intern binary_ids;
	struct name_hashes hashes;

	/* Of the profile being read. */
	struct check_refs refs;
	bool huge_reported;	/* by its reader, which warns itself */
	bool byte_coverage;
	enum prof_level level;
};

/*
 * Adds a record of any kind.  PROF_FAIL if out of memory, or with
 * PROF_E_CORRUPT if what the record refers to is not there or contradicts it,
 * or if it stands behind records that it has to precede.  Errors say no place:
 * the reader knows it (prof_locate).
 */
enum prof_status check_add(struct check *, const struct prof_record *,
    struct prof_error *);

/* After the last record: reports what is suspicious to warn. */
void check_end(const struct check *, prof_warn *, void *arg);

/* Frees and clears the sums; good for the next input. */
void check_reset(struct check *);

#endif
