#include "model/mib.h"

#include <string.h>

#include "base/bytes.h"
#include "base/json_text.h"

#define ROW(field, name, key, bytes, rule) \
	[PROF_MIB_ ## field] = { name, key, rule },

const struct mib_field mib_fields[PROF_MIB_FIELDS] = { MIB_FIELDS(ROW) };

uint64_t
mib_stored_value(const struct prof_mib *m, unsigned field)
{
	if (!mib_has(m, field) && field == PROF_MIB_MAX_ACCESS_COUNT)
		field = PROF_MIB_MIN_ACCESS_COUNT;
	else if (!mib_has(m, field) && field == PROF_MIB_MAX_SIZE)
		field = PROF_MIB_MIN_SIZE;
	return m->value[field];
}

void
mib_put_info(struct buf *b, const struct prof_mib *m)
{
	json_member_key(b, "info");
	json_text_plain(b, "{");
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		if (mib_has(m, i))
			json_member_number(b, mib_fields[i].key, m->value[i]);
	}
	if (m->histogram != NULL) {
		json_member_key(b, mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
		json_text_numbers(b, m->histogram, (size_t)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	}
	json_text_plain(b, "}");
}

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
	a->fields &= b->fields;
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if (!mib_has(a, f))
			a->value[f] = 0;
	}
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

/* The loop is unrolled: rules and limits of the fields become constants. */
static void
mib_sum_fields(struct mib_sum *h, const struct prof_mib *m)
{
	const bool was_empty = mib_is_empty(&h->sum), empty = mib_is_empty(m);
	const bool compare = was_empty == empty, replace = was_empty && !empty;
	uint64_t *sum = h->sum.value;

#pragma GCC unroll 32
	for (unsigned f = 1; f < PROF_MIB_ACCESS_HISTOGRAM_SIZE; f++) {
		const uint64_t n = m->value[f];

		switch (mib_fields[f].rule) {
		case MIB_ADD:
		case MIB_COUNT:
			if (n > mib_max(f) - sum[f]) {
				sum[f] = mib_max(f);
				h->saturated |= UINT32_C(1) << f;
			} else
				sum[f] += n;
			break;
		case MIB_MIN:
		case MIB_FIRST:
			if (replace || (compare && n < sum[f]))
				sum[f] = n;
			break;
		case MIB_MAX:
		case MIB_LAST:
			if (replace || (compare && n > sum[f]))
				sum[f] = n;
			break;
		default:
			if (n != sum[f])
				h->sum.fields &= ~(UINT32_C(1) << f);
		}
	}
}

/* Entries of the histogram, 0 if there is none. */
static uint64_t
mib_histogram_size(const struct prof_mib *m)
{
	return m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
}

static bool
mib_sum_histogram(struct mib_sum *h, const struct prof_mib *m, struct arena *a)
{
	uint64_t old = mib_histogram_size(&h->sum);
	uint64_t size = mib_histogram_size(m);
	bool unknown = (old != 0 && h->sum.histogram == NULL) ||
	    (size != 0 && m->histogram == NULL), fits = true;

	if (size > old)
		h->sum.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = size;
	if (unknown || size == 0) {
		h->sum.histogram = unknown ? NULL : h->sum.histogram;
		return true;
	}
	if (size > SIZE_MAX / sizeof(uint64_t) || !mib_histogram_add(
	    &h->histogram, m->histogram, (size_t)size, a, &fits))
		return false;
	h->sum.histogram = h->histogram.counts;
	if (!fits)
		h->saturated |= MIB_SATURATED_HISTOGRAM;
	return true;
}

bool
mib_sum_add(struct mib_sum *h, const struct prof_mib *m, struct arena *a)
{
	uint32_t fields;

	if (!h->any) {
		h->any = true;
		h->sum = *m;
		for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
			if ((MIB_SUMMED >> f & 1) != 0)
				h->sum.value[f] = 0;
		}
		h->sum.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = 0;
		h->sum.histogram = NULL;
	}
	fields = h->sum.fields & m->fields;
	mib_sum_fields(h, m);
	if ((mib_histogram_size(m) | mib_histogram_size(&h->sum)) != 0 &&
	    !mib_sum_histogram(h, m, a))
		return false;
	h->sum.fields &= fields;
	return true;
}

bool
mib_sum_is_saturated(const struct mib_sum *h)
{
	uint32_t known = h->sum.fields;

	if (h->sum.histogram == NULL)
		known &= ~MIB_SATURATED_HISTOGRAM;
	return (h->saturated & known) != 0;
}

/* Unknown fields were summed, too: they become 0 here. */
struct prof_mib
mib_sum_result(const struct mib_sum *h)
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

bool
mib_add(struct prof_mib *a, const struct prof_mib *b)
{
	struct mib_sum sum = { .sum = *a, .any = true };
	struct prof_mib more = *b;

	sum.sum.histogram = more.histogram = NULL;
	/* Nothing is allocated without a histogram. */
	mib_sum_add(&sum, &more, NULL);
	*a = mib_sum_result(&sum);
	return !mib_sum_is_saturated(&sum);
}
