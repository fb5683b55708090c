/*
 * Assigns addresses to modules that have none.  After a merge, PCs are offsets
 * into modules, since each run had mapped the modules somewhere else.
 *
 * A module without a range gets one of whole pages, from its offset 0 to the
 * largest offset in use.  Free ranges are searched from address 0 upwards, so
 * that the first module keeps its offsets as addresses if possible.
 */
#include "format/memprof-raw/writer.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* Assigned ranges begin at multiples of this. */
#define RANGE_ALIGNMENT (UINT64_C(1) << 20)

/* Addresses in use, from the first to the last. */
struct range {
	uint64_t first, last;
};

struct ranges {
	struct range *ranges;
	size_t size, room;
};

static bool
ranges_add(struct ranges *t, uint64_t first, uint64_t last)
{
	return ARRAY_ADD(t->ranges, t->size, t->room, (struct range){ first,
	    last });
}

/* Adds the PCs that are addresses already; fixups are in order. */
static bool
ranges_add_pcs(const struct mraw_writer *w, struct ranges *t)
{
	const uint8_t *p = w->stacks.data;
	size_t fixup = 0;

	for (size_t at = 0; at < w->stacks.size;) {
		uint64_t pcs = load_u64(p + at + 8, w->big);

		at += MRAW_STACK;
		for (; pcs > 0; pcs--, at += MRAW_PC) {
			uint64_t pc = load_u64(p + at, w->big);

			if (fixup < w->fixup_count &&
			    w->fixups[fixup].at == at)
				fixup++;
			else if (!ranges_add(t, pc, pc))
				return false;
		}
	}
	return true;
}

static bool
ranges_add_segments(const struct mraw_writer *w, struct ranges *t)
{
	for (size_t i = 0; i < w->segment_count; i++) {
		const struct prof_segment *s = &w->segments[i].segment;

		if (s->has_range && s->end > s->start &&
		    !ranges_add(t, s->start, s->end - 1))
			return false;
	}
	return true;
}

static int
ranges_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static void
ranges_sort(struct ranges *t)
{
	if (t->size != 0)
		qsort(t->ranges, t->size, sizeof(*t->ranges), ranges_compare);
}

/* Segments of several runs may overlap. */
static uint64_t
ranges_count_overlaps(const struct ranges *t)
{
	uint64_t n = 0, last = 0;

	for (size_t i = 0; i < t->size; i++) {
		n += i > 0 && t->ranges[i].first <= last;
		if (t->ranges[i].last > last)
			last = t->ranges[i].last;
	}
	return n;
}

static int
assign_compare_pcs(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/*
 * How many different addresses of a sum, which were in no segment of their
 * runs, are in one of the segments, whose ranges are sorted.
 */
static uint64_t
assign_count_inside(struct mraw_writer *w, const struct ranges *t)
{
	uint64_t n = 0, last = 0;
	size_t next = 0;

	if (t->size == 0 || w->outside_count == 0)
		return 0;
	qsort(w->outside, w->outside_count, sizeof(*w->outside),
	    assign_compare_pcs);
	for (size_t i = 0; i < w->outside_count; i++) {
		uint64_t pc = w->outside[i];

		for (; next < t->size && t->ranges[next].first <= pc; next++) {
			if (t->ranges[next].last > last)
				last = t->ranges[next].last;
		}
		n += next > 0 && pc <= last &&
		    (i == 0 || pc != w->outside[i - 1]);
	}
	return n;
}

/*
 * Moves *base up until the addresses from *base to *base + last are free; *next
 * is the first range in use that may overlap them.  False if there is no room.
 */
static bool
ranges_find_room(const struct ranges *t, size_t *next, uint64_t *base,
    uint64_t last)
{
	for (; *next < t->size; ++*next) {
		const struct range *r = &t->ranges[*next];

		if (last > UINT64_MAX - *base)
			return false;
		if (r->last < *base)
			continue;
		if (r->first > *base + last)
			return true;
		if (r->last >= UINT64_MAX - RANGE_ALIGNMENT)
			return false;
		*base = (r->last / RANGE_ALIGNMENT + 1) * RANGE_ALIGNMENT;
	}
	return last <= UINT64_MAX - *base;
}

static enum prof_status
assign_ranges(struct mraw_writer *w, const struct ranges *t,
    struct prof_error *err)
{
	uint64_t base = 0;
	size_t next = 0;

	for (size_t i = 0; i < w->segment_count; i++) {
		struct mraw_out_segment *s = &w->segments[i];
		/* Up to the end of a page. */
		uint64_t last = s->used | 0xfff;

		if (s->segment.has_range)
			continue;
		if (!ranges_find_room(t, &next, &base, last) ||
		    base + last >= UINT64_MAX - RANGE_ALIGNMENT)
			return err_set(err, PROF_E_UNSUPPORTED, "no room for "
			    "segment %llu, whose addresses go up to 0x%llx",
			    (unsigned long long)s->segment.id,
			    (unsigned long long)s->used);
		s->segment.start = s->segment.offset = base;
		s->segment.end = base + last + 1;
		base = ((base + last) / RANGE_ALIGNMENT + 1) * RANGE_ALIGNMENT;
	}
	return PROF_OK;
}

static void
assign_pcs(struct mraw_writer *w)
{
	for (size_t i = 0; i < w->fixup_count; i++) {
		const struct mraw_fixup *f = &w->fixups[i];
		uint8_t *p = w->stacks.data + f->at;
		uint64_t pc = load_u64(p, w->big) +
		    w->segments[f->segment].segment.offset;

		mraw_store_u64(p, pc, w->big);
	}
}

static bool
assign_is_needed(const struct mraw_writer *w)
{
	for (size_t i = 0; i < w->segment_count; i++) {
		if (!w->segments[i].segment.has_range)
			return true;
	}
	return false;
}

static enum prof_status
assign_all(struct mraw_writer *w, struct ranges *t, struct prof_error *err)
{
	if (!ranges_add_segments(w, t))
		return err_memory(err);
	ranges_sort(t);
	w->shared += ranges_count_overlaps(t);
	w->inside += assign_count_inside(w, t);
	if (!assign_is_needed(w))
		return PROF_OK;
	if (!ranges_add_pcs(w, t))
		return err_memory(err);
	ranges_sort(t);
	if (assign_ranges(w, t, err) != PROF_OK)
		return PROF_FAIL;
	assign_pcs(w);
	return PROF_OK;
}

enum prof_status
mraw_assign_addresses(struct mraw_writer *w, struct prof_error *err)
{
	struct ranges t = { .size = 0 };
	enum prof_status status = assign_all(w, &t, err);

	free(t.ranges);
	return status;
}
