#include "format/memprof-raw/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool
same_segments(const struct mraw_dump *a, const struct mraw_dump *b)
{
	if (a->big != b->big ||
	    a->row->file_addresses != b->row->file_addresses ||
	    a->count[MRAW_SEGMENTS] != b->count[MRAW_SEGMENTS])
		return false;
	for (uint64_t i = 0; i < a->count[MRAW_SEGMENTS]; i++) {
		struct prof_segment s, t;

		mraw_segment_get(a, i, &s);
		mraw_segment_get(b, i, &t);
		if (s.start != t.start || s.end != t.end ||
		    s.offset != t.offset ||
		    !prof_span_equal(s.build_id, t.build_id))
			return false;
	}
	return true;
}

/* Offset of the first stack of that id. */
static size_t
first_of(uint64_t value)
{
	return (size_t)(value & ~UINT64_C(1));
}

static bool
same_pcs(const struct mraw_group *g, uint64_t value,
    const struct mraw_stack *s)
{
	struct mraw_stack before;

	mraw_stack_get(&g->first, first_of(value), &before);
	return s->size == before.size &&
	    memcmp(s->pcs, before.pcs, 8 * s->size) == 0;
}

/* Whether a further dump, all of it checked, can go with those before. */
static bool
goes_with(const struct mraw_group *g, const struct mraw_dump *d)
{
	size_t at = d->at[MRAW_STACKS];

	if (!same_segments(&g->first, d))
		return false;
	for (uint64_t i = 0; i < d->count[MRAW_STACKS]; i++) {
		struct mraw_stack s;
		uint64_t *value;

		mraw_stack_get(d, at, &s);
		value = id_map_find(&g->stacks, s.id);
		if (value != NULL && !same_pcs(g, *value, &s))
			return false;
		at = s.next;
	}
	return true;
}

static enum prof_status
add_stacks(struct mraw_group *g, struct mraw_dump *d,
    struct prof_error *err)
{
	size_t at = d->at[MRAW_STACKS];

	/* Other dumps of the run have the same ids. */
	if (!id_map_reserve(&g->stacks, (size_t)d->count[MRAW_STACKS]))
		return err_memory(err);
	for (uint64_t i = 0; i < d->count[MRAW_STACKS]; i++) {
		struct mraw_stack s;
		uint64_t *value;

		if (!mraw_stack_check(d, at, &s))
			return mraw_stack_error(d, i, at, err);
		value = id_map_add(&g->stacks, s.id, at);
		if (value == NULL)
			return err_memory(err);
		if (*value != at && !same_pcs(g, *value, &s))
			return err_at(err, PROF_E_CORRUPT, at, "stack 0x%llx "
			    "is there twice, with other PCs at 0x%zx",
			    (unsigned long long)s.id, first_of(*value));
		at = s.next;
	}
	d->unread[MRAW_STACKS] = d->limit[MRAW_STACKS] - at;
	g->entries += d->count[MRAW_STACKS];
	return PROF_OK;
}

/* Blocks of one stack: in one dump they are odd, in several as expected. */
static enum prof_status
add_blocks(struct mraw_group *g, struct mraw_dump *d,
    struct prof_error *err)
{
	size_t at = d->at[MRAW_BLOCKS], next = 0;

	g->is_paired = g->dumps == 0 &&
	    g->stacks.size == d->count[MRAW_STACKS] &&
	    g->stacks.size == d->count[MRAW_BLOCKS];
	for (uint64_t i = 0; i < d->count[MRAW_BLOCKS]; i++) {
		struct mraw_block b;
		uint64_t *value;

		if (!mraw_block_check(d, at, &b))
			return mraw_block_error(d, i, at, err);
		value = id_map_find_next(&g->stacks, &next, b.stack);
		if (value == NULL)
			return err_at(err, PROF_E_CORRUPT, at, "memory info "
			    "block %llu is of stack 0x%llx, which is not there",
			    (unsigned long long)i,
			    (unsigned long long)b.stack);
		if ((*value & 1) == 0)
			g->used++;
		else if (g->repeated++ == 0)
			g->first_repeated = b.stack;
		*value |= 1;
		if (next != i + 1 || b.histogram_size != 0)
			g->is_paired = false;
		at = b.next;
	}
	d->unread[MRAW_BLOCKS] = d->limit[MRAW_BLOCKS] - at;
	return PROF_OK;
}

static void
warn_unread(const struct mraw_group *g, const struct mraw_dump *d)
{
	static const char *const names[MRAW_SECTIONS] = {
		"segments", "memory info blocks", "stacks"
	};

	for (int s = 0; s < MRAW_SECTIONS; s++) {
		if (d->unread[s] >= 8)
			warn_at(g->context, d->limit[s] - d->unread[s],
			    "%zu bytes behind the last of %llu %s are not read",
			    d->unread[s], (unsigned long long)d->count[s],
			    names[s]);
	}
}

static enum prof_status
add_dump(struct mraw_group *g, struct mraw_dump *d,
    struct prof_error *err)
{
	if (add_stacks(g, d, err) != PROF_OK ||
	    add_blocks(g, d, err) != PROF_OK)
		return PROF_FAIL;
	warn_unread(g, d);
	g->dumps++;
	g->end = d->end;
	return PROF_OK;
}

static enum prof_status
fold_dump(struct mraw_group *g, const struct mraw_dump *d,
    struct prof_error *err)
{
	size_t at = d->at[MRAW_BLOCKS];

	for (uint64_t i = 0; i < d->count[MRAW_BLOCKS]; i++) {
		const uint64_t *histogram;
		struct mraw_block b;
		struct prof_mib m;
		bool ok;

		mraw_block_get(d, at, &b);
		mraw_block_info(d, &b, &m);
		histogram = mraw_group_histogram(g, d, &b, &ok);
		if (!ok || !mraw_fold_add(&g->fold, b.stack, &m, histogram))
			return err_memory(err);
		at = b.next;
	}
	return PROF_OK;
}

static enum prof_status
fold(struct mraw_group *g, struct prof_error *err)
{
	struct mraw_dump d = g->first;

	do {
		if (fold_dump(g, &d, err) != PROF_OK)
			return PROF_FAIL;
	} while (mraw_group_next(g, &d));
	if (g->fold.saturated != 0)
		warn_set(g->context, "%llu memory info blocks make sums that "
		    "do not fit their fields and stay at the largest value, "
		    "the first of stack 0x%llx",
		    (unsigned long long)g->fold.saturated,
		    (unsigned long long)g->fold.first_saturated);
	return PROF_OK;
}

static void
warn_of(const struct mraw_group *g)
{
	size_t idle = g->stacks.size - g->used;

	if (g->dumps > 1)
		warn_at(g->context, g->first.start, "%zu dumps of one run are "
		    "added up: what was alive at several counts once for each",
		    g->dumps);
	else if (g->repeated != 0)
		warn_at(g->context, g->first.start, "%llu memory info blocks "
		    "are of a stack that has one, the first of stack 0x%llx: "
		    "added up", (unsigned long long)g->repeated,
		    (unsigned long long)g->first_repeated);
	if (idle != 0)
		warn_at(g->context, g->first.start,
		    "%zu stacks have no memory info block", idle);
}

/* Stacks and blocks of the first dump are checked as they are added. */
static enum prof_status
check(const struct mraw_group *g, struct mraw_dump *d, struct prof_error *err)
{
	return g->dumps == 0 ? mraw_segments_check(d, err) :
	    mraw_dump_check(d, err);
}

enum prof_status
mraw_group_open(struct mraw_group *g, struct prof_span file, size_t start,
    struct prof_error *err)
{
	struct mraw_dump d;

	id_map_free(&g->stacks);
	mraw_fold_clear(&g->fold);
	g->dumps = g->used = 0;
	g->entries = g->repeated = 0;
	g->end = start;
	do {
		if (mraw_dump_place(&d, file, g->end, err) != PROF_OK ||
		    check(g, &d, err) != PROF_OK)
			return PROF_FAIL;
		if (g->dumps == 0)
			g->first = d;
		else if (!goes_with(g, &d))
			break;
		if (add_dump(g, &d, err) != PROF_OK)
			return PROF_FAIL;
	} while (g->end < file.size);
	warn_of(g);
	g->is_folded = g->repeated != 0;
	return g->is_folded ? fold(g, err) : PROF_OK;
}

bool
mraw_group_next(const struct mraw_group *g, struct mraw_dump *d)
{
	return d->end < g->end &&
	    mraw_dump_place(d, d->file, d->end, NULL) == PROF_OK;
}

bool
mraw_group_is_first(const struct mraw_group *g, size_t at, uint64_t id)
{
	uint64_t *value;

	if (g->entries == g->stacks.size)
		return true;
	value = id_map_find(&g->stacks, id);
	return value == NULL || first_of(*value) == at;
}

const uint64_t *
mraw_group_histogram(struct mraw_group *g, const struct mraw_dump *d,
    const struct mraw_block *b, bool *ok)
{
	const size_t size = b->histogram_size;
	uint64_t *p;

	*ok = true;
	if (size == 0)
		return NULL;
	if (size > g->numbers_room) {
		p = size > SIZE_MAX / sizeof(*p) ? NULL :
		    realloc(g->numbers, size * sizeof(*p));
		*ok = p != NULL;
		if (p == NULL)
			return NULL;
		g->numbers = p;
		g->numbers_room = size;
	}
	mraw_histogram(d, b, g->numbers);
	return g->numbers;
}

void
mraw_group_free(struct mraw_group *g)
{
	id_map_free(&g->stacks);
	mraw_fold_free(&g->fold);
	free(g->numbers);
}
