/*
 * model/mib.h - the fields of a memory info block, one row each, and their sums
 *
 * Facts: llvm/include/llvm/ProfileData/MIBEntryDef.inc and MemProfData.inc
 * (MemInfoBlock::Merge), LLVM 14 to 22.
 */
#ifndef MODEL_MIB_H
#define MODEL_MIB_H

#include "base/arena.h"
#include "base/bytes.h"
#include "prof.h"

/*
 * How the values of a field in two blocks become one value: by LLVM's rules
 * (mib_merge), and in sums (mib_sum).
 */
enum mib_rule {
	MIB_ADD,		/* saturating at the field's width */
	MIB_MIN,
	MIB_MAX,
	MIB_COUNT,		/* in sums added; a rule of LLVM's own */
	MIB_FIRST,		/* in sums the minimum; the later block's */
	MIB_LAST,		/* in sums the maximum; the later block's */
	MIB_EQUAL,		/* in sums unknown unless equal */
	MIB_OWN			/* a rule of that field alone */
};

/*
 * ROW(field, LLVM's name, the stream's key, bytes in raw and indexed files,
 * rule): the order is that of enum prof_mib_field and of files.
 */
#define MIB_FIELDS(ROW) \
	ROW(ALLOC_COUNT, "AllocCount", "alloc_count", 4, MIB_ADD) \
	ROW(TOTAL_ACCESS_COUNT, "TotalAccessCount", "total_access_count", \
	    8, MIB_ADD) \
	ROW(MIN_ACCESS_COUNT, "MinAccessCount", "min_access_count", \
	    8, MIB_MIN) \
	ROW(MAX_ACCESS_COUNT, "MaxAccessCount", "max_access_count", \
	    8, MIB_MAX) \
	ROW(TOTAL_SIZE, "TotalSize", "total_size", 8, MIB_ADD) \
	ROW(MIN_SIZE, "MinSize", "min_size", 4, MIB_MIN) \
	ROW(MAX_SIZE, "MaxSize", "max_size", 4, MIB_MAX) \
	ROW(ALLOC_TIMESTAMP, "AllocTimestamp", "alloc_timestamp", \
	    4, MIB_FIRST) \
	ROW(DEALLOC_TIMESTAMP, "DeallocTimestamp", "dealloc_timestamp", \
	    4, MIB_LAST) \
	ROW(TOTAL_LIFETIME, "TotalLifetime", "total_lifetime", 8, MIB_ADD) \
	ROW(MIN_LIFETIME, "MinLifetime", "min_lifetime", 4, MIB_MIN) \
	ROW(MAX_LIFETIME, "MaxLifetime", "max_lifetime", 4, MIB_MAX) \
	ROW(ALLOC_CPU_ID, "AllocCpuId", "alloc_cpu_id", 4, MIB_EQUAL) \
	ROW(DEALLOC_CPU_ID, "DeallocCpuId", "dealloc_cpu_id", 4, MIB_EQUAL) \
	ROW(NUM_MIGRATED_CPU, "NumMigratedCpu", "num_migrated_cpu", \
	    4, MIB_COUNT) \
	ROW(NUM_LIFETIME_OVERLAPS, "NumLifetimeOverlaps", \
	    "num_lifetime_overlaps", 4, MIB_COUNT) \
	ROW(NUM_SAME_ALLOC_CPU, "NumSameAllocCpu", "num_same_alloc_cpu", \
	    4, MIB_COUNT) \
	ROW(NUM_SAME_DEALLOC_CPU, "NumSameDeallocCpu", \
	    "num_same_dealloc_cpu", 4, MIB_COUNT) \
	ROW(DATA_TYPE_ID, "DataTypeId", "data_type_id", 8, MIB_EQUAL) \
	ROW(TOTAL_ACCESS_DENSITY, "TotalAccessDensity", \
	    "total_access_density", 8, MIB_ADD) \
	ROW(MIN_ACCESS_DENSITY, "MinAccessDensity", "min_access_density", \
	    4, MIB_MIN) \
	ROW(MAX_ACCESS_DENSITY, "MaxAccessDensity", "max_access_density", \
	    4, MIB_MAX) \
	ROW(TOTAL_LIFETIME_ACCESS_DENSITY, "TotalLifetimeAccessDensity", \
	    "total_lifetime_access_density", 8, MIB_ADD) \
	ROW(MIN_LIFETIME_ACCESS_DENSITY, "MinLifetimeAccessDensity", \
	    "min_lifetime_access_density", 4, MIB_MIN) \
	ROW(MAX_LIFETIME_ACCESS_DENSITY, "MaxLifetimeAccessDensity", \
	    "max_lifetime_access_density", 4, MIB_MAX) \
	ROW(ACCESS_HISTOGRAM_SIZE, "AccessHistogramSize", \
	    "access_histogram_size", 4, MIB_MAX) \
	ROW(ACCESS_HISTOGRAM, "AccessHistogram", "access_histogram", \
	    8, MIB_OWN)

struct mib_field {
	const char *name;	/* LLVM's, "AllocCount" */
	const char *key;	/* the stream's, "alloc_count" */
	enum mib_rule rule;
};

/* By enum prof_mib_field; row 0 is empty. */
extern const struct mib_field mib_fields[PROF_MIB_FIELDS];

/* Sets of fields have bit 1 << field. */
#define MIB_BIT(field) (UINT32_C(1) << PROF_MIB_ ## field)

/* All fields up to this one. */
#define MIB_UP_TO(field) ((MIB_BIT(field) << 1) - 2)

/* The fields of 4 bytes in raw and indexed files; the others have 8. */
#define MIB_SHORT_BIT(field, name, key, bytes, rule) \
	| ((bytes) == 4 ? MIB_BIT(field) : 0)
#define MIB_SHORT (UINT32_C(0) MIB_FIELDS(MIB_SHORT_BIT))

/* Bytes of a constant set of fields that follow each other without gaps. */
#define MIB_SIZE(fields) (8 * __builtin_popcount(fields) - \
    4 * __builtin_popcount((fields) & MIB_SHORT))

/* Fields of a histogram: a block without them is one of an empty histogram. */
#define MIB_HISTOGRAM \
	(MIB_BIT(ACCESS_HISTOGRAM_SIZE) | MIB_BIT(ACCESS_HISTOGRAM))

/*
 * The maxima that the runtimes of LLVM 14 and 15 got wrong: these runtimes keep
 * the smaller of two values, so that the field holds a minimum.
 */
#define MIB_FALSE_MAXIMA (MIB_BIT(MAX_ACCESS_COUNT) | MIB_BIT(MAX_SIZE))

/* Bytes of a field; a constant where the field is one, in unrolled loops. */
static inline unsigned
mib_bytes(unsigned field)
{
	return (MIB_SHORT >> field & 1) != 0 ? 4 : 8;
}

/* The largest value of a field. */
static inline uint64_t
mib_max(unsigned field)
{
	return mib_bytes(field) == 4 ? UINT32_MAX : UINT64_MAX;
}

static inline bool
mib_has(const struct prof_mib *m, unsigned field)
{
	return (m->fields >> field & 1) != 0;
}

/*
 * Whether the block is of no allocation, which LLVM never makes: its minima and
 * maxima must not count.
 */
static inline bool
mib_is_empty(const struct prof_mib *m)
{
	return mib_has(m, PROF_MIB_ALLOC_COUNT) &&
	    m->value[PROF_MIB_ALLOC_COUNT] == 0;
}

static inline void
mib_set(struct prof_mib *m, unsigned field, uint64_t value)
{
	m->fields |= UINT32_C(1) << field;
	m->value[field] = value;
}

/*
 * The value to write to a file whose version has the field even if the block
 * does not: one of MIB_FALSE_MAXIMA is the minimum then, as it was read, and
 * others are 0.
 */
uint64_t mib_stored_value(const struct prof_mib *, unsigned field);

/* Appends the fields as the member "info" of prof-stream(5). */
void mib_put_info(struct buf *, const struct prof_mib *);

/* Merging memory info blocks of one context. */

/*
 * Adds block b, the later one, to a (MemInfoBlock::Merge in MemProfData.inc,
 * LLVM 16 to 22), but saturating: false if a sum did not fit its field.  Fields
 * that one of the blocks lacks are unknown in the result.  The histogram of a
 * stays as it is; merging histograms is up to the caller.
 */
bool mib_merge(struct prof_mib *a, const struct prof_mib *b);

/* A sum of access histograms, as long as the longest.  All zero is empty. */
struct mib_histogram {
	uint64_t *counts;		/* in an arena of the caller's */
	size_t size, room;
};

/*
 * Adds the entries of a histogram, saturating; *fits becomes false if one did
 * not fit.  False if out of memory.
 */
bool mib_histogram_add(struct mib_histogram *, const uint64_t *counts,
    size_t size, struct arena *, bool *fits);

/*
 * The allocation statistics of one context, summed.
 *
 * MemInfoBlock::Merge (MemProfData.inc, LLVM 14 to 22) made independent of
 * order, so that any tree of partial sums comes to the same:
 *
 * - counts and totals are added, up to the largest value of their fields; so
 *   are NumMigratedCpu, NumLifetimeOverlaps, NumSameAllocCpu and
 *   NumSameDeallocCpu, for which LLVM compares neighbours;
 * - of minima, maxima and time stamps the extremes stay (first allocation, last
 *   deallocation); those of statistics without allocations, AllocCount 0, are
 *   ignored if the others have allocations;
 * - CPUs and the type stay if they are equal, else the field becomes unknown;
 * - histograms are added, the shorter one as if it ended in zeros; if only the
 *   size of one is known, only the size of the sum is;
 * - a field that is unknown in one is unknown in the sum.
 */

/* All zero is empty. */
struct mib_sum {
	struct prof_mib sum;		/* unknown fields: any value */
	struct mib_histogram histogram;	/* sum.histogram, if it is known */
	bool any;			/* something was added */
	uint32_t saturated;		/* fields whose sum was too large */
};

/* Fields that are added, but for the histogram. */
#define MIB_SUMMED_BIT(field, name, key, bytes, rule) \
	| ((rule) == MIB_ADD || (rule) == MIB_COUNT ? MIB_BIT(field) : 0)
#define MIB_SUMMED (UINT32_C(0) MIB_FIELDS(MIB_SUMMED_BIT))

/* In the mask of saturated fields, this field stands for the histogram. */
#define MIB_SATURATED_HISTOGRAM	MIB_BIT(ACCESS_HISTOGRAM_SIZE)

/* Adds statistics.  False if out of memory. */
bool mib_sum_add(struct mib_sum *, const struct prof_mib *, struct arena *);

/* Whether the sum of a known field was too large, and stays at its limit. */
bool mib_sum_is_saturated(const struct mib_sum *);

/* The sum, whose unknown fields are 0.  The histogram is borrowed. */
struct prof_mib mib_sum_result(const struct mib_sum *);

/*
 * Adds b to a, without histograms.  False if the sum of a known field was too
 * large, and stays at its limit.
 */
bool mib_add(struct prof_mib *a, const struct prof_mib *b);

#endif
