#include "base/summary.h"

#include <stdlib.h>

#include "base/counts.h"
#include "prof.h"

const uint32_t summary_cutoffs[SUMMARY_CUTOFFS] = {
	10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000,
	900000, 950000, 990000, 999000, 999900, 999990, 999999,
};

/* Large counters that are sorted together: they stay in the cache. */
enum { SORTED_TOGETHER = 1 << 17 };

/*
 * Sorts, descending, one byte at a time from the last, to and fro between two
 * arrays; says which of them has the result.
 */
static const uint64_t *
sort(const uint64_t *from, size_t size, uint64_t *a, uint64_t *b)
{
	uint64_t any = counts_any_bits(from, size);

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

/* Tallies and sorted counters, both descending, as tallies; how many. */
static size_t
merge(const struct summary_tally *tallies, size_t tallies_size,
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

/* All large counters so far; NULL if out of memory. */
static struct summary_tally *
gather(const struct summary *s, size_t *size)
{
	uint64_t *room = calloc(s->large_size + 1, 2 * sizeof(*room));
	struct summary_tally *all = calloc(s->tallies_size + s->large_size + 1,
	    sizeof(*all));

	if (room == NULL || all == NULL) {
		free(all);
		all = NULL;
	} else
		*size = merge(s->tallies, s->tallies_size,
		    sort(s->large, s->large_size, room, room + s->large_size),
		    s->large_size, all);
	free(room);
	return all;
}

static bool
tally(struct summary *s)
{
	size_t size;
	struct summary_tally *all = gather(s, &size);

	if (all == NULL)
		return false;
	free(s->tallies);
	s->tallies_size = size;
	s->tallies = all;
	s->large_size = 0;
	return true;
}

static bool
grow(struct summary *s)
{
	size_t room = s->large_room == 0 ? 1024 : s->large_room * 2;
	uint64_t *large = realloc(s->large, room * sizeof(*large));

	if (large == NULL)
		return false;
	s->large = large;
	s->large_room = room;
	return true;
}

/*
 * Room for large counters, a quarter as many as there are tallies at least: else
 * the tallies would be merged too often.
 */
static bool
make_room(struct summary *s)
{
	if (s->small == NULL)
		s->small = calloc(SUMMARY_SMALL + 1, sizeof(*s->small));
	if (s->small == NULL)
		return false;
	if (s->large_size < s->large_room)
		return true;
	if (s->large_room >= SORTED_TOGETHER &&
	    s->large_room >= s->tallies_size / 4)
		return tally(s);
	return grow(s);
}

/* Without branches: which counters are large is not predicted. */
static void
add_tallies(struct summary *s, const uint64_t *counts, size_t size)
{
	while (size > 0 && !s->failed) {
		size_t n = size;
		uint64_t *large;

		if (!make_room(s)) {
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

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The largest of them. */
static uint64_t
add_numbers(struct summary *s, const uint64_t *counts, size_t size)
{
	uint64_t total = 0, max = 0;

	for (size_t i = 0; i < size; i++) {
		total += counts[i];
		max = larger(max, counts[i]);
	}
	s->total_block_count += total;
	s->blocks += size;
	s->max_block_count = larger(s->max_block_count, max);
	if (!s->totals_only)
		add_tallies(s, counts, size);
	return max;
}

/* Those that are numbers. */
static uint64_t
add_counts(struct summary *s, const uint64_t *counts, size_t size, bool skip)
{
	size_t from = 0, i = 0;
	uint64_t max = 0;

	if (!skip)
		return add_numbers(s, counts, size);
	for (; i < size; i++) {
		if (counts[i] != UINT64_MAX)
			continue;
		max = larger(max, add_numbers(s, counts + from, i - from));
		from = i + 1;
	}
	return larger(max, add_numbers(s, counts + from, i - from));
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
	/* Of many functions nothing has run. */
	if (counts_any_bits(counts, size) == 0) {
		s->blocks += size;
		s->zeros += size;
		return;
	}
	s->max_function_count = larger(s->max_function_count,
	    add_counts(s, counts, 1, skip));
	s->max_internal_block_count = larger(s->max_internal_block_count,
	    add_counts(s, counts + 1, size - 1, skip));
}

/* total * cutoff / SUMMARY_SCALE, where the product may have 84 bits. */
static uint64_t
share(uint64_t total, uint32_t cutoff)
{
	return total / SUMMARY_SCALE * cutoff +
	    total % SUMMARY_SCALE * cutoff / SUMMARY_SCALE;
}

/* What is left of the counters, from the largest. */
struct walk {
	const struct summary_tally *large;
	size_t large_size;
	const struct summary *summary;
	size_t small_size;
};

/* Of a value that no counter has there are 0.  False at the end. */
static bool
next_tally(struct walk *w, struct summary_tally *out)
{
	if (w->large_size != 0) {
		w->large_size--;
		*out = *w->large++;
		return true;
	}
	if (w->small_size == 0)
		return false;
	w->small_size--;
	*out = (struct summary_tally){ w->small_size,
	    w->summary->small[w->small_size] };
	if (w->small_size == 0)
		out->times += w->summary->zeros;
	return true;
}

bool
summary_entries(const struct summary *s, const uint32_t *cutoffs, size_t size,
    struct summary_entry *out)
{
	struct summary_tally t, *large = NULL;
	struct summary_entry at = { 0 };
	struct walk w = { .summary = s,
	    .small_size = s->small == NULL ? 0 : SUMMARY_SMALL };
	uint64_t sum = 0;

	if (!s->failed)
		large = gather(s, &w.large_size);
	if (large == NULL)
		return false;
	w.large = large;
	for (size_t i = 0; i < size; i++) {
		uint64_t want = share(s->total_block_count, cutoffs[i]);

		at.cutoff = cutoffs[i];
		while (sum < want && next_tally(&w, &t)) {
			if (t.times == 0)
				continue;
			at.min_count = t.count;
			at.counts += t.times;
			sum += t.count * t.times;
		}
		out[i] = at;
	}
	free(large);
	return true;
}

void
summary_free(struct summary *s)
{
	free(s->small);
	free(s->large);
	free(s->tallies);
	*s = (struct summary){ 0 };
}
