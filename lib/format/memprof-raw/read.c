/*
 * Raw heap profiles, as the runtime of -fmemory-profile writes them, to
 * records.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/codec.h"
#include "format/memprof-raw/group.h"

enum state {
	AT_PROFILE, AT_SEGMENT, AT_PAIR, AT_STACK, AT_ALLOCATION, BEHIND
};

enum { PAIRS_MAX = 32 };

/* A record of pairs, and where the next block stands. */
struct pairs {
	size_t at;
	struct prof_stack stacks[PAIRS_MAX];
	struct prof_allocation allocations[PAIRS_MAX];
};

struct mraw_reader {
	struct prof_reader base;
	struct prof_span file;
	struct mraw_group group;
	enum state state;
	struct mraw_dump dump;		/* where the next entry stands */
	uint64_t index;			/* of that entry */
	size_t at;			/* its offset */
	uint64_t *pcs;
	size_t pcs_room;
	struct pairs *pairs;		/* NULL: not asked for */
	/* Blocks whose fields contradict each other. */
	uint64_t odd, first_odd;
};

bool
memprof_raw_sniff(struct prof_span first_bytes)
{
	bool big;

	return mraw_magic(first_bytes, &big);
}

static enum prof_status
start_group(struct mraw_reader *r, size_t start, struct prof_error *err)
{
	r->state = AT_PROFILE;
	r->odd = 0;
	return mraw_group_open(&r->group, r->file, start, err);
}

/* Goes to the first entry of a section, in the group's first dump. */
static void
enter(struct mraw_reader *r, enum state state, enum mraw_section s)
{
	r->state = state;
	r->dump = r->group.first;
	r->index = 0;
	r->at = r->dump.at[s];
}

/* False behind the last entry of a section of the last dump. */
static bool
find_entry(struct mraw_reader *r, enum mraw_section s)
{
	while (r->index == r->dump.count[s]) {
		if (!mraw_group_next(&r->group, &r->dump))
			return false;
		r->index = 0;
		r->at = r->dump.at[s];
	}
	return true;
}

static enum prof_status
next_profile(struct mraw_reader *r, struct prof_record *out)
{
	const struct mraw_dump *d = &r->group.first;

	out->kind = PROF_REC_PROFILE;
	out->u.profile = (struct prof_header){ .kind = PROF_MEMPROF,
	    .source = { .format = "memprof-raw", .version = d->row->version,
	    .endian = d->big ? 'b' : 'l', .pointer_bits = 64,
	    .offset = d->start } };
	enter(r, AT_SEGMENT, MRAW_SEGMENTS);
	return PROF_OK;
}

/* All dumps of the group have the segments of its first. */
static enum prof_status
next_segment(struct mraw_reader *r, struct prof_record *out)
{
	if (r->index == r->dump.count[MRAW_SEGMENTS])
		return PROF_END;
	out->kind = PROF_REC_SEGMENT;
	mraw_segment_get(&r->dump, r->index++, &out->u.segment);
	return PROF_OK;
}

/* Numbers stand as this machine would store them. */
static bool
is_native(const struct mraw_reader *r)
{
	return host_order(r->dump.big) &&
	    (uintptr_t)r->file.data % _Alignof(uint64_t) == 0;
}

/* The file's own numbers, where that can be. */
static const uint64_t *
get_pcs(struct mraw_reader *r, const struct mraw_stack *s)
{
	uint64_t *p;

	if (is_native(r))
		return (const uint64_t *)(const void *)s->pcs;
	if (s->size > r->pcs_room || r->pcs == NULL) {
		p = s->size > SIZE_MAX / sizeof(*p) ? NULL :
		    realloc(r->pcs, (s->size + 1) * sizeof(*p));
		if (p == NULL)
			return NULL;
		r->pcs = p;
		r->pcs_room = s->size;
	}
	for (size_t i = 0; i < s->size; i++)
		r->pcs[i] = load_u64(s->pcs + 8 * i, r->dump.big);
	return r->pcs;
}

static enum prof_status
next_stack(struct mraw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct mraw_stack s;
	size_t at;

	do {
		if (!find_entry(r, MRAW_STACKS))
			return PROF_END;
		at = r->at;
		mraw_stack_get(&r->dump, at, &s);
		r->at = s.next;
		r->index++;
	} while (!mraw_group_is_first(&r->group, at, s.id));
	out->kind = PROF_REC_STACK;
	out->u.stack = (struct prof_stack){ .id = s.id, .pcs_size = s.size,
	    .pcs = get_pcs(r, &s) };
	return out->u.stack.pcs == NULL ? err_memory(err) : PROF_OK;
}

/* Whether a minimum, a maximum and a sum can be of so many amounts. */
static bool
agree(uint64_t count, uint64_t min, uint64_t max, uint64_t total)
{
	uint64_t least, most;

	if (min > max || !mul_u64(count, min, &least) || least > total)
		return false;
	return !mul_u64(count, max, &most) || most >= total;
}

/*
 * Whether amounts do not agree.  Densities are cut to 32 bits by the runtime
 * and need not; maxima of v1 are unknown.
 */
static bool
is_odd(const struct prof_mib *m)
{
	const uint64_t *v = m->value;
	const uint64_t count = v[PROF_MIB_ALLOC_COUNT];
	const uint32_t maxima = UINT32_C(1) << PROF_MIB_MAX_ACCESS_COUNT |
	    UINT32_C(1) << PROF_MIB_MAX_SIZE;

	if (count == 0 || !agree(count, v[PROF_MIB_MIN_LIFETIME],
	    v[PROF_MIB_MAX_LIFETIME], v[PROF_MIB_TOTAL_LIFETIME]))
		return true;
	if ((m->fields & maxima) != maxima)
		return false;
	return !agree(count, v[PROF_MIB_MIN_SIZE], v[PROF_MIB_MAX_SIZE],
	    v[PROF_MIB_TOTAL_SIZE]) ||
	    !agree(count, v[PROF_MIB_MIN_ACCESS_COUNT],
	    v[PROF_MIB_MAX_ACCESS_COUNT], v[PROF_MIB_TOTAL_ACCESS_COUNT]);
}

static void
note_if_odd(struct mraw_reader *r, const struct prof_allocation *a)
{
	if (is_odd(&a->info) && r->odd++ == 0)
		r->first_odd = a->stack;
}

static enum prof_status
next_folded(struct mraw_reader *r, struct prof_record *out)
{
	const struct mraw_folded *f;

	if (r->index == r->group.fold.size)
		return PROF_END;
	f = &r->group.fold.blocks[r->index++];
	out->kind = PROF_REC_ALLOCATION;
	out->u.allocation.stack = f->stack;
	out->u.allocation.info = f->info;
	note_if_odd(r, &out->u.allocation);
	return PROF_OK;
}

static enum prof_status
next_allocation(struct mraw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_allocation *a = &out->u.allocation;
	struct mraw_block b;
	bool ok;

	if (r->group.is_folded)
		return next_folded(r, out);
	if (!find_entry(r, MRAW_BLOCKS))
		return PROF_END;
	mraw_block_get(&r->dump, r->at, &b);
	r->at = b.next;
	r->index++;
	out->kind = PROF_REC_ALLOCATION;
	a->stack = b.stack;
	mraw_block_info(&r->dump, &b, &a->info);
	a->info.histogram = mraw_group_histogram(&r->group, &r->dump, &b, &ok);
	note_if_odd(r, a);
	return ok ? PROF_OK : err_memory(err);
}

static bool
has_pairs(const struct mraw_reader *r)
{
	return r->pairs != NULL && r->group.is_paired &&
	    !r->group.is_folded && r->group.dumps == 1 && is_native(r);
}

static void
get_pair(struct mraw_reader *r, struct prof_stack *stack,
    struct prof_allocation *a)
{
	struct mraw_stack s;
	struct mraw_block b;

	mraw_stack_get(&r->dump, r->at, &s);
	mraw_block_get(&r->dump, r->pairs->at, &b);
	*stack = (struct prof_stack){ .id = s.id, .pcs = get_pcs(r, &s),
	    .pcs_size = s.size };
	a->stack = s.id;
	mraw_block_info(&r->dump, &b, &a->info);
	note_if_odd(r, a);
	r->at = s.next;
	r->pairs->at = b.next;
	r->index++;
}

static enum prof_status
next_pairs(struct mraw_reader *r, struct prof_record *out)
{
	const uint64_t left = r->dump.count[MRAW_STACKS] - r->index;
	struct pairs *p = r->pairs;

	if (left == 0)
		return PROF_END;
	out->kind = PROF_REC_PAIRS;
	out->u.pairs = (struct prof_pairs){ p->stacks, p->allocations,
	    left < PAIRS_MAX ? (size_t)left : PAIRS_MAX };
	for (size_t i = 0; i < out->u.pairs.size; i++)
		get_pair(r, &p->stacks[i], &p->allocations[i]);
	return PROF_OK;
}

static enum prof_status
next_end(struct mraw_reader *r, struct prof_record *out)
{
	if (r->odd != 0)
		warn_at(r->base.context, r->group.first.start, "%llu memory "
		    "info blocks have totals that do not agree with their "
		    "minima and maxima, the first of stack 0x%llx",
		    (unsigned long long)r->odd,
		    (unsigned long long)r->first_odd);
	out->kind = PROF_REC_END;
	r->state = BEHIND;
	return PROF_OK;
}

static enum prof_status
mraw_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct mraw_reader *r = (struct mraw_reader *)base;
	enum prof_status status = PROF_END;

	if (r->state == BEHIND) {
		if (r->group.end == r->file.size)
			return PROF_END;
		if (start_group(r, r->group.end, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (r->state == AT_PROFILE)
		return next_profile(r, out);
	if (r->state == AT_SEGMENT) {
		status = next_segment(r, out);
		if (status != PROF_END)
			return status;
		enter(r, has_pairs(r) ? AT_PAIR : AT_STACK, MRAW_STACKS);
		if (r->state == AT_PAIR)
			r->pairs->at = r->dump.at[MRAW_BLOCKS];
	}
	if (r->state == AT_PAIR) {
		status = next_pairs(r, out);
		return status == PROF_OK ? PROF_OK : next_end(r, out);
	}
	if (r->state == AT_STACK) {
		status = next_stack(r, out, err);
		if (status != PROF_END)
			return status;
		enter(r, AT_ALLOCATION, MRAW_BLOCKS);
	}
	if (r->state == AT_ALLOCATION) {
		status = next_allocation(r, out, err);
		if (status != PROF_END)
			return status;
	}
	return next_end(r, out);
}

static void
mraw_close(struct prof_reader *base)
{
	struct mraw_reader *r = (struct mraw_reader *)base;

	mraw_group_free(&r->group);
	free(r->pcs);
	free(r->pairs);
	free(r);
}

static const struct reader_ops mraw_ops = {
	.next = mraw_next,
	.close = mraw_close,
};

struct prof_reader *
memprof_raw_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct mraw_reader *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		err_memory(err);
		return NULL;
	}
	r->base = (struct prof_reader){ .ops = &mraw_ops, .context = context };
	r->file = image;
	r->group.context = context;
	if (context != NULL && context->pairs)
		r->pairs = malloc(sizeof(*r->pairs));
	if (start_group(r, 0, err) != PROF_OK) {
		mraw_close(&r->base);
		return NULL;
	}
	return &r->base;
}
