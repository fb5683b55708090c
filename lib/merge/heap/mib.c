#include "merge/heap/mib.h"

#include <string.h>

#include "model/mib.h"
#include "merge/core/weight.h"

/* Of 4 bytes, and of 8. */
static const uint8_t added[] = {
	PROF_MIB_ALLOC_COUNT, PROF_MIB_NUM_MIGRATED_CPU,
	PROF_MIB_NUM_LIFETIME_OVERLAPS, PROF_MIB_NUM_SAME_ALLOC_CPU,
	PROF_MIB_NUM_SAME_DEALLOC_CPU,
}, added_long[] = {
	PROF_MIB_TOTAL_ACCESS_COUNT, PROF_MIB_TOTAL_SIZE,
	PROF_MIB_TOTAL_LIFETIME, PROF_MIB_TOTAL_ACCESS_DENSITY,
	PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY,
};
static const uint8_t least[] = {
	PROF_MIB_MIN_ACCESS_COUNT, PROF_MIB_MIN_SIZE, PROF_MIB_ALLOC_TIMESTAMP,
	PROF_MIB_MIN_LIFETIME, PROF_MIB_MIN_ACCESS_DENSITY,
	PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY,
};
static const uint8_t most[] = {
	PROF_MIB_MAX_ACCESS_COUNT, PROF_MIB_MAX_SIZE,
	PROF_MIB_DEALLOC_TIMESTAMP, PROF_MIB_MAX_LIFETIME,
	PROF_MIB_MAX_ACCESS_DENSITY, PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY,
};
static const uint8_t alike[] = {
	PROF_MIB_ALLOC_CPU_ID, PROF_MIB_DEALLOC_CPU_ID, PROF_MIB_DATA_TYPE_ID,
};

static bool
is_empty(const struct prof_mib *m)
{
	return mib_has(m, PROF_MIB_ALLOC_COUNT) &&
	    m->value[PROF_MIB_ALLOC_COUNT] == 0;
}

/* Loops over fields are unrolled: then these have no lists to go through. */
static inline void
add_fields(struct mheap_mib *h, const struct prof_mib *m,
    const uint8_t *fields, size_t size, uint64_t max,
    const struct merge_factor *w)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < size; i++) {
		uint64_t more = m->value[fields[i]];
		uint64_t *sum = &h->sum.value[fields[i]];

		if (w != NULL)
			more = merge_weigh(w, more);
		if (more > max - *sum) {
			*sum = max;
			h->saturated = true;
		} else
			*sum += more;
	}
}

static void
add_counts(struct mheap_mib *h, const struct prof_mib *m,
    const struct merge_factor *w)
{
	if (merge_is_unscaled(w)) {
		add_fields(h, m, added, sizeof(added), UINT32_MAX, NULL);
		add_fields(h, m, added_long, sizeof(added_long), UINT64_MAX,
		    NULL);
	} else {
		add_fields(h, m, added, sizeof(added), UINT32_MAX, w);
		add_fields(h, m, added_long, sizeof(added_long), UINT64_MAX,
		    w);
	}
}

static void
take_extremes(struct prof_mib *sum, const struct prof_mib *m)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < sizeof(least); i++) {
		if (m->value[least[i]] < sum->value[least[i]])
			sum->value[least[i]] = m->value[least[i]];
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < sizeof(most); i++) {
		if (m->value[most[i]] > sum->value[most[i]])
			sum->value[most[i]] = m->value[most[i]];
	}
}

static void
copy_extremes(struct prof_mib *sum, const struct prof_mib *m)
{
	for (size_t i = 0; i < sizeof(least); i++)
		sum->value[least[i]] = m->value[least[i]];
	for (size_t i = 0; i < sizeof(most); i++)
		sum->value[most[i]] = m->value[most[i]];
}

static void
compare_others(struct prof_mib *sum, const struct prof_mib *m)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < sizeof(alike); i++) {
		if (sum->value[alike[i]] != m->value[alike[i]])
			sum->fields &= ~(UINT32_C(1) << alike[i]);
	}
}

/* Entries of its histogram; 0 too if it has none. */
static uint64_t
size_of(const struct prof_mib *m)
{
	return m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
}

static bool
make_room(struct mheap_mib *h, size_t size, struct arena *a)
{
	size_t room = h->room * 2 > size ? h->room * 2 : size;
	uint64_t *p;

	if (size <= h->room)
		return true;
	p = arena_array(a, room, sizeof(*p));
	if (p == NULL)
		return false;
	if (h->room != 0)
		memcpy(p, h->histogram, h->room * sizeof(*p));
	memset(p + h->room, 0, (room - h->room) * sizeof(*p));
	h->histogram = p;
	h->room = room;
	return true;
}

static bool
add_histogram(struct mheap_mib *h, const struct prof_mib *m,
    const struct merge_factor *w, struct arena *a)
{
	uint64_t old = size_of(&h->sum), size = size_of(m);
	bool unknown = (old != 0 && h->sum.histogram == NULL) ||
	    (size != 0 && m->histogram == NULL);

	if (size > old)
		h->sum.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = size;
	if (unknown || size == 0) {
		h->sum.histogram = unknown ? NULL : h->sum.histogram;
		return true;
	}
	if (size > SIZE_MAX / sizeof(uint64_t) ||
	    !make_room(h, (size_t)size, a))
		return false;
	h->sum.histogram = h->histogram;
	for (size_t i = 0; i < size; i++) {
		uint64_t more = merge_weigh(w, m->histogram[i]);

		if (more > UINT64_MAX - h->histogram[i])
			h->saturated = true;
		h->histogram[i] = saturating_add(h->histogram[i], more);
	}
	return true;
}

static bool
begin(struct mheap_mib *h, const struct prof_mib *m,
    const struct merge_factor *w, struct arena *a)
{
	h->any = true;
	h->sum = *m;
	for (size_t i = 0; i < sizeof(added); i++)
		h->sum.value[added[i]] = 0;
	for (size_t i = 0; i < sizeof(added_long); i++)
		h->sum.value[added_long[i]] = 0;
	h->sum.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = 0;
	h->sum.histogram = NULL;
	add_counts(h, m, w);
	return add_histogram(h, m, w, a);
}

bool
mheap_mib_add(struct mheap_mib *h, const struct prof_mib *m,
    const struct merge_factor *w, struct arena *a)
{
	uint32_t fields = h->sum.fields & m->fields;
	bool was_empty = is_empty(&h->sum), empty = is_empty(m);

	if (!h->any)
		return begin(h, m, w, a);
	add_counts(h, m, w);
	if (was_empty == empty)
		take_extremes(&h->sum, m);
	else if (was_empty)
		copy_extremes(&h->sum, m);
	compare_others(&h->sum, m);
	if ((size_of(m) | size_of(&h->sum)) != 0 &&
	    !add_histogram(h, m, w, a))
		return false;
	h->sum.fields &= fields;
	return true;
}

/* Fields that have become unknown have been summed up nevertheless. */
struct prof_mib
mheap_mib_sum(const struct mheap_mib *h)
{
	struct prof_mib m = h->sum;

	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++) {
		if (!mib_has(&m, i))
			m.value[i] = 0;
	}
	if (!mib_has(&m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		m.histogram = NULL;
	return m;
}
