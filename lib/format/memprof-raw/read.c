#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/mib.h"
#include "format/memprof-raw/layout.h"

/*
 * The dumps of one run.  A program may dump its heap several times into one
 * file.  Dumps that follow each other are of one run, and make one profile, if
 * they have the same segments, and the same addresses in stacks with the same
 * id.
 */
/* All zero is empty. */
struct mraw_run {
	struct prof_context *context;	/* for warnings, or NULL */
	struct mraw_dump first;
	size_t dumps;
	size_t end;			/* offset after the last dump */
	/*
	 * By id: the offset of a stack's first entry, a multiple of 8, plus
	 * RUN_STACK_USED if the stack has a memory info block.
	 */
	struct id_map stacks;
	uint64_t entries;		/* stacks of all dumps */
	uint64_t repeated;		/* blocks of a stack that has one */
	uint64_t first_repeated;	/* the stack of the first of them */
	size_t used;			/* stacks that have blocks */
	bool is_summed;			/* blocks are in `sums` */
	struct mraw_sums sums;
	uint64_t *numbers;		/* room for a histogram */
	size_t numbers_room;
};

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
run_add_stacks(struct mraw_run *r, const struct mraw_dump *d,
    struct prof_error *err)
{
	size_t at = d->at[MRAW_STACKS];

	/* Further dumps of the run have mostly the same ids. */
	if (!id_map_reserve(&r->stacks, (size_t)d->count[MRAW_STACKS]))
		return err_memory(err);
	for (uint64_t i = 0; i < d->count[MRAW_STACKS]; i++) {
		struct mraw_stack s;
		uint64_t *value;

		mraw_stack_get(d, at, &s);
		value = id_map_add(&r->stacks, s.id, at);
		if (value == NULL)
			return err_memory(err);
		if (*value != at && !run_same_pcs(r, *value, &s))
			return err_at(err, PROF_E_CORRUPT, at, "stack 0x%llx "
			    "occurs twice, with other PCs at 0x%zx",
			    (unsigned long long)s.id, run_first_entry(*value));
		at = s.next;
	}
	r->entries += d->count[MRAW_STACKS];
	return PROF_OK;
}

/*
 * Notes the stacks of the blocks.  Several blocks of one stack are expected in
 * several dumps, but deserve a warning in a single one.
 */
static enum prof_status
run_add_blocks(struct mraw_run *r, const struct mraw_dump *d,
    struct prof_error *err)
{
	size_t at = d->at[MRAW_BLOCKS], next = 0;

	for (uint64_t i = 0; i < d->count[MRAW_BLOCKS]; i++) {
		struct mraw_block b;
		uint64_t *value;

		mraw_block_get(d, at, &b);
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
		at = b.next;
	}
	return PROF_OK;
}

static enum prof_status
run_add_dump(struct mraw_run *r, const struct mraw_dump *d,
    struct prof_error *err)
{
	if (run_add_stacks(r, d, err) != PROF_OK ||
	    run_add_blocks(r, d, err) != PROF_OK)
		return PROF_FAIL;
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		if (d->unread[s] >= 8)
			warn_at(r->context, d->limit[s] - d->unread[s], "%zu "
			    "bytes after the last of %llu %s are not read",
			    d->unread[s], (unsigned long long)d->count[s],
			    mraw_sections[s].entries);
	}
	r->dumps++;
	r->end = d->end;
	return PROF_OK;
}

/* Replaces a dump of the run by the next one; false after the last. */
static bool
mraw_run_next(const struct mraw_run *r, struct mraw_dump *d)
{
	return d->end < r->end &&
	    mraw_dump_open(d, d->file, d->end, NULL) == PROF_OK;
}

/*
 * The histogram of a block, valid until the next call; NULL if it has none, or
 * with *ok false if out of memory.
 */
static const uint64_t *
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

static enum prof_status
run_sum_blocks(struct mraw_run *r, struct prof_error *err)
{
	struct mraw_dump d = r->first;

	do {
		size_t at = d.at[MRAW_BLOCKS];

		for (uint64_t i = 0; i < d.count[MRAW_BLOCKS]; i++) {
			const uint64_t *histogram;
			struct mraw_block b;
			struct prof_mib m;
			bool ok;

			mraw_block_get(&d, at, &b);
			mraw_block_info(&d, &b, &m);
			histogram = mraw_run_histogram(r, &d, &b, &ok);
			if (!ok || !mraw_sums_add(&r->sums, b.stack, &m,
			    histogram))
				return err_memory(err);
			at = b.next;
		}
	} while (mraw_run_next(r, &d));
	if (r->sums.saturated != 0)
		warn_set(r->context, "memory info blocks whose sums do not fit "
		    "their fields, so that the largest value is kept: %llu, "
		    "the first of stack 0x%llx",
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
		warn_at(r->context, r->first.start, "memory info blocks of a "
		    "stack that has one already are added up: %llu, the first "
		    "of stack 0x%llx", (unsigned long long)r->repeated,
		    (unsigned long long)r->first_repeated);
	if (idle != 0)
		warn_at(r->context, r->first.start,
		    "stacks without a memory info block: %zu", idle);
}

/*
 * Reads and checks the dumps of one run from `start` on.  What the structure
 * held of another run is replaced.
 */
static enum prof_status
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
		    mraw_dump_check(&d, err) != PROF_OK)
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

/* False if an earlier entry than the one at this offset has the same id. */
static bool
mraw_run_is_first(const struct mraw_run *r, size_t at, uint64_t id)
{
	uint64_t *value;

	if (r->entries == r->stacks.size)
		return true;
	value = id_map_find(&r->stacks, id);
	return value == NULL || run_first_entry(*value) == at;
}

/* Reads raw heap profiles, as the runtime of -fmemory-profile writes them. */

enum state {
	AT_PROFILE, AT_SEGMENT, AT_STACK, AT_ALLOCATION, AFTER_END
};

struct mraw_reader {
	struct prof_reader base;
	struct prof_span file;
	struct mraw_run run;
	enum state state;
	/* The next entry: its dump, index in the section, and offset. */
	struct mraw_dump dump;
	uint64_t index;
	size_t at;
	uint64_t *pcs;
	size_t pcs_room;
};

bool
memprof_raw_sniff(struct prof_span first_bytes)
{
	bool big;

	return mraw_magic(first_bytes, &big);
}

static enum prof_status
reader_start_run(struct mraw_reader *r, size_t start, struct prof_error *err)
{
	r->state = AT_PROFILE;
	return mraw_run_open(&r->run, r->file, start, err);
}

/* Goes to the first entry of a section, in the first dump of the run. */
static void
reader_enter_section(struct mraw_reader *r, enum state state,
    enum mraw_section s)
{
	r->state = state;
	r->dump = r->run.first;
	r->index = 0;
	r->at = r->dump.at[s];
}

/* Goes on to the next dump if needed; false after the last dump's section. */
static bool
reader_find_entry(struct mraw_reader *r, enum mraw_section s)
{
	while (r->index == r->dump.count[s]) {
		if (!mraw_run_next(&r->run, &r->dump))
			return false;
		r->index = 0;
		r->at = r->dump.at[s];
	}
	return true;
}

/* The PCs, in the file itself if possible; NULL if out of memory. */
static const uint64_t *
reader_pcs(struct mraw_reader *r, const struct mraw_stack *s)
{
	if (host_order(r->dump.big) &&
	    (uintptr_t)r->file.data % _Alignof(uint64_t) == 0)
		return (const uint64_t *)(const void *)s->pcs;
	if (!ARRAY_RESERVE(r->pcs, 0, s->size + 1, r->pcs_room))
		return NULL;
	for (size_t i = 0; i < s->size; i++)
		r->pcs[i] = load_u64(s->pcs + MRAW_PC * i, r->dump.big);
	return r->pcs;
}

static enum prof_status
reader_next_stack(struct mraw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct mraw_stack s;
	size_t at;

	do {
		if (!reader_find_entry(r, MRAW_STACKS))
			return PROF_END;
		at = r->at;
		mraw_stack_get(&r->dump, at, &s);
		r->at = s.next;
		r->index++;
	} while (!mraw_run_is_first(&r->run, at, s.id));
	out->kind = PROF_REC_STACK;
	out->u.stack = (struct prof_stack){ .id = s.id, .pcs_size = s.size,
	    .pcs = reader_pcs(r, &s) };
	return out->u.stack.pcs == NULL ? err_memory(err) : PROF_OK;
}

static enum prof_status
reader_next_allocation(struct mraw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_allocation *a = &out->u.allocation;
	const struct mraw_sum *sum;
	struct mraw_block b;
	bool ok;

	out->kind = PROF_REC_ALLOCATION;
	if (r->run.is_summed) {
		if (r->index == r->run.sums.size)
			return PROF_END;
		sum = &r->run.sums.items[r->index++];
		a->stack = sum->stack;
		a->info = sum->info;
		return PROF_OK;
	}
	if (!reader_find_entry(r, MRAW_BLOCKS))
		return PROF_END;
	mraw_block_get(&r->dump, r->at, &b);
	r->at = b.next;
	r->index++;
	a->stack = b.stack;
	mraw_block_info(&r->dump, &b, &a->info);
	a->info.histogram = mraw_run_histogram(&r->run, &r->dump, &b, &ok);
	return ok ? PROF_OK : err_memory(err);
}

static enum prof_status
mraw_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct mraw_reader *r = (struct mraw_reader *)base;
	const struct mraw_dump *d = &r->run.first;
	enum prof_status status = PROF_END;

	if (r->state == AFTER_END) {
		if (r->run.end == r->file.size)
			return PROF_END;
		if (reader_start_run(r, r->run.end, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (r->state == AT_PROFILE) {
		out->kind = PROF_REC_PROFILE;
		out->u.profile = (struct prof_header){ .kind = PROF_MEMPROF,
		    .source = { .format = "memprof-raw",
		    .version = d->row->version, .endian = d->big ? 'b' : 'l',
		    .pointer_bits = 64, .offset = d->start } };
		reader_enter_section(r, AT_SEGMENT, MRAW_SEGMENTS);
		return PROF_OK;
	}
	if (r->state == AT_SEGMENT) {
		/* All dumps of a run have the same segments. */
		if (r->index < r->dump.count[MRAW_SEGMENTS]) {
			out->kind = PROF_REC_SEGMENT;
			mraw_segment_get(&r->dump, r->index++,
			    &out->u.segment);
			return PROF_OK;
		}
		reader_enter_section(r, AT_STACK, MRAW_STACKS);
	}
	if (r->state == AT_STACK) {
		status = reader_next_stack(r, out, err);
		if (status != PROF_END)
			return status;
		reader_enter_section(r, AT_ALLOCATION, MRAW_BLOCKS);
	}
	if (r->state == AT_ALLOCATION) {
		status = reader_next_allocation(r, out, err);
		if (status != PROF_END)
			return status;
	}
	out->kind = PROF_REC_END;
	r->state = AFTER_END;
	return PROF_OK;
}

static void
mraw_close(struct prof_reader *base)
{
	struct mraw_reader *r = (struct mraw_reader *)base;

	id_map_free(&r->run.stacks);
	mraw_sums_free(&r->run.sums);
	free(r->run.numbers);
	free(r->pcs);
}

static const struct reader_ops mraw_ops = {
	.size = sizeof(struct mraw_reader),
	.next = mraw_next,
	.close = mraw_close,
};

struct prof_reader *
memprof_raw_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct mraw_reader *r = codec_reader_new(&mraw_ops, context, err);

	if (r == NULL)
		return NULL;
	r->file = image;
	r->run.context = context;
	if (reader_start_run(r, 0, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	return &r->base;
}
