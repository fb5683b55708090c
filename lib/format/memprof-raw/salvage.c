/*
 * Damaged raw heap profiles: a dump is laid down anew from the blocks whose
 * stacks are known.
 *
 * Stacks stand at the end.  Those that a cut took may be in an earlier dump of
 * the same run: an id is a hash of the addresses, and segments say whether it
 * is the same run.
 */
#include <string.h>

#include "base/error.h"
#include "base/id_map.h"
#include "format/memprof-raw/dump.h"
#include "format/salvage.h"

/* Bytes of stacks that dumps take from earlier ones, in sizes of the file. */
enum { BORROW_MAX = 4 };

struct rescue {
	struct prof_context *context;
	struct prof_span file;
	struct mraw_dump dump;		/* as far as it is there */
	struct id_map stacks;		/* offset of a stack of the run + 1 */
	struct id_map here;		/* the same, of this dump */
	struct prof_span segments;	/* of the run */
	uint64_t blocks, lost;		/* whole, and those without stack */
	uint64_t other;			/* stacks that contradict earlier ones */
	struct buf kept_blocks, kept_stacks;
	uint64_t kept, stacks_kept;
	uint64_t borrowed;		/* bytes, in all dumps */
};

static size_t
smaller(uint64_t a, uint64_t b)
{
	return (size_t)(a < b ? a : b);
}

/* The header, with sections that end where the file does. */
static enum prof_status
place_part(struct mraw_dump *d, struct prof_span file, size_t start,
    struct prof_error *err)
{
	const uint8_t *p = file.data + start;
	uint64_t end = file.size - start, least = MRAW_HEADER;

	*d = (struct mraw_dump){ .file = file, .start = start };
	if (file.size - start < MRAW_HEADER || !mraw_magic(
	    (struct prof_span){ p, MRAW_HEADER }, &d->big) ||
	    (d->row = mraw_row(load_u64(p + 8, d->big))) == NULL)
		return err_at(err, PROF_E_CORRUPT, start, "no whole header of "
		    "a raw heap profile");
	if (load_u64(p + 16, d->big) >= MRAW_HEADER)
		end = smaller(end, load_u64(p + 16, d->big));
	d->end = start + (size_t)end;
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		uint64_t offset = load_u64(p + 24 + 8 * s, d->big);

		if (offset < least || offset % 8 != 0)
			return err_at(err, PROF_E_CORRUPT, start + 24,
			    "the header's offsets are wrong");
		least = offset > UINT64_MAX - 8 ? offset : offset + 8;
		if (least > end)
			least = end;
		d->at[s] = start + (size_t)least;
		d->limit[s] = d->end;
		if (s > 0)
			d->limit[s - 1] = start + smaller(offset, end);
		if (offset <= end && end - offset >= 8)
			d->count[s] = load_u64(p + offset, d->big);
	}
	return PROF_OK;
}

static struct prof_span
segments_of(const struct mraw_dump *d)
{
	return (struct prof_span){ d->file.data + d->at[MRAW_SEGMENTS],
	    (size_t)d->count[MRAW_SEGMENTS] * d->row->segment_size };
}

/* All of them, and sound: without, no address means anything. */
static bool
segments_are_whole(const struct mraw_dump *d)
{
	size_t left = d->limit[MRAW_SEGMENTS] - d->at[MRAW_SEGMENTS];

	if (d->limit[MRAW_SEGMENTS] < d->at[MRAW_SEGMENTS] ||
	    d->at[MRAW_SEGMENTS] == d->start + MRAW_HEADER ||
	    d->count[MRAW_SEGMENTS] > left / d->row->segment_size)
		return false;
	for (uint64_t i = 0; i < d->count[MRAW_SEGMENTS]; i++) {
		struct prof_segment s;
		const uint8_t *p = segments_of(d).data +
		    (size_t)i * d->row->segment_size;

		if (d->row->has_build_id &&
		    load_u64(p + 24, d->big) > MRAW_BUILD_ID_MAX)
			return false;
		mraw_segment_get(d, i, &s);
		if (s.start > s.end)
			return false;
	}
	return true;
}

static bool
next_stack(const struct mraw_dump *d, size_t at, struct mraw_stack *s)
{
	size_t limit = d->limit[MRAW_STACKS];

	if (limit < at || limit - at < MRAW_STACK ||
	    load_u64(d->file.data + at + 8, d->big) >
	    (limit - at - MRAW_STACK) / 8)
		return false;
	mraw_stack_get(d, at, s);
	return true;
}

static bool
same_pcs(const struct rescue *r, size_t at, const struct mraw_stack *s)
{
	struct mraw_stack before;

	mraw_stack_get(&r->dump, at, &before);
	return before.size == s->size &&
	    memcmp(before.pcs, s->pcs, 8 * s->size) == 0;
}

/* Stacks that are whole; one that contradicts another is left out. */
static enum prof_status
take_stacks(struct rescue *r, struct prof_error *err)
{
	const struct mraw_dump *d = &r->dump;
	size_t at = d->at[MRAW_STACKS];
	struct mraw_stack s;

	for (uint64_t i = 0; i < d->count[MRAW_STACKS] &&
	    next_stack(d, at, &s); i++) {
		uint64_t *known = id_map_add(&r->stacks, s.id, at + 1);

		if (known == NULL)
			return err_memory(err);
		if (!same_pcs(r, (size_t)*known - 1, &s)) {
			r->other++;
		} else if (id_map_find(&r->here, s.id) == NULL) {
			if (id_map_add(&r->here, s.id, at + 1) == NULL)
				return err_memory(err);
			buf_put(&r->kept_stacks, d->file.data + at,
			    s.next - at);
			r->stacks_kept++;
		}
		at = s.next;
	}
	return PROF_OK;
}

/* A stack that an earlier dump has; the file must not grow without end. */
static enum prof_status
borrow(struct rescue *r, uint64_t id, uint64_t at, struct prof_error *err)
{
	struct mraw_stack s;

	if (id_map_find(&r->here, id) != NULL)
		return PROF_OK;
	if (id_map_add(&r->here, id, at + 1) == NULL)
		return err_memory(err);
	mraw_stack_get(&r->dump, (size_t)at, &s);
	r->borrowed += s.next - (size_t)at;
	if (r->borrowed / BORROW_MAX > r->file.size)
		return err_at(err, PROF_E_LIMIT, r->dump.start, "stacks of "
		    "earlier dumps come to more than %d times the file",
		    BORROW_MAX);
	buf_put(&r->kept_stacks, r->file.data + at, s.next - (size_t)at);
	r->stacks_kept++;
	return PROF_OK;
}

/* The size of a histogram is the last field but the pointer behind it. */
static bool
next_block(const struct mraw_dump *d, size_t at, struct mraw_block *b)
{
	size_t limit = d->limit[MRAW_BLOCKS], fixed = 8u + d->row->block_size;
	size_t width = d->row->histogram_width;

	if (limit < at || limit - at < fixed)
		return false;
	if (width != 0 && load_u32(d->file.data + at + fixed - 12, d->big) >
	    (limit - at - fixed) / width)
		return false;
	mraw_block_get(d, at, b);
	return true;
}

static enum prof_status
take_blocks(struct rescue *r, struct prof_error *err)
{
	const struct mraw_dump *d = &r->dump;
	size_t at = d->at[MRAW_BLOCKS];
	struct mraw_block b;

	for (; r->blocks < d->count[MRAW_BLOCKS] && next_block(d, at, &b);
	    r->blocks++) {
		uint64_t *stack = id_map_find(&r->stacks, b.stack);

		if (stack == NULL) {
			r->lost++;
		} else {
			if (borrow(r, b.stack, *stack - 1, err) != PROF_OK)
				return PROF_FAIL;
			buf_put(&r->kept_blocks, d->file.data + at,
			    b.next - at);
			r->kept++;
		}
		at = b.next;
	}
	return PROF_OK;
}

static void
put_dump(const struct rescue *r, struct buf *out)
{
	const struct mraw_dump *d = &r->dump;
	struct prof_span segments = segments_of(d);
	size_t start = out->size, blocks, stacks, total;

	blocks = MRAW_HEADER + 8 + segments.size +
	    (size_t)pad8(segments.size);
	stacks = blocks + 8 + r->kept_blocks.size +
	    (size_t)pad8(r->kept_blocks.size);
	total = stacks + 8 + r->kept_stacks.size;
	buf_put(out, d->file.data + d->start, 16);
	buf_number(out, total, 8, d->big);
	buf_number(out, MRAW_HEADER, 8, d->big);
	buf_number(out, blocks, 8, d->big);
	buf_number(out, stacks, 8, d->big);
	buf_number(out, d->count[MRAW_SEGMENTS], 8, d->big);
	buf_put(out, segments.data, segments.size);
	buf_zeros(out, start + blocks - out->size);
	buf_number(out, r->kept, 8, d->big);
	buf_put(out, r->kept_blocks.data, r->kept_blocks.size);
	buf_zeros(out, start + stacks - out->size);
	buf_number(out, r->stacks_kept, 8, d->big);
	buf_put(out, r->kept_stacks.data, r->kept_stacks.size);
	out->failed = out->failed || r->kept_blocks.failed ||
	    r->kept_stacks.failed;
}

static void
tell(const struct rescue *r)
{
	const struct mraw_dump *d = &r->dump;
	unsigned long long all = d->count[MRAW_BLOCKS];

	if (all == 0)
		warn_lost_at(r->context, d->limit[MRAW_BLOCKS],
		    "memory info blocks: all are cut off: lost");
	if (r->blocks != all)
		warn_lost_at(r->context, d->limit[MRAW_BLOCKS], "memory info "
		    "blocks: %llu of %llu are not whole: lost",
		    all - (unsigned long long)r->blocks, all);
	if (r->lost != 0)
		warn_lost_at(r->context, d->limit[MRAW_STACKS], "stacks: "
		    "%llu of %llu memory info blocks have lost theirs: lost "
		    "too", (unsigned long long)r->lost, all);
	if (r->other != 0)
		warn_lost_at(r->context, d->at[MRAW_STACKS], "stacks: %llu "
		    "have an id that another has: lost",
		    (unsigned long long)r->other);
}

static bool
is_whole(const struct rescue *r, struct mraw_dump *d)
{
	return mraw_dump_place(d, r->file, r->dump.start, NULL) == PROF_OK &&
	    mraw_dump_check(d, NULL) == PROF_OK && r->lost == 0 &&
	    r->other == 0;
}

/* What goes with the dump before is of the same run. */
static void
begin_dump(struct rescue *r)
{
	struct prof_span segments = segments_of(&r->dump);

	if (!prof_span_equal(segments, r->segments))
		id_map_free(&r->stacks);
	r->segments = segments;
	id_map_free(&r->here);
	r->kept_blocks.size = r->kept_stacks.size = 0;
	r->blocks = r->lost = r->other = r->kept = r->stacks_kept = 0;
}

static enum prof_status
take_dump(struct rescue *r, struct repaired *m, struct prof_error *err)
{
	struct mraw_dump whole;

	begin_dump(r);
	if (take_stacks(r, err) != PROF_OK || take_blocks(r, err) != PROF_OK)
		return PROF_FAIL;
	if (is_whole(r, &whole)) {
		if (!repaired_begin(m, r->dump.start, false))
			return err_memory(err);
		buf_put(&m->image, r->file.data + whole.start,
		    whole.end - whole.start);
		return PROF_OK;
	}
	tell(r);
	if (r->kept == 0)
		return PROF_OK;
	if (!repaired_begin(m, r->dump.start, true))
		return err_memory(err);
	put_dump(r, &m->image);
	return PROF_OK;
}

/* Something of what follows the last part is lost. */
static void
mark(struct repaired *m)
{
	if (m->count != 0)
		m->parts[m->count - 1].damaged = true;
}

enum prof_status
memprof_raw_repair(struct prof_context *context, struct prof_span file,
    struct repaired *m, struct prof_error *err)
{
	struct rescue r = { .context = context, .file = file };
	enum prof_status status = PROF_OK;
	size_t at = 0, parts;

	while (status == PROF_OK && at < file.size) {
		parts = m->count;
		if (place_part(&r.dump, file, at, NULL) != PROF_OK ||
		    !segments_are_whole(&r.dump)) {
			warn_lost_at(context, at, "%zu bytes hold no whole "
			    "segments of a dump: lost", file.size - at);
			mark(m);
			break;
		}
		status = take_dump(&r, m, err);
		if (m->count == parts)
			mark(m);
		at = r.dump.end;
	}
	id_map_free(&r.stacks);
	id_map_free(&r.here);
	buf_free(&r.kept_blocks);
	buf_free(&r.kept_stacks);
	return m->count == 0 && status == PROF_OK ?
	    err_at(err, PROF_E_TRUNCATED, 0, "no allocation is whole") :
	    status;
}

size_t
memprof_raw_length(struct prof_span bytes, uint64_t *looked)
{
	struct mraw_dump d;
	size_t end = 0;

	while (mraw_dump_place(&d, bytes, end, NULL) == PROF_OK) {
		*looked += MRAW_HEADER;
		end = d.end;
	}
	return end;
}
