#include "base/summary.h"

#include <stdlib.h>
#include <string.h>

#include "prof.h"

const uint32_t summary_cutoffs[SUMMARY_CUTOFFS] = {
	10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000,
	900000, 950000, 990000, 999000, 999900, 999990, 999999,
};

/* Counters are anything but random: a multiplication spreads them. */
static struct summary_tally *
slot_of(struct summary_tally *slots, size_t slot_count, uint64_t count)
{
	size_t i = (size_t)(count * 0x9e3779b97f4a7c15 >> 32);

	for (i &= slot_count - 1; slots[i].times != 0; i = (i + 1) &
	    (slot_count - 1))
		if (slots[i].count == count)
			break;
	return &slots[i];
}

static bool
grow(struct summary *s)
{
	size_t want = s->slot_count == 0 ? 1024 : s->slot_count * 2;
	struct summary_tally *slots = calloc(want, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; i < s->slot_count; i++)
		if (s->slots[i].times != 0)
			*slot_of(slots, want, s->slots[i].count) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->slot_count = want;
	return true;
}

/* At most three quarters of the slots are used. */
static void
tally(struct summary *s, uint64_t count)
{
	struct summary_tally *slot;

	if (count < SUMMARY_SMALL) {
		s->small[count]++;
		return;
	}
	if (s->used >= s->slot_count / 4 * 3 && !grow(s)) {
		s->failed = true;
		return;
	}
	slot = slot_of(s->slots, s->slot_count, count);
	if (slot->times++ == 0) {
		slot->count = count;
		s->used++;
	}
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The largest of them.  Zeros are most: nothing changes but their number. */
static uint64_t
add_counts(struct summary *s, const uint64_t *counts, size_t size, bool skip)
{
	uint64_t zeros = 0, skipped = 0, max = 0;

	for (size_t i = 0; i < size; i++) {
		uint64_t count = counts[i];

		if (count == 0) {
			zeros++;
			continue;
		}
		if (skip && count == UINT64_MAX) {
			skipped++;
			continue;
		}
		s->total_block_count += count;
		max = larger(max, count);
		if (!s->totals_only && !s->failed)
			tally(s, count);
	}
	s->small[0] += zeros;
	s->blocks += size - skipped;
	s->max_block_count = larger(s->max_block_count, max);
	return max;
}

void
summary_add(struct summary *s, const uint64_t *counts, size_t size,
    enum summary_rule rule)
{
	bool skip = rule == SUMMARY_SKIP_COUNTER;

	if (!skip && size != 0 && counts[0] >= PROF_COUNT_WARM)
		return;
	s->functions++;
	if (size == 0)
		return;
	s->max_function_count = larger(s->max_function_count,
	    add_counts(s, counts, 1, skip));
	s->max_internal_block_count = larger(s->max_internal_block_count,
	    add_counts(s, counts + 1, size - 1, skip));
}

/*
 * Sorts by count, descending, one byte at a time from the last.  Bytes that are
 * the same in all counts, the upper ones mostly, are passed over.  Returns
 * whichever of the two arrays holds the result.
 */
static struct summary_tally *
sort(struct summary_tally *a, struct summary_tally *b, size_t size)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t start[257] = { 0 };
		struct summary_tally *sorted = b;

		for (size_t i = 0; i < size; i++)
			start[256 - (a[i].count >> shift & 255)]++;
		if (start[256 - (a[0].count >> shift & 255)] == size)
			continue;
		for (size_t i = 1; i <= 256; i++)
			start[i] += start[i - 1];
		for (size_t i = 0; i < size; i++)
			b[start[255 - (a[i].count >> shift & 255)]++] = a[i];
		b = a;
		a = sorted;
	}
	return a;
}

/* All that was tallied, by count, descending. */
static size_t
gather(const struct summary *s, struct summary_tally *room,
    struct summary_tally **sorted)
{
	size_t size = 0;

	for (size_t i = 0; i < s->slot_count; i++)
		if (s->slots[i].times != 0)
			room[size++] = s->slots[i];
	*sorted = room;
	if (size != 0)
		*sorted = sort(room, room + s->used + SUMMARY_SMALL, size);
	for (size_t i = SUMMARY_SMALL; i-- > 0;)
		if (s->small[i] != 0)
			(*sorted)[size++] = (struct summary_tally){
			    i, s->small[i] };
	return size;
}

/* total * cutoff / SUMMARY_SCALE, where the product may have 84 bits. */
static uint64_t
share(uint64_t total, uint32_t cutoff)
{
	return total / SUMMARY_SCALE * cutoff +
	    total % SUMMARY_SCALE * cutoff / SUMMARY_SCALE;
}

bool
summary_entries(const struct summary *s, const uint32_t *cutoffs, size_t size,
    struct summary_entry *out)
{
	struct summary_tally *sorted, *room = NULL;
	size_t tallies, next = 0;
	uint64_t sum = 0;
	struct summary_entry at = { 0 };

	/* Twice as many as there can be: sorting goes to and fro. */
	if (!s->failed)
		room = calloc(s->used + SUMMARY_SMALL, 2 * sizeof(*room));
	if (room == NULL)
		return false;
	tallies = gather(s, room, &sorted);
	for (size_t i = 0; i < size; i++) {
		uint64_t want = share(s->total_block_count, cutoffs[i]);

		at.cutoff = cutoffs[i];
		while (sum < want && next < tallies) {
			at.min_count = sorted[next].count;
			at.counts += sorted[next].times;
			sum += sorted[next].count * sorted[next].times;
			next++;
		}
		out[i] = at;
	}
	free(room);
	return true;
}

void
summary_free(struct summary *s)
{
	free(s->slots);
	*s = (struct summary){ 0 };
}
