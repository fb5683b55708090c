#include "model/mib_merge.h"

#include "model/mib.h"

/* LLVM never makes a block of no allocation; its extremes say nothing. */
static bool
is_void(const struct prof_mib *m)
{
	return mib_has(m, PROF_MIB_ALLOC_COUNT) &&
	    m->value[PROF_MIB_ALLOC_COUNT] == 0;
}

static bool
add(struct prof_mib *a, unsigned field, uint64_t n)
{
	uint64_t max = mib_max(field);

	if (n > max - a->value[field]) {
		a->value[field] = max;
		return false;
	}
	a->value[field] += n;
	return true;
}

static void
take_extreme(struct prof_mib *a, const struct prof_mib *b, unsigned field,
    bool largest)
{
	if (is_void(b))
		return;
	if (is_void(a) || (a->value[field] < b->value[field]) == largest)
		a->value[field] = b->value[field];
}

/* Written for a block b that is one allocation; see memprof(5). */
static bool
compare(struct prof_mib *a, const struct prof_mib *b)
{
	bool overlaps = b->value[PROF_MIB_ALLOC_TIMESTAMP] <
	    a->value[PROF_MIB_DEALLOC_TIMESTAMP];
	bool allocs = b->value[PROF_MIB_ALLOC_CPU_ID] ==
	    a->value[PROF_MIB_ALLOC_CPU_ID];
	bool deallocs = b->value[PROF_MIB_DEALLOC_CPU_ID] ==
	    a->value[PROF_MIB_DEALLOC_CPU_ID];

	/* All of them: no && here. */
	return (int)add(a, PROF_MIB_NUM_LIFETIME_OVERLAPS, overlaps) &
	    (int)add(a, PROF_MIB_NUM_SAME_ALLOC_CPU, allocs) &
	    (int)add(a, PROF_MIB_NUM_SAME_DEALLOC_CPU, deallocs);
}

static void
forget_unknown(struct prof_mib *a, const struct prof_mib *b)
{
	a->fields &= b->fields;
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if (!mib_has(a, f))
			a->value[f] = 0;
	}
}

bool
mib_merge(struct prof_mib *a, const struct prof_mib *b)
{
	static const uint8_t replaced[] = {
		PROF_MIB_ALLOC_TIMESTAMP, PROF_MIB_DEALLOC_TIMESTAMP,
		PROF_MIB_ALLOC_CPU_ID, PROF_MIB_DEALLOC_CPU_ID
	};
	bool fits = compare(a, b);

	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if (mib_fields[f].rule == MIB_MIN)
			take_extreme(a, b, f, false);
		else if (mib_fields[f].rule == MIB_MAX)
			take_extreme(a, b, f, true);
	}
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if (mib_fields[f].rule == MIB_ADD)
			fits = add(a, f, b->value[f]) && fits;
	}
	for (size_t i = 0; i < sizeof(replaced); i++)
		a->value[replaced[i]] = b->value[replaced[i]];
	forget_unknown(a, b);
	return fits;
}
