/*
 * Addresses for modules that have none: after a merge, stacks have addresses of
 * modules, which were somewhere else in each run.
 *
 * A module without range is taken to begin at its address 0, and gets a range
 * of whole pages for all of its addresses that are used.  Ranges are looked for
 * from the bottom up, so that the first module is not moved if it need not be.
 */
#include "format/memprof-raw/writer.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* Ranges begin at multiples of this; the first is 0. */
#define STEP (UINT64_C(1) << 20)

/* Addresses that are taken, first and last. */
struct range {
	uint64_t first, last;
};

struct ranges {
	struct range *ranges;
	size_t size, room;
};

static bool
take(struct ranges *t, uint64_t first, uint64_t last)
{
	struct range *p = array_room(t->ranges, t->size, &t->room,
	    sizeof(*p));

	if (p == NULL)
		return false;
	t->ranges = p;
	p[t->size++] = (struct range){ first, last };
	return true;
}

/* Addresses that have their place already; fixups are in order. */
static bool
take_pcs(const struct mraw_writer *w, struct ranges *t)
{
	const uint8_t *p = w->stacks.data;
	size_t fixup = 0;

	for (size_t at = 0; at < w->stacks.size;) {
		uint64_t pcs = load_u64(p + at + 8, w->big);

		at += MRAW_STACK;
		for (; pcs > 0; pcs--, at += 8) {
			uint64_t pc = load_u64(p + at, w->big);

			if (fixup < w->fixup_count &&
			    w->fixups[fixup].at == at)
				fixup++;
			else if (!take(t, pc, pc))
				return false;
		}
	}
	return true;
}

static bool
take_segments(const struct mraw_writer *w, struct ranges *t)
{
	for (size_t i = 0; i < w->segment_count; i++) {
		const struct prof_segment *s = &w->segments[i].segment;

		if (s->has_range && s->end > s->start &&
		    !take(t, s->start, s->end - 1))
			return false;
	}
	return true;
}

static int
compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static void
sort(struct ranges *t)
{
	if (t->size != 0)
		qsort(t->ranges, t->size, sizeof(*t->ranges), compare);
}

/* Segments of several runs may lie over each other. */
static uint64_t
count_shared(const struct ranges *t)
{
	uint64_t n = 0, last = 0;

	for (size_t i = 0; i < t->size; i++) {
		n += i > 0 && t->ranges[i].first <= last;
		if (t->ranges[i].last > last)
			last = t->ranges[i].last;
	}
	return n;
}

/*
 * Moves *base up to where so many bytes are free; *next is the first taken
 * range that may be in the way.  False if there is no such place.
 */
static bool
find_room(const struct ranges *t, size_t *next, uint64_t *base, uint64_t last)
{
	for (; *next < t->size; ++*next) {
		const struct range *r = &t->ranges[*next];

		if (last > UINT64_MAX - *base)
			return false;
		if (r->last < *base)
			continue;
		if (r->first > *base + last)
			return true;
		if (r->last >= UINT64_MAX - STEP)
			return false;
		*base = (r->last / STEP + 1) * STEP;
	}
	return last <= UINT64_MAX - *base;
}

static enum prof_status
place_segments(struct mraw_writer *w, const struct ranges *t,
    struct prof_error *err)
{
	uint64_t base = 0;
	size_t next = 0;

	for (size_t i = 0; i < w->segment_count; i++) {
		struct mraw_out_segment *s = &w->segments[i];
		/* To the end of its page, which belongs to the range. */
		uint64_t last = s->used | 0xfff;

		if (s->segment.has_range)
			continue;
		if (!find_room(t, &next, &base, last) ||
		    base + last >= UINT64_MAX - STEP)
			return err_set(err, PROF_E_UNSUPPORTED, "no room for "
			    "segment %llu, whose addresses go up to 0x%llx",
			    (unsigned long long)s->segment.id,
			    (unsigned long long)s->used);
		s->segment.start = s->segment.offset = base;
		s->segment.end = base + last + 1;
		base = ((base + last) / STEP + 1) * STEP;
	}
	return PROF_OK;
}

static void
fix(struct mraw_writer *w)
{
	for (size_t i = 0; i < w->fixup_count; i++) {
		const struct mraw_fixup *f = &w->fixups[i];
		uint8_t *p = w->stacks.data + f->at;
		uint64_t pc = load_u64(p, w->big) +
		    w->segments[f->segment].segment.offset;

		for (unsigned k = 0; k < 8; k++)
			p[k] = (uint8_t)(pc >> (w->big ? 56 - 8 * k : 8 * k));
	}
}

static bool
has_homeless(const struct mraw_writer *w)
{
	for (size_t i = 0; i < w->segment_count; i++) {
		if (!w->segments[i].segment.has_range)
			return true;
	}
	return false;
}

static enum prof_status
place_all(struct mraw_writer *w, struct ranges *t, struct prof_error *err)
{
	if (!take_segments(w, t))
		return err_memory(err);
	sort(t);
	w->shared += count_shared(t);
	if (!has_homeless(w))
		return PROF_OK;
	if (!take_pcs(w, t))
		return err_memory(err);
	sort(t);
	if (place_segments(w, t, err) != PROF_OK)
		return PROF_FAIL;
	fix(w);
	return PROF_OK;
}

enum prof_status
mraw_place(struct mraw_writer *w, struct prof_error *err)
{
	struct ranges t = { .size = 0 };
	enum prof_status status = place_all(w, &t, err);

	free(t.ranges);
	return status;
}
