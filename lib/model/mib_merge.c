#include "model/mib_merge.h"

#include <string.h>

#include "base/bytes.h"
#include "model/mib.h"

static bool
mib_add_saturating(struct prof_mib *a, unsigned field, uint64_t n)
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
mib_set_extreme(struct prof_mib *a, const struct prof_mib *b, unsigned field,
    bool largest)
{
	if (mib_is_empty(b))
		return;
	if (mib_is_empty(a) || (a->value[field] < b->value[field]) == largest)
		a->value[field] = b->value[field];
}

/*
 * Counts an overlap or a match of CPUs if b has one with a.  LLVM's rule is
 * meant for a block b of one allocation; see memprof(5).
 */
static bool
mib_count_matches(struct prof_mib *a, const struct prof_mib *b)
{
	bool overlaps = b->value[PROF_MIB_ALLOC_TIMESTAMP] <
	    a->value[PROF_MIB_DEALLOC_TIMESTAMP];
	bool allocs = b->value[PROF_MIB_ALLOC_CPU_ID] ==
	    a->value[PROF_MIB_ALLOC_CPU_ID];
	bool deallocs = b->value[PROF_MIB_DEALLOC_CPU_ID] ==
	    a->value[PROF_MIB_DEALLOC_CPU_ID];

	/* No && here: all three must be counted. */
	return (int)mib_add_saturating(
		   a, PROF_MIB_NUM_LIFETIME_OVERLAPS, overlaps) &
	    (int)mib_add_saturating(a, PROF_MIB_NUM_SAME_ALLOC_CPU, allocs) &
	    (int)mib_add_saturating(a, PROF_MIB_NUM_SAME_DEALLOC_CPU, deallocs);
}

static void
mib_clear_unknown(struct prof_mib *a, const struct prof_mib *b)
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
	bool fits = mib_count_matches(a, b);

	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if (mib_fields[f].rule == MIB_MIN)
			mib_set_extreme(a, b, f, false);
		else if (mib_fields[f].rule == MIB_MAX)
			mib_set_extreme(a, b, f, true);
	}
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if (mib_fields[f].rule == MIB_ADD)
			fits = mib_add_saturating(a, f, b->value[f]) && fits;
	}
	for (size_t i = 0; i < sizeof(replaced); i++)
		a->value[replaced[i]] = b->value[replaced[i]];
	mib_clear_unknown(a, b);
	return fits;
}

/* Extends a sum by zeros to at least that size; false if out of memory. */
static bool
mib_histogram_extend(struct mib_histogram *h, size_t size, struct arena *a)
{
	size_t room = h->room * 2 > size ? h->room * 2 : size;
	uint64_t *p;

	if (size > h->room) {
		p = arena_array(a, room, sizeof(*p));
		if (p == NULL)
			return false;
		if (h->size != 0)
			memcpy(p, h->counts, h->size * sizeof(*p));
		memset(p + h->size, 0, (room - h->size) * sizeof(*p));
		h->counts = p;
		h->room = room;
	}
	if (size > h->size)
		h->size = size;
	return true;
}

bool
mib_histogram_add(struct mib_histogram *h, const uint64_t *counts, size_t size,
    struct arena *a, bool *fits)
{
	if (!mib_histogram_extend(h, size, a))
		return false;
	for (size_t i = 0; i < size; i++) {
		if (!add_u64(h->counts[i], counts[i], &h->counts[i])) {
			h->counts[i] = UINT64_MAX;
			*fits = false;
		}
	}
	return true;
}
