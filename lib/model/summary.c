#include "model/summary.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "prof.h"

const uint32_t summary_cutoffs[SUMMARY_CUTOFFS] = {
	10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000,
	900000, 950000, 990000, 999000, 999900, 999990, 999999,
};

/* Large counters that are sorted at a time: they fit the processor's cache. */
enum { SORTED_TOGETHER = 1 << 17 };

/* 64 buckets of each power of two from SUMMARY_SMALL, 1 << 13, on. */
enum { SMALL_BITS = 13, BUCKET_BITS = 6,
	BUCKETS = (64 - SMALL_BITS) << BUCKET_BITS };

static size_t
summary_bucket_of(uint64_t count)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(count);

	return (size_t)(top - SMALL_BITS) << BUCKET_BITS |
	    (count >> (top - BUCKET_BITS) & ((1 << BUCKET_BITS) - 1));
}

/*
 * Radix sort in descending order by bytes, least significant first.  Each pass
 * moves the counters to the other one of the arrays a and b; returns the array
 * that has the result.
 */
static const uint64_t *
sort_descending(const uint64_t *from, size_t size, uint64_t *a, uint64_t *b)
{
	uint64_t any = vector_any_bits(from, size);

	for (unsigned shift = 0; shift < 64 && any >> shift != 0; shift += 8) {
		size_t start[257] = { 0 };
		uint64_t *to = from == a ? b : a;

		for (size_t i = 0; i < size; i++)
			start[256 - (from[i] >> shift & 255)]++;
		for (size_t i = 1; i <= 256; i++)
			start[i] += start[i - 1];
		for (size_t i = 0; i < size; i++)
			to[start[255 - (from[i] >> shift & 255)]++] = from[i];
		from = to;
	}
	return from;
}

/* Merges tallies and counters, both descending; returns the new number. */
static size_t
tallies_merge(const struct summary_tally *tallies, size_t tallies_size,
    const uint64_t *counts, size_t counts_size, struct summary_tally *out)
{
	size_t n = 0, t = 0, i = 0;

	while (i < counts_size) {
		struct summary_tally at = { .count = counts[i] };

		while (t < tallies_size && tallies[t].count > at.count)
			out[n++] = tallies[t++];
		if (t < tallies_size && tallies[t].count == at.count)
			at.times = tallies[t++].times;
		for (; i < counts_size && counts[i] == at.count; i++)
			at.times++;
		out[n++] = at;
	}
	while (t < tallies_size)
		out[n++] = tallies[t++];
	return n;
}

/* Tallies of all large counters so far; NULL if out of memory. */
static struct summary_tally *
summary_gather(const struct summary *s, size_t *size)
{
	uint64_t *room = calloc(s->large_size + 1, 2 * sizeof(*room));
	struct summary_tally *all = calloc(s->tallies_size + s->large_size + 1,
	    sizeof(*all));

	if (room == NULL || all == NULL) {
		free(all);
		all = NULL;
	} else
		*size = tallies_merge(s->tallies, s->tallies_size,
		    sort_descending(s->large, s->large_size, room, room +
		    s->large_size), s->large_size, all);
	free(room);
	return all;
}

/*
 * Makes room for large counters.  The array is at least a quarter as long as
 * the tallies, so that these are not merged too often.
 */
static bool
summary_make_room(struct summary *s)
{
	struct summary_tally *tallies;
	uint64_t *large;
	size_t size;

	if (s->small == NULL)
		s->small = calloc(SUMMARY_SMALL + 1, sizeof(*s->small));
	if (s->two_passes && s->buckets == NULL)
		s->buckets = calloc(BUCKETS, sizeof(*s->buckets));
	if (s->small == NULL || (s->two_passes && s->buckets == NULL))
		return false;
	if (s->large_size < s->large_room)
		return true;
	if (s->large_room >= SORTED_TOGETHER &&
	    s->large_room >= s->tallies_size / 4) {
		tallies = summary_gather(s, &size);
		if (tallies == NULL)
			return false;
		free(s->tallies);
		s->tallies_size = size;
		s->tallies = tallies;
		s->large_size = 0;
		return true;
	}
	size = s->large_room == 0 ? 1024 : s->large_room * 2;
	large = realloc(s->large, size * sizeof(*large));
	if (large == NULL)
		return false;
	s->large = large;
	s->large_room = size;
	return true;
}

/* Without branches: no branch predictor knows which counters are large. */
static void
summary_add_tallies(struct summary *s, const uint64_t *counts, size_t size)
{
	while (size > 0 && !s->failed) {
		size_t n = size;
		uint64_t *large;

		if (!summary_make_room(s)) {
			s->failed = true;
			return;
		}
		large = s->large + s->large_size;
		if (n > s->large_room - s->large_size)
			n = s->large_room - s->large_size;
		for (size_t i = 0; i < n; i++) {
			bool is_large = counts[i] >= SUMMARY_SMALL;

			s->small[is_large ? SUMMARY_SMALL : counts[i]]++;
			*large = counts[i];
			large += is_large;
		}
		s->large_size = (size_t)(large - s->large);
		counts += n;
		size -= n;
	}
}

/* The first of two passes: large counters are added to their buckets. */
static void
summary_add_to_buckets(struct summary *s, const uint64_t *counts, size_t size)
{
	if (!summary_make_room(s)) {
		s->failed = true;
		return;
	}
	for (size_t i = 0; i < size; i++) {
		struct summary_bucket *b;

		if (counts[i] < SUMMARY_SMALL) {
			s->small[counts[i]]++;
			continue;
		}
		b = &s->buckets[summary_bucket_of(counts[i])];
		b->counters++;
		b->sum += counts[i];
	}
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Adds counters that are no pseudo counts; returns the largest. */
static uint64_t
summary_add_numbers(struct summary *s, const uint64_t *counts, size_t size)
{
	uint64_t total = 0, max = 0;

	for (size_t i = 0; i < size; i++) {
		total += counts[i];
		max = larger(max, counts[i]);
	}
	s->total_block_count += total;
	s->blocks += size;
	s->max_block_count = larger(s->max_block_count, max);
	if (!s->totals_only && s->two_passes)
		summary_add_to_buckets(s, counts, size);
	else if (!s->totals_only)
		summary_add_tallies(s, counts, size);
	return max;
}

/* Adds counters, without pseudo counts if `skip`; returns the largest. */
static uint64_t
summary_add_counts(struct summary *s, const uint64_t *counts, size_t size,
    bool skip)
{
	size_t from = 0, i = 0;
	uint64_t max = 0;

	if (!skip)
		return summary_add_numbers(s, counts, size);
	for (; i < size; i++) {
		if (counts[i] != UINT64_MAX)
			continue;
		max = larger(max, summary_add_numbers(s, counts + from, i -
		    from));
		from = i + 1;
	}
	return larger(max, summary_add_numbers(s, counts + from, i - from));
}

static bool
summary_skips_record(const uint64_t *counts, size_t size, enum summary_rule
    rule)
{
	return rule == SUMMARY_SKIP_RECORD && size != 0 &&
	    counts[0] >= PROF_COUNT_WARM;
}

bool
summary_add(struct summary *s, const uint64_t *counts, size_t size,
    enum summary_rule rule)
{
	bool skip = rule == SUMMARY_SKIP_COUNTER;
	uint64_t any;

	if (summary_skips_record(counts, size, rule))
		return false;
	s->functions++;
	if (size == 0)
		return false;
	any = vector_any_bits(counts, size);
	/* Most functions of many programs were never run. */
	if (any == 0) {
		s->blocks += size;
		s->zeros += size;
		return false;
	}
	s->max_function_count = larger(s->max_function_count,
	    summary_add_counts(s, counts, 1, skip));
	s->max_internal_block_count = larger(s->max_internal_block_count,
	    summary_add_counts(s, counts + 1, size - 1, skip));
	return any >= SUMMARY_SMALL;
}

/* total * cutoff / SUMMARY_SCALE, where the product may have 84 bits. */
static uint64_t
summary_share(uint64_t total, uint32_t cutoff)
{
	return total / SUMMARY_SCALE * cutoff +
	    total % SUMMARY_SCALE * cutoff / SUMMARY_SCALE;
}

void
summary_choose_buckets(struct summary *s, const uint32_t *cutoffs, size_t size)
{
	uint64_t sum = 0, largest;
	size_t left = s->buckets == NULL ? 0 : BUCKETS;

	/* If sums may have wrapped, the cutoff may be in any bucket. */
	if (__builtin_mul_overflow(s->max_block_count, s->blocks, &largest)) {
		while (left > 0)
			s->buckets[--left].may_hold_cutoff = true;
	}
	for (size_t i = 0; i < size; i++) {
		uint64_t want = summary_share(s->total_block_count, cutoffs[i]);

		for (; left > 0 && sum < want; left--) {
			struct summary_bucket *b = &s->buckets[left - 1];

			if (b->sum >= want - sum) {
				b->may_hold_cutoff = true;
				break;
			}
			sum += b->sum;
		}
	}
}

void
summary_add_again(struct summary *s, const uint64_t *counts, size_t size,
    enum summary_rule rule)
{
	if (s->buckets == NULL || summary_skips_record(counts, size, rule))
		return;
	for (size_t i = 0; i < size && !s->failed; i++) {
		if (counts[i] < SUMMARY_SMALL ||
		    !s->buckets[summary_bucket_of(counts[i])].may_hold_cutoff ||
		    (rule == SUMMARY_SKIP_COUNTER && counts[i] == UINT64_MAX))
			continue;
		if (summary_make_room(s))
			s->large[s->large_size++] = counts[i];
		else
			s->failed = true;
	}
}

/* Counters of one value, or of a bucket without a cutoff. */
struct summary_run {
	uint64_t least, counters, sum;
};

/* A position in the counters, in descending order. */
struct summary_walk {
	const struct summary *summary;
	size_t bucket;			/* buckets not visited yet */
	const struct summary_tally *large;
	size_t large_size;
	size_t small_size;
};

static bool
summary_walk_large(struct summary_walk *w, struct summary_run *out)
{
	const struct summary_tally *t = w->large;

	if (w->large_size == 0)
		return false;
	w->large_size--;
	w->large++;
	*out = (struct summary_run){ t->count, t->times, t->count * t->times };
	return true;
}

static bool
summary_walk_bucket(struct summary_walk *w, struct summary_run *out)
{
	for (; w->bucket > 0; w->bucket--) {
		const struct summary_bucket *b =
		    &w->summary->buckets[w->bucket - 1];

		if (b->may_hold_cutoff && w->large_size != 0 &&
		    summary_bucket_of(w->large->count) == w->bucket - 1)
			return summary_walk_large(w, out);
		if (!b->may_hold_cutoff && b->counters != 0) {
			w->bucket--;
			*out = (struct summary_run){ 0, b->counters, b->sum };
			return true;
		}
	}
	return false;
}

/* False at the end. */
static bool
summary_walk_next(struct summary_walk *w, struct summary_run *out)
{
	uint64_t times = 0, value = 0;

	if (summary_walk_bucket(w, out) || summary_walk_large(w, out))
		return true;
	while (w->small_size != 0 && times == 0) {
		value = --w->small_size;
		times = w->summary->small[value] +
		    (value == 0 ? w->summary->zeros : 0);
	}
	*out = (struct summary_run){ value, times, value * times };
	return times != 0;
}

bool
summary_entries(const struct summary *s, const uint32_t *cutoffs, size_t size,
    struct summary_entry *out)
{
	struct summary_tally *large = NULL;
	struct summary_entry at = { 0 };
	struct summary_run run;
	struct summary_walk w = { .summary = s,
	    .bucket = s->buckets == NULL ? 0 : BUCKETS,
	    .small_size = s->small == NULL ? 0 : SUMMARY_SMALL };
	uint64_t sum = 0;

	if (!s->failed)
		large = summary_gather(s, &w.large_size);
	if (large == NULL)
		return false;
	w.large = large;
	for (size_t i = 0; i < size; i++) {
		uint64_t want = summary_share(s->total_block_count, cutoffs[i]);

		at.cutoff = cutoffs[i];
		while (sum < want && summary_walk_next(&w, &run)) {
			at.min_count = run.least;
			at.counts += run.counters;
			sum += run.sum;
		}
		out[i] = at;
	}
	free(large);
	return true;
}

enum summary_class
summary_classify(const struct summary_thresholds *t, uint64_t count)
{
	return count >= t->hot ? SUMMARY_HOT : count <= t->cold ?
	    SUMMARY_COLD : SUMMARY_WARM;
}

bool
summary_thresholds(const struct summary *s, struct summary_thresholds *out)
{
	static const uint32_t cutoffs[] = { 990000, 999999 };
	struct summary_entry at[2];

	if (!summary_entries(s, cutoffs, 2, at))
		return false;
	*out = (struct summary_thresholds){ at[0].min_count, at[1].min_count };
	if (out->hot == out->cold && out->cold > 0)
		out->cold--;
	else if (out->hot == out->cold)
		out->hot++;
	return true;
}

void
summary_free(struct summary *s)
{
	free(s->small);
	free(s->large);
	free(s->tallies);
	free(s->buckets);
	*s = (struct summary){ 0 };
}
