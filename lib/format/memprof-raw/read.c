/* Reads raw heap profiles, as the runtime of -fmemory-profile writes them. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "format/codec.h"
#include "format/memprof-raw/run.h"
#include "model/mib.h"

enum state {
	AT_PROFILE, AT_SEGMENT, AT_PAIR, AT_STACK, AT_ALLOCATION, AFTER_END
};

enum { PAIRS_MAX = 32 };

/* A record of pairs, and the offset of the next pair's block. */
struct pairs {
	size_t at;
	struct prof_stack stacks[PAIRS_MAX];
	struct prof_allocation allocations[PAIRS_MAX];
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
	struct pairs *pairs;		/* NULL if pairs are not wanted */
	/* Blocks whose fields contradict each other; the stack of the first. */
	uint64_t inconsistent, first_inconsistent;
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
	r->inconsistent = 0;
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

static enum prof_status
reader_next_profile(struct mraw_reader *r, struct prof_record *out)
{
	const struct mraw_dump *d = &r->run.first;

	out->kind = PROF_REC_PROFILE;
	out->u.profile = (struct prof_header){ .kind = PROF_MEMPROF,
	    .source = { .format = "memprof-raw", .version = d->row->version,
	    .endian = d->big ? 'b' : 'l', .pointer_bits = 64,
	    .offset = d->start } };
	reader_enter_section(r, AT_SEGMENT, MRAW_SEGMENTS);
	return PROF_OK;
}

/* All dumps of a run have the same segments. */
static enum prof_status
reader_next_segment(struct mraw_reader *r, struct prof_record *out)
{
	if (r->index == r->dump.count[MRAW_SEGMENTS])
		return PROF_END;
	out->kind = PROF_REC_SEGMENT;
	mraw_segment_get(&r->dump, r->index++, &out->u.segment);
	return PROF_OK;
}

/* Whether the file's numbers can be used as they are in memory. */
static bool
reader_is_native(const struct mraw_reader *r)
{
	return host_order(r->dump.big) &&
	    (uintptr_t)r->file.data % _Alignof(uint64_t) == 0;
}

/* The PCs, in the file itself if possible; NULL if out of memory. */
static const uint64_t *
reader_pcs(struct mraw_reader *r, const struct mraw_stack *s)
{
	if (reader_is_native(r))
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

/* Whether `count` amounts can have this minimum, maximum and total. */
static bool
amounts_agree(uint64_t count, uint64_t min, uint64_t max, uint64_t total)
{
	uint64_t least, most;

	if (min > max || !mul_u64(count, min, &least) || least > total)
		return false;
	return !mul_u64(count, max, &most) || most >= total;
}

/*
 * Whether minima, maxima and totals contradict each other.  Densities are not
 * tested, as the runtime cuts them to 32 bits; nor are maxima of version 1.
 */
static bool
mib_is_inconsistent(const struct prof_mib *m)
{
	const uint64_t *v = m->value;
	const uint64_t count = v[PROF_MIB_ALLOC_COUNT];

	if (count == 0 || !amounts_agree(count, v[PROF_MIB_MIN_LIFETIME],
	    v[PROF_MIB_MAX_LIFETIME], v[PROF_MIB_TOTAL_LIFETIME]))
		return true;
	if ((m->fields & MIB_FALSE_MAXIMA) != MIB_FALSE_MAXIMA)
		return false;
	return !amounts_agree(count, v[PROF_MIB_MIN_SIZE], v[PROF_MIB_MAX_SIZE],
	    v[PROF_MIB_TOTAL_SIZE]) ||
	    !amounts_agree(count, v[PROF_MIB_MIN_ACCESS_COUNT],
	    v[PROF_MIB_MAX_ACCESS_COUNT], v[PROF_MIB_TOTAL_ACCESS_COUNT]);
}

static void
reader_note_inconsistent(struct mraw_reader *r, const struct prof_allocation *a)
{
	if (mib_is_inconsistent(&a->info) && r->inconsistent++ == 0)
		r->first_inconsistent = a->stack;
}

static enum prof_status
reader_next_sum(struct mraw_reader *r, struct prof_record *out)
{
	const struct mraw_sum *sum;

	if (r->index == r->run.sums.size)
		return PROF_END;
	sum = &r->run.sums.items[r->index++];
	out->kind = PROF_REC_ALLOCATION;
	out->u.allocation.stack = sum->stack;
	out->u.allocation.info = sum->info;
	reader_note_inconsistent(r, &out->u.allocation);
	return PROF_OK;
}

static enum prof_status
reader_next_allocation(struct mraw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_allocation *a = &out->u.allocation;
	struct mraw_block b;
	bool ok;

	if (r->run.is_summed)
		return reader_next_sum(r, out);
	if (!reader_find_entry(r, MRAW_BLOCKS))
		return PROF_END;
	mraw_block_get(&r->dump, r->at, &b);
	r->at = b.next;
	r->index++;
	out->kind = PROF_REC_ALLOCATION;
	a->stack = b.stack;
	mraw_block_info(&r->dump, &b, &a->info);
	a->info.histogram = mraw_run_histogram(&r->run, &r->dump, &b, &ok);
	reader_note_inconsistent(r, a);
	return ok ? PROF_OK : err_memory(err);
}

static bool
reader_has_pairs(const struct mraw_reader *r)
{
	return r->pairs != NULL && r->run.is_paired &&
	    !r->run.is_summed && r->run.dumps == 1 && reader_is_native(r);
}

static void
reader_pair(struct mraw_reader *r, struct prof_stack *stack,
    struct prof_allocation *a)
{
	struct mraw_stack s;
	struct mraw_block b;

	mraw_stack_get(&r->dump, r->at, &s);
	mraw_block_get(&r->dump, r->pairs->at, &b);
	*stack = (struct prof_stack){ .id = s.id, .pcs = reader_pcs(r, &s),
	    .pcs_size = s.size };
	a->stack = s.id;
	mraw_block_info(&r->dump, &b, &a->info);
	reader_note_inconsistent(r, a);
	r->at = s.next;
	r->pairs->at = b.next;
	r->index++;
}

static enum prof_status
reader_next_pairs(struct mraw_reader *r, struct prof_record *out)
{
	const uint64_t left = r->dump.count[MRAW_STACKS] - r->index;
	struct pairs *p = r->pairs;

	if (left == 0)
		return PROF_END;
	out->kind = PROF_REC_PAIRS;
	out->u.pairs = (struct prof_pairs){ p->stacks, p->allocations,
	    left < PAIRS_MAX ? (size_t)left : PAIRS_MAX };
	for (size_t i = 0; i < out->u.pairs.size; i++)
		reader_pair(r, &p->stacks[i], &p->allocations[i]);
	return PROF_OK;
}

static enum prof_status
reader_next_end(struct mraw_reader *r, struct prof_record *out)
{
	if (r->inconsistent != 0)
		warn_at(r->base.context, r->run.first.start, "%llu memory "
		    "info blocks have totals that do not agree with their "
		    "minima and maxima, the first of stack 0x%llx",
		    (unsigned long long)r->inconsistent,
		    (unsigned long long)r->first_inconsistent);
	out->kind = PROF_REC_END;
	r->state = AFTER_END;
	return PROF_OK;
}

static enum prof_status
mraw_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct mraw_reader *r = (struct mraw_reader *)base;
	enum prof_status status = PROF_END;

	if (r->state == AFTER_END) {
		if (r->run.end == r->file.size)
			return PROF_END;
		if (reader_start_run(r, r->run.end, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (r->state == AT_PROFILE)
		return reader_next_profile(r, out);
	if (r->state == AT_SEGMENT) {
		status = reader_next_segment(r, out);
		if (status != PROF_END)
			return status;
		reader_enter_section(
		    r, reader_has_pairs(r) ? AT_PAIR : AT_STACK, MRAW_STACKS);
		if (r->state == AT_PAIR)
			r->pairs->at = r->dump.at[MRAW_BLOCKS];
	}
	if (r->state == AT_PAIR) {
		status = reader_next_pairs(r, out);
		return status == PROF_OK ? PROF_OK : reader_next_end(r, out);
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
	return reader_next_end(r, out);
}

static void
mraw_close(struct prof_reader *base)
{
	struct mraw_reader *r = (struct mraw_reader *)base;

	mraw_run_free(&r->run);
	free(r->pcs);
	free(r->pairs);
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
	if (context != NULL && context->pairs)
		r->pairs = malloc(sizeof(*r->pairs));
	if (reader_start_run(r, 0, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	return &r->base;
}
