/* Suspicious allocation statistics. */
#include "ops/check.h"

#include "base/bytes.h"
#include "model/mib.h"

/* Each minimum with its maximum (MIBEntryDef.inc). */
static const uint8_t check_min_max[][2] = {
	{ PROF_MIB_MIN_ACCESS_COUNT, PROF_MIB_MAX_ACCESS_COUNT },
	{ PROF_MIB_MIN_SIZE, PROF_MIB_MAX_SIZE },
	{ PROF_MIB_MIN_LIFETIME, PROF_MIB_MAX_LIFETIME },
	{ PROF_MIB_MIN_ACCESS_DENSITY, PROF_MIB_MAX_ACCESS_DENSITY },
	{ PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY,
	    PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY },
};

/* The product, or UINT64_MAX if it is larger. */
static uint64_t
check_product(uint64_t a, uint64_t b)
{
	uint64_t p;

	return mul_u64(a, b, &p) ? p : UINT64_MAX;
}

/*
 * Whether TotalSize fits AllocCount, MinSize and MaxSize.  Totals of lifetimes
 * and accesses are not checked: they wrap in real runs (MemProfData.inc,
 * MemInfoBlock::Merge).
 */
static bool
check_total_possible(const struct prof_mib *m)
{
	uint64_t count = m->value[PROF_MIB_ALLOC_COUNT];
	uint64_t total = m->value[PROF_MIB_TOTAL_SIZE];

	if (!mib_has(m, PROF_MIB_ALLOC_COUNT) ||
	    !mib_has(m, PROF_MIB_TOTAL_SIZE))
		return true;
	if (mib_has(m, PROF_MIB_MIN_SIZE) &&
	    total < check_product(m->value[PROF_MIB_MIN_SIZE], count))
		return false;
	return !mib_has(m, PROF_MIB_MAX_SIZE) ||
	    total <= check_product(m->value[PROF_MIB_MAX_SIZE], count);
}

void
check_mib(struct check *c, const struct prof_mib *m)
{
	bool ordered = true;

	for (size_t i = 0; i < sizeof(check_min_max) / sizeof(check_min_max[0]);
	    i++) {
		unsigned min = check_min_max[i][0], max = check_min_max[i][1];

		if (mib_has(m, min) && mib_has(m, max) &&
		    m->value[min] > m->value[max])
			ordered = false;
	}
	c->mib_faults[CHECK_MIN_MAX] += !ordered;
	c->mib_faults[CHECK_TOTAL] += !check_total_possible(m);
	c->mib_faults[CHECK_NO_ALLOCATIONS] += mib_has(m,
	    PROF_MIB_ALLOC_COUNT) && m->value[PROF_MIB_ALLOC_COUNT] == 0;
}
