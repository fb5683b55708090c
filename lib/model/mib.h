/*
 * model/mib.h - the fields of a memory info block, one row each
 *
 * Facts: llvm/include/llvm/ProfileData/MIBEntryDef.inc and MemProfData.inc
 * (MemInfoBlock::Merge), LLVM 14 to 22.
 */
#ifndef MODEL_MIB_H
#define MODEL_MIB_H

#include "prof.h"

/* How a field of two blocks comes to one. */
enum mib_rule {
	MIB_ADD,		/* saturating at the field's width */
	MIB_MIN,
	MIB_MAX,
	MIB_OWN			/* each has a rule of its own */
};

struct mib_field {
	const char *name;	/* LLVM's, "AllocCount" */
	const char *key;	/* the stream's, "alloc_count" */
	uint8_t raw;		/* first raw version that has it */
	enum mib_rule rule;
};

/* By enum prof_mib_field; row 0 is empty. */
extern const struct mib_field mib_fields[PROF_MIB_FIELDS];

#define MIB_BIT(field) (UINT32_C(1) << PROF_MIB_ ## field)

/* Those of 4 bytes in raw and indexed files; the others have 8. */
#define MIB_SHORT (MIB_BIT(ALLOC_COUNT) | MIB_BIT(MIN_SIZE) | \
    MIB_BIT(MAX_SIZE) | MIB_BIT(ALLOC_TIMESTAMP) | \
    MIB_BIT(DEALLOC_TIMESTAMP) | MIB_BIT(MIN_LIFETIME) | \
    MIB_BIT(MAX_LIFETIME) | MIB_BIT(ALLOC_CPU_ID) | \
    MIB_BIT(DEALLOC_CPU_ID) | MIB_BIT(NUM_MIGRATED_CPU) | \
    MIB_BIT(NUM_LIFETIME_OVERLAPS) | MIB_BIT(NUM_SAME_ALLOC_CPU) | \
    MIB_BIT(NUM_SAME_DEALLOC_CPU) | MIB_BIT(MIN_ACCESS_DENSITY) | \
    MIB_BIT(MAX_ACCESS_DENSITY) | MIB_BIT(MIN_LIFETIME_ACCESS_DENSITY) | \
    MIB_BIT(MAX_LIFETIME_ACCESS_DENSITY) | MIB_BIT(ACCESS_HISTOGRAM_SIZE))

/* Known where the code is made, for loops that are unrolled. */
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

static inline void
mib_set(struct prof_mib *m, unsigned field, uint64_t value)
{
	m->fields |= UINT32_C(1) << field;
	m->value[field] = value;
}

#endif
