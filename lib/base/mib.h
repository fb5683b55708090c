/*
 * mib.h - the fields of a memory info block, one row each
 *
 * Facts: llvm/include/llvm/ProfileData/MIBEntryDef.inc and MemProfData.inc
 * (MemInfoBlock::Merge), LLVM 14 to 22.
 */
#ifndef BASE_MIB_H
#define BASE_MIB_H

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
	uint8_t bytes;		/* 4 or 8, in raw and indexed files */
	uint8_t raw;		/* first raw version that has it */
	enum mib_rule rule;
};

/* By enum prof_mib_field; row 0 is empty. */
extern const struct mib_field mib_fields[PROF_MIB_FIELDS];

/* The largest value of a field. */
static inline uint64_t
mib_max(unsigned field)
{
	return mib_fields[field].bytes == 4 ? UINT32_MAX : UINT64_MAX;
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
