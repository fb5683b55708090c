#include <string.h>

#include "base/error.h"
#include "format/memprof-raw/layout.h"

/* The limit of borrowed stacks, as a multiple of the file's size. */
enum { BORROW_MAX = 4 };

/* What is known of the run whose dumps are salvaged. */
struct salvage_run {
	struct prof_context *context;
	struct prof_span file;
	struct prof_span segments;	/* entries, the same in all dumps */
	struct id_map run_stacks;	/* id to offset + 1, of all dumps */
	uint64_t borrowed;		/* bytes of stacks, for all dumps */

	/* Of the dump that is salvaged. */
	struct mraw_dump dump;
	struct id_map dump_stacks;	/* id to offset + 1 */
	uint64_t read;			/* blocks that are whole */
	uint64_t without_stack;		/* of these, blocks without a stack */
	uint64_t conflicts;		/* stacks unlike an earlier one */
	/* The sections of the new dump. */
	struct buf blocks, stacks;
	uint64_t block_count, stack_count;
};

/* Without whole and correct segments, addresses mean nothing. */
static bool
salvage_segments_are_whole(struct mraw_dump *d)
{
	size_t left = d->limit[MRAW_SEGMENTS] - d->at[MRAW_SEGMENTS];

	return d->at[MRAW_SEGMENTS] != d->start + MRAW_HEADER &&
	    d->count[MRAW_SEGMENTS] <= left / d->row->segment.size &&
	    mraw_segments_check(d, NULL) == PROF_OK;
}

static bool
salvage_same_pcs(const struct salvage_run *r, size_t at,
    const struct mraw_stack *s)
{
	struct mraw_stack before;

	mraw_stack_get(&r->dump, at, &before);
	return before.size == s->size &&
	    memcmp(before.pcs, s->pcs, MRAW_PC * s->size) == 0;
}

/* Adds whole stacks; one that differs from an earlier stack is left out. */
static enum prof_status
salvage_stacks(struct salvage_run *r, struct prof_error *err)
{
	const struct mraw_dump *d = &r->dump;
	size_t at = d->at[MRAW_STACKS];
	struct mraw_stack s;

	for (uint64_t i = 0; i < d->count[MRAW_STACKS] &&
	    mraw_stack_check(d, at, &s); i++) {
		uint64_t *known = id_map_add(&r->run_stacks, s.id, at + 1);

		if (known == NULL)
			return err_memory(err);
		if (!salvage_same_pcs(r, (size_t)*known - 1, &s)) {
			r->conflicts++;
		} else if (id_map_find(&r->dump_stacks, s.id) == NULL) {
			if (id_map_add(&r->dump_stacks, s.id, at + 1) == NULL)
				return err_memory(err);
			buf_put(&r->stacks, d->file.data + at,
			    s.next - at);
			r->stack_count++;
		}
		at = s.next;
	}
	return PROF_OK;
}

/*
 * Adds the stack of a block.  It may be one of an earlier dump: how many of
 * these are copied is limited, so that the result stays in proportion.
 */
static enum prof_status
salvage_borrow_stack(struct salvage_run *r, uint64_t id, uint64_t at,
    struct prof_error *err)
{
	struct mraw_stack s;

	if (id_map_find(&r->dump_stacks, id) != NULL)
		return PROF_OK;
	if (id_map_add(&r->dump_stacks, id, at + 1) == NULL)
		return err_memory(err);
	mraw_stack_get(&r->dump, (size_t)at, &s);
	r->borrowed += s.next - (size_t)at;
	if (r->borrowed / BORROW_MAX > r->file.size)
		return err_at(err, PROF_E_LIMIT, r->dump.start, "stacks of "
		    "earlier dumps exceed %d times the size of the file",
		    BORROW_MAX);
	buf_put(&r->stacks, r->file.data + at, s.next - (size_t)at);
	r->stack_count++;
	return PROF_OK;
}

static enum prof_status
salvage_blocks(struct salvage_run *r, struct prof_error *err)
{
	const struct mraw_dump *d = &r->dump;
	size_t at = d->at[MRAW_BLOCKS];
	struct mraw_block b;

	for (; r->read < d->count[MRAW_BLOCKS] && mraw_block_check(d, at, &b);
	    r->read++) {
		uint64_t *stack = id_map_find(&r->run_stacks, b.stack);

		if (stack == NULL) {
			r->without_stack++;
		} else {
			if (salvage_borrow_stack(r, b.stack, *stack - 1, err) !=
			    PROF_OK)
				return PROF_FAIL;
			buf_put(&r->blocks, d->file.data + at,
			    b.next - at);
			r->block_count++;
		}
		at = b.next;
	}
	return PROF_OK;
}

static void
salvage_warn_lost(const struct salvage_run *r)
{
	const struct mraw_dump *d = &r->dump;
	unsigned long long all = d->count[MRAW_BLOCKS];

	if (all == 0)
		warn_lost_at(r->context, d->limit[MRAW_BLOCKS], "memory info "
		    "blocks: all are cut off and lost");
	if (r->read != all)
		warn_lost_at(r->context, d->limit[MRAW_BLOCKS], "memory info "
		    "blocks: lost, as incomplete: %llu of %llu",
		    all - (unsigned long long)r->read, all);
	if (r->without_stack != 0)
		warn_lost_at(r->context, d->limit[MRAW_STACKS], "stacks: lost "
		    "with a stack are memory info blocks: %llu of %llu",
		    (unsigned long long)r->without_stack, all);
	if (r->conflicts != 0)
		warn_lost_at(r->context, d->at[MRAW_STACKS], "stacks: lost, "
		    "as they have the id of another: %llu",
		    (unsigned long long)r->conflicts);
}

void
mraw_emit(const struct mraw_row *row, bool big,
    const struct mraw_entries sections[MRAW_SECTIONS], struct buf *out)
{
	uint64_t header[MRAW_HEADER_MEMBERS] = {
		[MRAW_HEADER_MAGIC] = MRAW_MAGIC,
		[MRAW_HEADER_VERSION] = row->version,
	};
	uint64_t at = MRAW_HEADER;

	for (int s = 0; s < MRAW_SECTIONS; s++) {
		header[MRAW_HEADER_OFFSETS + s] = at;
		/* A section: a count, entries, zeros up to 8 bytes. */
		at += MRAW_COUNT + sections[s].bytes.size +
		    pad8(sections[s].bytes.size);
	}
	header[MRAW_HEADER_TOTAL_SIZE] = at;
	for (int i = 0; i < MRAW_HEADER_MEMBERS; i++)
		buf_number(out, header[i], 8, big);
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		const struct prof_span bytes = sections[s].bytes;

		buf_number(out, sections[s].count, 8, big);
		buf_put(out, bytes.data, bytes.size);
		buf_zeros(out, (size_t)pad8(bytes.size));
	}
}

static enum prof_status
salvage_dump(struct salvage_run *r, struct repaired *m, struct prof_error *err)
{
	const struct mraw_dump *d = &r->dump;
	struct prof_span segments = mraw_segment_bytes(d);
	struct mraw_dump whole;

	/* The stacks of earlier dumps count unless this is another run. */
	if (!prof_span_equal(segments, r->segments))
		id_map_free(&r->run_stacks);
	r->segments = segments;
	id_map_free(&r->dump_stacks);
	r->blocks.size = r->stacks.size = 0;
	r->read = r->without_stack = r->conflicts = 0;
	r->block_count = r->stack_count = 0;
	if (salvage_stacks(r, err) != PROF_OK ||
	    salvage_blocks(r, err) != PROF_OK)
		return PROF_FAIL;
	if (mraw_dump_open(&whole, r->file, d->start, NULL) == PROF_OK &&
	    mraw_dump_check(&whole, NULL) == PROF_OK &&
	    r->without_stack == 0 && r->conflicts == 0) {
		if (!repaired_begin(m, d->start, false))
			return err_memory(err);
		buf_put(&m->image, r->file.data + whole.start,
		    whole.end - whole.start);
		return PROF_OK;
	}
	salvage_warn_lost(r);
	if (r->block_count == 0)
		return PROF_OK;
	if (!repaired_begin(m, d->start, true))
		return err_memory(err);
	mraw_emit(d->row, d->big, (struct mraw_entries[MRAW_SECTIONS]){
	    [MRAW_SEGMENTS] = { d->count[MRAW_SEGMENTS],
		mraw_segment_bytes(d) },
	    [MRAW_BLOCKS] = mraw_entries_of(r->block_count, &r->blocks),
	    [MRAW_STACKS] = mraw_entries_of(r->stack_count, &r->stacks) },
	    &m->image);
	m->image.failed |= r->blocks.failed || r->stacks.failed;
	return PROF_OK;
}

/* Notes that something after the last part is lost. */
static void
salvage_mark_damaged(struct repaired *m)
{
	if (m->count != 0)
		m->parts[m->count - 1].damaged = true;
}

enum prof_status
memprof_raw_repair(struct prof_context *context, struct prof_span file,
    struct repaired *m, struct prof_error *err)
{
	struct salvage_run r = { .context = context, .file = file };
	enum prof_status status = PROF_OK;
	size_t at = 0, parts;

	while (status == PROF_OK && at < file.size) {
		parts = m->count;
		if (mraw_dump_open_damaged(&r.dump, file, at) != PROF_OK ||
		    !salvage_segments_are_whole(&r.dump)) {
			warn_lost_at(context, at, "%zu bytes hold no complete "
			    "segments of a dump: lost", file.size - at);
			salvage_mark_damaged(m);
			break;
		}
		status = salvage_dump(&r, m, err);
		if (m->count == parts)
			salvage_mark_damaged(m);
		at = r.dump.end;
	}
	id_map_free(&r.run_stacks);
	id_map_free(&r.dump_stacks);
	buf_free(&r.blocks);
	buf_free(&r.stacks);
	return m->count == 0 && status == PROF_OK ? err_at(err,
	    PROF_E_TRUNCATED, 0, "no allocation is complete") : status;
}

size_t
memprof_raw_length(struct prof_span bytes, uint64_t *looked,
    struct prof_error *err)
{
	struct mraw_dump d;
	size_t end = 0;

	while (mraw_dump_open(&d, bytes, end, err) == PROF_OK) {
		*looked += MRAW_HEADER;
		end = d.end;
	}
	return end;
}
