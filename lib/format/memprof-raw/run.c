#include "format/memprof-raw/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* Set in the value of a stack that has a memory info block. */
#define RUN_STACK_USED UINT64_C(1)

static bool
run_same_segments(const struct mraw_dump *a, const struct mraw_dump *b)
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

/* The offset in the value of a stack. */
static size_t
run_first_entry(uint64_t value)
{
	return (size_t)(value & ~RUN_STACK_USED);
}

static bool
run_same_pcs(const struct mraw_run *r, uint64_t value,
    const struct mraw_stack *s)
{
	struct mraw_stack before;

	mraw_stack_get(&r->first, run_first_entry(value), &before);
	return s->size == before.size &&
	    memcmp(s->pcs, before.pcs, MRAW_PC * s->size) == 0;
}

/* Whether a further dump, whose entries were checked, is of the same run. */
static bool
run_includes(const struct mraw_run *r, const struct mraw_dump *d)
{
	size_t at = d->at[MRAW_STACKS];

	if (!run_same_segments(&r->first, d))
		return false;
	for (uint64_t i = 0; i < d->count[MRAW_STACKS]; i++) {
		struct mraw_stack s;
		uint64_t *value;

		mraw_stack_get(d, at, &s);
		value = id_map_find(&r->stacks, s.id);
		if (value != NULL && !run_same_pcs(r, *value, &s))
			return false;
		at = s.next;
	}
	return true;
}

static enum prof_status
run_add_stacks(struct mraw_run *r, struct mraw_dump *d,
    struct prof_error *err)
{
	size_t at = d->at[MRAW_STACKS];

	/* Further dumps of the run have mostly the same ids. */
	if (!id_map_reserve(&r->stacks, (size_t)d->count[MRAW_STACKS]))
		return err_memory(err);
	for (uint64_t i = 0; i < d->count[MRAW_STACKS]; i++) {
		struct mraw_stack s;
		uint64_t *value;

		if (!mraw_stack_check(d, at, &s))
			return mraw_stack_error(d, i, at, err);
		value = id_map_add(&r->stacks, s.id, at);
		if (value == NULL)
			return err_memory(err);
		if (*value != at && !run_same_pcs(r, *value, &s))
			return err_at(err, PROF_E_CORRUPT, at, "stack 0x%llx "
			    "occurs twice, with other PCs at 0x%zx",
			    (unsigned long long)s.id, run_first_entry(*value));
		at = s.next;
	}
	d->unread[MRAW_STACKS] = d->limit[MRAW_STACKS] - at;
	r->entries += d->count[MRAW_STACKS];
	return PROF_OK;
}

/*
 * Notes the stacks of the blocks.  Several blocks of one stack are expected in
 * several dumps, but deserve a warning in a single one.
 */
static enum prof_status
run_add_blocks(struct mraw_run *r, struct mraw_dump *d,
    struct prof_error *err)
{
	size_t at = d->at[MRAW_BLOCKS], next = 0;

	r->is_paired = r->dumps == 0 &&
	    r->stacks.size == d->count[MRAW_STACKS] &&
	    r->stacks.size == d->count[MRAW_BLOCKS];
	for (uint64_t i = 0; i < d->count[MRAW_BLOCKS]; i++) {
		struct mraw_block b;
		uint64_t *value;

		if (!mraw_block_check(d, at, &b))
			return mraw_block_error(d, i, at, err);
		value = id_map_find_next(&r->stacks, &next, b.stack);
		if (value == NULL)
			return err_at(err, PROF_E_CORRUPT, at, "memory info "
			    "block %llu is of stack 0x%llx, which is missing",
			    (unsigned long long)i, (unsigned long long)b.stack);
		if ((*value & RUN_STACK_USED) == 0)
			r->used++;
		else if (r->repeated++ == 0)
			r->first_repeated = b.stack;
		*value |= RUN_STACK_USED;
		if (next != i + 1 || b.histogram_size != 0)
			r->is_paired = false;
		at = b.next;
	}
	d->unread[MRAW_BLOCKS] = d->limit[MRAW_BLOCKS] - at;
	return PROF_OK;
}

static void
run_warn_unread(const struct mraw_run *r, const struct mraw_dump *d)
{
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		if (d->unread[s] >= 8)
			warn_at(r->context, d->limit[s] - d->unread[s], "%zu "
			    "bytes after the last of %llu %s are not read",
			    d->unread[s], (unsigned long long)d->count[s],
			    mraw_sections[s].entries);
	}
}

static enum prof_status
run_add_dump(struct mraw_run *r, struct mraw_dump *d,
    struct prof_error *err)
{
	if (run_add_stacks(r, d, err) != PROF_OK ||
	    run_add_blocks(r, d, err) != PROF_OK)
		return PROF_FAIL;
	run_warn_unread(r, d);
	r->dumps++;
	r->end = d->end;
	return PROF_OK;
}

static enum prof_status
run_sum_dump(struct mraw_run *r, const struct mraw_dump *d,
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
		histogram = mraw_run_histogram(r, d, &b, &ok);
		if (!ok || !mraw_sums_add(&r->sums, b.stack, &m, histogram))
			return err_memory(err);
		at = b.next;
	}
	return PROF_OK;
}

static enum prof_status
run_sum_blocks(struct mraw_run *r, struct prof_error *err)
{
	struct mraw_dump d = r->first;

	do {
		if (run_sum_dump(r, &d, err) != PROF_OK)
			return PROF_FAIL;
	} while (mraw_run_next(r, &d));
	if (r->sums.saturated != 0)
		warn_set(r->context, "%llu memory info blocks have sums that "
		    "do not fit their fields: the largest value is kept, the "
		    "first of stack 0x%llx",
		    (unsigned long long)r->sums.saturated,
		    (unsigned long long)r->sums.first_saturated);
	return PROF_OK;
}

static void
run_warn(const struct mraw_run *r)
{
	size_t idle = r->stacks.size - r->used;

	if (r->dumps > 1)
		warn_at(r->context, r->first.start, "%zu dumps of one run are "
		    "added up: memory live at several counts once for each",
		    r->dumps);
	else if (r->repeated != 0)
		warn_at(r->context, r->first.start, "%llu memory info blocks "
		    "are of a stack that has one already, the first of stack "
		    "0x%llx: added up", (unsigned long long)r->repeated,
		    (unsigned long long)r->first_repeated);
	if (idle != 0)
		warn_at(r->context, r->first.start,
		    "%zu stacks have no memory info block", idle);
}

/* In the first dump, stacks and blocks are checked while they are added. */
static enum prof_status
run_check_dump(const struct mraw_run *r, struct mraw_dump *d,
    struct prof_error *err)
{
	return r->dumps == 0 ? mraw_segments_check(d, err) :
	    mraw_dump_check(d, err);
}

enum prof_status
mraw_run_open(struct mraw_run *r, struct prof_span file, size_t start,
    struct prof_error *err)
{
	struct mraw_dump d;

	id_map_free(&r->stacks);
	mraw_sums_clear(&r->sums);
	r->dumps = r->used = 0;
	r->entries = r->repeated = 0;
	r->end = start;
	do {
		if (mraw_dump_open(&d, file, r->end, err) != PROF_OK ||
		    run_check_dump(r, &d, err) != PROF_OK)
			return PROF_FAIL;
		if (r->dumps == 0)
			r->first = d;
		else if (!run_includes(r, &d))
			break;
		if (run_add_dump(r, &d, err) != PROF_OK)
			return PROF_FAIL;
	} while (r->end < file.size);
	run_warn(r);
	r->is_summed = r->repeated != 0;
	return r->is_summed ? run_sum_blocks(r, err) : PROF_OK;
}

bool
mraw_run_next(const struct mraw_run *r, struct mraw_dump *d)
{
	return d->end < r->end &&
	    mraw_dump_open(d, d->file, d->end, NULL) == PROF_OK;
}

bool
mraw_run_is_first(const struct mraw_run *r, size_t at, uint64_t id)
{
	uint64_t *value;

	if (r->entries == r->stacks.size)
		return true;
	value = id_map_find(&r->stacks, id);
	return value == NULL || run_first_entry(*value) == at;
}

const uint64_t *
mraw_run_histogram(struct mraw_run *r, const struct mraw_dump *d,
    const struct mraw_block *b, bool *ok)
{
	const size_t size = b->histogram_size;

	*ok = true;
	if (size == 0)
		return NULL;
	*ok = ARRAY_RESERVE(r->numbers, 0, size, r->numbers_room);
	if (!*ok)
		return NULL;
	mraw_histogram(d, b, r->numbers);
	return r->numbers;
}

void
mraw_run_free(struct mraw_run *r)
{
	id_map_free(&r->stacks);
	mraw_sums_free(&r->sums);
	free(r->numbers);
}
