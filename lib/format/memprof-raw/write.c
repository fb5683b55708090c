#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "model/mib.h"
#include "format/memprof-raw/layout.h"

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
		/* Its count, its entries, zeros up to a multiple of 8. */
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

struct mraw_out_segment {
	struct prof_segment segment;	/* the build id is a copy */
	/* Without a range: the largest offset into the module that is used. */
	uint64_t used;
};

/* A PC in a module without a range: an offset until addresses are assigned. */
struct mraw_fixup {
	uint64_t at;			/* in the bytes of the stacks */
	size_t segment;			/* index */
};

struct mraw_writer {
	struct prof_writer base;
	const struct mraw_row *row;
	bool big, began;
	/* Of the profile that is being put. */
	bool is_sum;			/* of several runs */
	struct arena arena;
	struct mraw_out_segment *segments;
	size_t segment_count, segment_room;
	struct id_map segment_index;	/* id to index + 1 */
	struct id_map stack_ids;	/* id to the place in stacks */
	struct buf blocks, stacks;	/* entries */
	uint64_t block_count, stack_count;
	struct mraw_fixup *fixups;	/* in ascending order of `at` */
	size_t fixup_count, fixup_room;
	uint64_t *outside;		/* absolute PCs, of a sum */
	size_t outside_count, outside_room;
	/* Numbers of things left out or changed, for one warning each. */
	uint64_t frames, histograms, sizes, rounded, unknown, shared, inside,
	    others;
	bool salvaged;
};

static inline void
mraw_store_u64(uint8_t *p, uint64_t v, bool big)
{
	store_u64le(p, big ? __builtin_bswap64(v) : v);
}

/*
 * Assigns addresses to modules that have none.  After a merge, PCs are offsets
 * into modules, since each run had mapped the modules somewhere else.
 *
 * A module without a range gets one of whole pages, from its offset 0 to the
 * largest offset in use.  Free ranges are searched from address 0 upwards, so
 * that the first module keeps its offsets as addresses if possible.
 */

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

static enum prof_status
assign_all(struct mraw_writer *w, struct ranges *t, struct prof_error *err)
{
	bool needed = false;

	for (size_t i = 0; i < w->segment_count; i++) {
		const struct prof_segment *s = &w->segments[i].segment;

		needed = needed || !s->has_range;
		if (s->has_range && s->end > s->start &&
		    !ranges_add(t, s->start, s->end - 1))
			return err_memory(err);
	}
	ranges_sort(t);
	w->shared += ranges_count_overlaps(t);
	w->inside += assign_count_inside(w, t);
	if (!needed)
		return PROF_OK;
	if (!ranges_add_pcs(w, t))
		return err_memory(err);
	ranges_sort(t);
	if (assign_ranges(w, t, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < w->fixup_count; i++) {
		const struct mraw_fixup *f = &w->fixups[i];
		uint8_t *p = w->stacks.data + f->at;
		uint64_t pc = load_u64(p, w->big) +
		    w->segments[f->segment].segment.offset;

		mraw_store_u64(p, pc, w->big);
	}
	return PROF_OK;
}

/*
 * Gives each segment without a range one that no other address is in, and moves
 * its PCs there.  PROF_E_UNSUPPORTED if there is no room.
 */
static enum prof_status
mraw_assign_addresses(struct mraw_writer *w, struct prof_error *err)
{
	struct ranges t = { .size = 0 };
	enum prof_status status = assign_all(w, &t, err);

	free(t.ranges);
	return status;
}

/*
 * Writes records as raw heap profiles, one dump a profile, as the runtimes of
 * LLVM 17 to 22 would have written them.
 */

static void
writer_number(const struct mraw_writer *w, struct buf *b, uint64_t v,
    size_t width)
{
	buf_number(b, v, width, w->big);
}

static enum prof_status
mraw_refuse(const char *what, struct prof_error *err)
{
	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw heap profiles cannot hold %s", what);
}

static void
writer_reset(struct mraw_writer *w)
{
	arena_reset(&w->arena);
	id_map_free(&w->segment_index);
	id_map_free(&w->stack_ids);
	w->blocks.size = w->stacks.size = 0;
	w->segment_count = w->fixup_count = w->outside_count = 0;
	w->block_count = w->stack_count = 0;
}

static enum prof_status
writer_put_profile(struct mraw_writer *w, const struct prof_header *h,
    struct prof_error *err)
{
	if (h->kind == PROF_INSTR)
		return mraw_refuse("instrumentation profiles", err);
	writer_reset(w);
	w->began = true;
	w->is_sum = h->inputs > 1;
	w->salvaged = w->salvaged || h->flags & PROF_SALVAGED;
	return PROF_OK;
}

static enum prof_status
writer_put_segment(struct mraw_writer *w, const struct prof_segment *s,
    struct prof_error *err)
{
	struct mraw_out_segment *p;
	uint64_t *place;

	if (s->file_addresses)
		return err_set(err, PROF_E_UNSUPPORTED, "raw heap profiles of "
		    "version %u need addresses of modules, and segment %llu "
		    "has offsets of its file (of version 1 or 2), which only "
		    "the binary can resolve", w->row->version,
		    (unsigned long long)s->id);
	if (s->build_id.size > MRAW_BUILD_ID_MAX)
		return mraw_refuse("a build id above 32 bytes", err);
	if (!ARRAY_ROOM(w->segments, w->segment_count, w->segment_room))
		return err_memory(err);
	p = &w->segments[w->segment_count++];
	*p = (struct mraw_out_segment){ .segment = *s };
	p->segment.build_id = arena_copy(&w->arena, s->build_id);
	place = id_map_add(&w->segment_index, s->id, w->segment_count);
	if (place == NULL || p->segment.build_id.data == NULL)
		return err_memory(err);
	return *place == w->segment_count ? PROF_OK : err_set(err,
	    PROF_E_CORRUPT, "segment %llu occurs twice",
	    (unsigned long long)s->id);
}

/*
 * Puts a PC that is an offset into a module: as an address if the module has a
 * range, else as an offset that mraw_assign_addresses will change.
 */
static enum prof_status
writer_put_module_pc(struct mraw_writer *w, const struct prof_stack *stack,
    size_t i, struct prof_error *err)
{
	const uint64_t *place = id_map_find(&w->segment_index,
	    stack->segments[i]);
	uint64_t pc = stack->pcs[i];
	struct mraw_out_segment *s;

	if (place == NULL)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%llx has an "
		    "address of segment %llu, which is missing",
		    (unsigned long long)stack->id,
		    (unsigned long long)stack->segments[i]);
	s = &w->segments[*place - 1];
	if (s->segment.has_range) {
		/* Modulo 2^64, as the loader does. */
		pc += s->segment.offset;
	} else {
		if (pc > s->used)
			s->used = pc;
		if (!ARRAY_ADD(w->fixups, w->fixup_count, w->fixup_room,
		    (struct mraw_fixup){ w->stacks.size,
		    (size_t)*place - 1 }))
			return err_memory(err);
	}
	writer_number(w, &w->stacks, pc, 8);
	return PROF_OK;
}

static enum prof_status
writer_put_pcs(struct mraw_writer *w, const struct prof_stack *s,
    struct prof_error *err)
{
	writer_number(w, &w->stacks, s->id, 8);
	writer_number(w, &w->stacks, s->pcs_size, 8);
	for (size_t i = 0; i < s->pcs_size; i++) {
		if (s->segments == NULL ||
		    s->segments[i] == PROF_NO_SEGMENT)
			writer_number(w, &w->stacks, s->pcs[i], 8);
		else if (writer_put_module_pc(w, s, i, err) != PROF_OK)
			return PROF_FAIL;
	}
	return w->stacks.failed ? err_memory(err) : PROF_OK;
}

/* The number of fixups before a place in the bytes of the stacks. */
static size_t
writer_fixups_before(const struct mraw_writer *w, size_t at)
{
	return numbers_below(w->fixups, w->fixup_count, sizeof(*w->fixups), at);
}

/* Whether the last stack, which is at `again`, equals the one at `first`. */
static bool
writer_same_stack(const struct mraw_writer *w, size_t first, size_t again)
{
	const size_t size = w->stacks.size - again;
	const size_t a = writer_fixups_before(w, first);
	const size_t b = writer_fixups_before(w, again);
	const size_t n = w->fixup_count - b;

	/* Stacks of equal bytes are equally long. */
	if (memcmp(w->stacks.data + first, w->stacks.data + again, size) != 0 ||
	    writer_fixups_before(w, first + size) - a != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct mraw_fixup *f = &w->fixups[a + i];
		const struct mraw_fixup *g = &w->fixups[b + i];

		if (f->at - first != g->at - again || f->segment != g->segment)
			return false;
	}
	return true;
}

static enum prof_status
writer_put_stack(struct mraw_writer *w, const struct prof_stack *s,
    struct prof_error *err)
{
	const size_t at = w->stacks.size;
	const uint64_t *first;

	/* The absolute PCs of a sum are noted. */
	for (size_t i = 0; w->is_sum && i < s->pcs_size; i++) {
		if (s->segments != NULL && s->segments[i] != PROF_NO_SEGMENT)
			continue;
		if (!ARRAY_ADD(w->outside, w->outside_count, w->outside_room,
		    s->pcs[i]))
			return err_memory(err);
	}
	if (s->pcs_size == 0 && s->frames_size != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "raw heap profiles "
		    "need addresses, and stack 0x%llx has frames only",
		    (unsigned long long)s->id);
	first = id_map_add(&w->stack_ids, s->id, at);
	if (first == NULL)
		return err_memory(err);
	if (writer_put_pcs(w, s, err) != PROF_OK)
		return PROF_FAIL;
	if (*first == at) {
		w->frames += s->frames_size;
		w->stack_count++;
		return PROF_OK;
	}
	if (!writer_same_stack(w, (size_t)*first, at))
		return err_set(err, PROF_E_CORRUPT, "stack 0x%llx occurs "
		    "twice, and differs", (unsigned long long)s->id);
	w->fixup_count = writer_fixups_before(w, at);
	w->stacks.size = at;
	return PROF_OK;
}

static void
writer_put_histogram(struct mraw_writer *w, const struct prof_mib *m,
    size_t size)
{
	bool rounded = false;

	for (size_t i = 0; i < size; i++) {
		uint64_t v = m->histogram[i];
		uint16_t scaled = mraw_scale(v);

		if (w->row->histogram_width == 8) {
			writer_number(w, &w->blocks, v, 8);
			continue;
		}
		rounded = rounded || mraw_unscale(scaled) != v;
		writer_number(w, &w->blocks, scaled, 2);
	}
	w->rounded += rounded;
}

static enum prof_status
writer_put_allocation(struct mraw_writer *w, const struct prof_allocation *a,
    struct prof_error *err)
{
	const struct prof_mib *m = &a->info;
	const bool takes = w->row->histogram_width != 0;
	const size_t size = m->histogram == NULL ? 0 :
	    (size_t)m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];

	if (id_map_find(&w->stack_ids, a->stack) == NULL)
		return err_set(err, PROF_E_CORRUPT, "an allocation is of stack "
		    "0x%llx, which is missing", (unsigned long long)a->stack);
	w->histograms += size != 0 && !takes;
	w->sizes += size == 0 && m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] != 0;
	w->unknown += (~m->fields & w->row->fields & ~MIB_HISTOGRAM) != 0;
	writer_number(w, &w->blocks, a->stack, MRAW_BLOCK_ID);
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++) {
		uint64_t value = mib_stored_value(m, i);

		if ((w->row->fields >> i & 1) == 0)
			continue;
		/* The address of a histogram has no meaning. */
		if (i == PROF_MIB_ACCESS_HISTOGRAM_SIZE)
			value = size;
		else if (i == PROF_MIB_ACCESS_HISTOGRAM)
			value = 0;
		writer_number(w, &w->blocks, value, mib_bytes(i));
	}
	if (takes)
		writer_put_histogram(w, m, size);
	w->block_count++;
	return w->blocks.failed ? err_memory(err) : PROF_OK;
}

/* Appends an entry, whose members stand where the version's row says. */
static void
writer_emit_segment(const struct mraw_writer *w, const struct prof_segment *s,
    struct buf *out)
{
	const struct mraw_segment_layout *l = &w->row->segment;
	uint8_t entry[UINT8_MAX] = { 0 };

	mraw_store_u64(entry + l->start, s->start, w->big);
	mraw_store_u64(entry + l->end, s->end, w->big);
	mraw_store_u64(entry + l->offset, s->offset, w->big);
	mraw_store_u64(entry + l->build_id_size, s->build_id.size, w->big);
	if (s->build_id.size != 0)
		memcpy(entry + l->build_id, s->build_id.data,
		    s->build_id.size);
	buf_put(out, entry, l->size);
}

static enum prof_status
writer_write_dump(struct mraw_writer *w, struct prof_error *err)
{
	struct buf segments = { 0 }, dump = { 0 };
	enum prof_status status;

	for (size_t i = 0; i < w->segment_count; i++)
		writer_emit_segment(w, &w->segments[i].segment, &segments);
	mraw_emit(w->row, w->big,
	    (struct mraw_entries[MRAW_SECTIONS]){
		[MRAW_SEGMENTS] = mraw_entries_of(w->segment_count, &segments),
		[MRAW_BLOCKS] = mraw_entries_of(w->block_count, &w->blocks),
		[MRAW_STACKS] = mraw_entries_of(w->stack_count, &w->stacks) },
	    &dump);
	if (segments.failed || dump.failed)
		status = err_memory(err);
	else
		status = sink_write(&w->base, dump.data, dump.size, err);
	buf_free(&segments);
	buf_free(&dump);
	return status;
}

static enum prof_status
mraw_write_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return writer_put_profile(w, &r->u.profile, err);
	case PROF_REC_SEGMENT:
		return writer_put_segment(w, &r->u.segment, err);
	case PROF_REC_STACK:
		return writer_put_stack(w, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		return writer_put_allocation(w, &r->u.allocation, err);
	case PROF_REC_MEMPROF_FUNCTION:
		return mraw_refuse("functions with frames for addresses, as "
		    "indexed files and YAML have them", err);
	case PROF_REC_FUNCTION:
	case PROF_REC_RAW_COUNTERS:
	case PROF_REC_VTABLE:
	case PROF_REC_TRACE:
		return mraw_refuse("instrumentation profiles", err);
	case PROF_REC_NAME:
		return PROF_OK;
	case PROF_REC_END:
		return mraw_assign_addresses(w, err) == PROF_OK ?
		    writer_write_dump(w, err) : PROF_FAIL;
	default:
		w->others++;
		return PROF_OK;
	}
}

static void
writer_warn_dropped(const struct mraw_writer *w, uint64_t n, const char *what)
{
	if (n != 0)
		warn_lost(w->base.context, "raw heap profiles of version %u "
		    "cannot hold %s: dropped %llu", w->row->version, what,
		    (unsigned long long)n);
}

static enum prof_status
mraw_write_finish(struct prof_writer *base, struct prof_error *err)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	writer_warn_dropped(w, w->frames, "frames");
	writer_warn_dropped(w, w->histograms, "access histograms");
	writer_warn_dropped(w, w->sizes, "sizes of missing histograms");
	writer_warn_dropped(w, w->others, "records of other types");
	if (w->rounded != 0)
		warn_lost(base->context, "raw heap profiles of version %u "
		    "have histograms of 12 bits and an exponent: %llu were "
		    "rounded up, or to the largest", w->row->version,
		    (unsigned long long)w->rounded);
	if (w->shared != 0)
		warn_lost(base->context, "%llu segments overlap others, as "
		    "those of several runs may: which addresses belong to "
		    "which segment is lost", (unsigned long long)w->shared);
	if (w->inside != 0)
		warn_lost(base->context, "%llu addresses outside of the "
		    "segments of their runs are in segments of other runs: "
		    "they become addresses of these",
		    (unsigned long long)w->inside);
	if (w->unknown != 0)
		warn_set(base->context, "%llu memory info blocks have no "
		    "values for fields of version %u: 0 is written, and the "
		    "minimum for a maximum", (unsigned long long)w->unknown,
		    w->row->version);
	if (w->salvaged)
		warn_lost(base->context, "raw heap profiles cannot say that "
		    "they were salvaged");
	return PROF_OK;
}

static void
mraw_write_free(struct prof_writer *base)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	writer_reset(w);
	arena_free(&w->arena);
	buf_free(&w->blocks);
	buf_free(&w->stacks);
	free(w->segments);
	free(w->fixups);
	free(w->outside);
}

static const struct writer_ops mraw_writer_ops = {
	.size = sizeof(struct mraw_writer),
	.put = mraw_write_put,
	.finish = mraw_write_finish,
	.free = mraw_write_free,
};

struct prof_writer *
memprof_raw_writer_new(struct prof_context *context,
    const struct prof_target *t, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct mraw_writer *w;

	if (t->pointer_bits == 32) {
		err_set(err, PROF_E_UNSUPPORTED,
		    "raw heap profiles are of programs of 64 bits");
		return NULL;
	}
	w = codec_writer_new(&mraw_writer_ops, context, sink, arg, err);
	if (w == NULL)
		return NULL;
	w->row = mraw_row(t->version);
	w->big = t->big_endian;
	return &w->base;
}
