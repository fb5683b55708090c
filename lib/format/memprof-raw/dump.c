#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/mib.h"
#include "format/memprof-raw/layout.h"

const struct mraw_section_names mraw_sections[MRAW_SECTIONS] = {
	[MRAW_SEGMENTS] = { "SegmentOffset", "segments" },
	[MRAW_BLOCKS] = { "MIBOffset", "memory info blocks" },
	[MRAW_STACKS] = { "StackOffset", "stacks" },
};

#define FIELDS_UP_TO(field) \
	.fields = MIB_UP_TO(field), \
	.block_size = MIB_SIZE(MIB_UP_TO(field))

/* In versions 1 and 2, the build id has no size, and may be anything. */
#define SEGMENT_WITHOUT_BUILD_ID \
	.segment = { .start = 0, .end = 8, .offset = 16, .size = 56 }
#define SEGMENT \
	.segment = { .start = 0, .end = 8, .offset = 16, \
	    .build_id_size = 24, .build_id = 32, .size = 64 }

static const struct mraw_row rows[] = {
	/* LLVM 14, 15 */
	{ .version = 1, SEGMENT_WITHOUT_BUILD_ID, .file_addresses = true,
	    FIELDS_UP_TO(DATA_TYPE_ID), .unknown = MIB_FALSE_MAXIMA },
	/* LLVM 16 */
	{ .version = 2, SEGMENT_WITHOUT_BUILD_ID, .file_addresses = true,
	    FIELDS_UP_TO(MAX_LIFETIME_ACCESS_DENSITY) },
	/* LLVM 17, 18 */
	{ .version = 3, SEGMENT, FIELDS_UP_TO(MAX_LIFETIME_ACCESS_DENSITY) },
	/* LLVM 19 to 21 */
	{ .version = 4, SEGMENT, FIELDS_UP_TO(ACCESS_HISTOGRAM),
	    .histogram_width = 8 },
	/* LLVM 22 */
	{ .version = 5, SEGMENT, FIELDS_UP_TO(ACCESS_HISTOGRAM),
	    .histogram_width = 2 },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const unsigned mraw_oldest = 1, mraw_newest = ROWS;

const struct mraw_row *
mraw_row(uint64_t version)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].version == version)
			return &rows[i];
	}
	return NULL;
}

/* Offset in the file of a member of the header. */
static size_t
dump_member_at(const struct mraw_dump *d, unsigned member)
{
	return d->start + 8 * (size_t)member;
}

static uint64_t
dump_member(const struct mraw_dump *d, unsigned member)
{
	return mraw_header_member(d->file.data + d->start, member, d->big);
}

bool
mraw_magic(struct prof_span bytes, bool *big)
{
	if (bytes.size < 8)
		return false;
	*big = bytes.data[0] == 0xff;
	return load_u64(bytes.data, *big) == MRAW_MAGIC;
}

static enum prof_status
dump_read_version(struct mraw_dump *d, struct prof_error *err)
{
	size_t left = d->file.size - d->start;
	uint64_t version;

	if (!mraw_magic((struct prof_span){ d->file.data + d->start, left },
	    &d->big))
		return err_at(err, PROF_E_CORRUPT, d->start, "not the magic of "
		    "a raw heap profile");
	if (left < MRAW_HEADER)
		return err_at(err, PROF_E_TRUNCATED, d->file.size, "the "
		    "header needs %d bytes, but has %zu", MRAW_HEADER, left);
	version = dump_member(d, MRAW_HEADER_VERSION);
	d->row = mraw_row(version);
	if (d->row == NULL)
		return err_at(err, PROF_E_VERSION, dump_member_at(d,
		    MRAW_HEADER_VERSION), "Version %llu is unknown: raw heap "
		    "profiles of versions %u to %u are known",
		    (unsigned long long)version, mraw_oldest, mraw_newest);
	return PROF_OK;
}

static enum prof_status
dump_read_size(struct mraw_dump *d, struct prof_error *err)
{
	size_t left = d->file.size - d->start;
	size_t at = dump_member_at(d, MRAW_HEADER_TOTAL_SIZE);
	uint64_t size = dump_member(d, MRAW_HEADER_TOTAL_SIZE);

	if (size < MRAW_HEADER || size % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, at, "TotalSize %llu is not "
		    "a multiple of 8 of at least %d", (unsigned long long)size,
		    MRAW_HEADER);
	if (size > left)
		return err_at(err, PROF_E_TRUNCATED, at,
		    "TotalSize %llu exceeds the %zu bytes left",
		    (unsigned long long)size, left);
	d->end = d->start + (size_t)size;
	return PROF_OK;
}

/* Sections must be in their order, each with room for its count. */
static enum prof_status
dump_read_offsets(struct mraw_dump *d, struct prof_error *err)
{
	uint64_t least = MRAW_HEADER, total = d->end - d->start;

	for (int s = 0; s < MRAW_SECTIONS; s++) {
		size_t at =
		    dump_member_at(d, MRAW_HEADER_OFFSETS + (unsigned)s);
		uint64_t offset =
		    dump_member(d, MRAW_HEADER_OFFSETS + (unsigned)s);

		if (offset < least || offset % 8 != 0)
			return err_at(err, PROF_E_CORRUPT, at, "%s %llu is not "
			    "a multiple of 8 of at least %llu",
			    mraw_sections[s].offset, (unsigned long long)offset,
			    (unsigned long long)least);
		if (offset > total - MRAW_COUNT)
			return err_at(err, PROF_E_CORRUPT, at, "%s %llu: no "
			    "room for a count before TotalSize %llu",
			    mraw_sections[s].offset, (unsigned long long)offset,
			    (unsigned long long)total);
		least = offset + MRAW_COUNT;
		d->at[s] = d->start + (size_t)least;
		d->limit[s] = d->end;
		if (s > 0)
			d->limit[s - 1] = d->start + (size_t)offset;
	}
	return PROF_OK;
}

/* Bytes of the smallest entry of a section. */
static size_t
dump_least_entry(const struct mraw_dump *d, int section)
{
	switch (section) {
	case MRAW_SEGMENTS:
		return d->row->segment.size;
	case MRAW_BLOCKS:
		return (size_t)MRAW_BLOCK_ID + d->row->block_size;
	default:
		return MRAW_STACK;
	}
}

static enum prof_status
dump_read_counts(struct mraw_dump *d, struct prof_error *err)
{
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		size_t left = d->limit[s] - d->at[s],
		       least = dump_least_entry(d, s);

		d->count[s] = load_u64(d->file.data + d->at[s] - MRAW_COUNT,
		    d->big);
		if (d->count[s] > left / least)
			return err_at(err, PROF_E_CORRUPT,
			    d->at[s] - MRAW_COUNT, "%llu %s exceed the %zu "
			    "bytes left in their section, of %zu or more each",
			    (unsigned long long)d->count[s],
			    mraw_sections[s].entries, left, least);
	}
	return PROF_OK;
}

enum prof_status
mraw_dump_open(struct mraw_dump *d, struct prof_span file, size_t start,
    struct prof_error *err)
{
	*d = (struct mraw_dump){ .file = file, .start = start };
	if (dump_read_version(d, err) != PROF_OK ||
	    dump_read_size(d, err) != PROF_OK ||
	    dump_read_offsets(d, err) != PROF_OK)
		return PROF_FAIL;
	return dump_read_counts(d, err);
}

/* Finds a section that ends at `end` bytes of the dump or is cut there. */
static bool
dump_find_section(struct mraw_dump *d, int s, uint64_t *least, uint64_t end)
{
	uint64_t offset = dump_member(d, MRAW_HEADER_OFFSETS + (unsigned)s);

	if (offset < *least || offset % 8 != 0)
		return false;
	if (s > 0)
		d->limit[s - 1] = d->start +
		    (size_t)(offset < end ? offset : end);
	*least = end;
	if (offset <= end && end - offset >= MRAW_COUNT) {
		*least = offset + MRAW_COUNT;
		d->count[s] = load_u64(d->file.data + d->start + (size_t)offset,
		    d->big);
	}
	d->at[s] = d->start + (size_t)*least;
	d->limit[s] = d->end;
	return true;
}

enum prof_status
mraw_dump_open_damaged(struct mraw_dump *d, struct prof_span file,
    size_t start)
{
	uint64_t end = file.size - start, least = MRAW_HEADER, size;

	*d = (struct mraw_dump){ .file = file, .start = start };
	if (dump_read_version(d, NULL) != PROF_OK)
		return PROF_FAIL;
	size = dump_member(d, MRAW_HEADER_TOTAL_SIZE);
	if (size >= MRAW_HEADER && size < end)
		end = size;
	d->end = start + (size_t)end;
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		if (!dump_find_section(d, s, &least, end))
			return PROF_FAIL;
	}
	return PROF_OK;
}

struct prof_span
mraw_segment_bytes(const struct mraw_dump *d)
{
	return (struct prof_span){ d->file.data + d->at[MRAW_SEGMENTS],
	    (size_t)d->count[MRAW_SEGMENTS] * d->row->segment.size };
}

static uint64_t
segment_build_id_size(const struct mraw_dump *d, const uint8_t *entry)
{
	const struct mraw_segment_layout *l = &d->row->segment;

	return l->build_id == 0 ? 0 :
	    load_u64(entry + l->build_id_size, d->big);
}

enum prof_status
mraw_segments_check(struct mraw_dump *d, struct prof_error *err)
{
	const struct mraw_segment_layout *l = &d->row->segment;
	size_t at = d->at[MRAW_SEGMENTS];

	for (uint64_t i = 0; i < d->count[MRAW_SEGMENTS]; i++) {
		const uint8_t *p = d->file.data + at;
		uint64_t start = load_u64(p + l->start, d->big);
		uint64_t end = load_u64(p + l->end, d->big);
		uint64_t id = segment_build_id_size(d, p);

		if (start > end)
			return err_at(err, PROF_E_CORRUPT, at,
			    "segment %llu: Start 0x%llx is above End 0x%llx",
			    (unsigned long long)i, (unsigned long long)start,
			    (unsigned long long)end);
		if (id > MRAW_BUILD_ID_MAX)
			return err_at(err, PROF_E_CORRUPT,
			    at + l->build_id_size,
			    "segment %llu: BuildIdSize %llu exceeds %d",
			    (unsigned long long)i, (unsigned long long)id,
			    MRAW_BUILD_ID_MAX);
		at += l->size;
	}
	d->unread[MRAW_SEGMENTS] = d->limit[MRAW_SEGMENTS] - at;
	return PROF_OK;
}

/* Reports why the i-th block failed its check. */
static enum prof_status
block_error(const struct mraw_dump *d, uint64_t i, size_t at,
    struct prof_error *err)
{
	const size_t fixed = (size_t)MRAW_BLOCK_ID + d->row->block_size;
	const size_t left = d->limit[MRAW_BLOCKS] - at;
	const size_t histogram = at + MRAW_BLOCK_ID +
	    mraw_histogram_size_at(d->row);

	if (left < fixed)
		return err_at(err, PROF_E_CORRUPT, at, "memory info block %llu "
		    "of %llu needs %zu bytes, but %zu are left in its section",
		    (unsigned long long)i,
		    (unsigned long long)d->count[MRAW_BLOCKS], fixed, left);
	return err_at(err, PROF_E_CORRUPT, histogram, "memory info "
	    "block %llu: AccessHistogramSize %lu exceeds the %zu bytes left "
	    "in its section, of %u each", (unsigned long long)i,
	    (unsigned long)mraw_u32(d, d->file.data + histogram),
	    left - fixed, (unsigned)d->row->histogram_width);
}

static enum prof_status
stack_error(const struct mraw_dump *d, uint64_t i, size_t at,
    struct prof_error *err)
{
	const size_t left = d->limit[MRAW_STACKS] - at;

	if (left < MRAW_STACK)
		return err_at(err, PROF_E_CORRUPT, at, "stack %llu of %llu "
		    "needs %d bytes or more, but %zu are left in its section",
		    (unsigned long long)i,
		    (unsigned long long)d->count[MRAW_STACKS], MRAW_STACK,
		    left);
	return err_at(err, PROF_E_CORRUPT, at + 8, "stack %llu: %llu PCs "
	    "exceed the %zu bytes left in its section", (unsigned long long)i,
	    (unsigned long long)mraw_u64(d, d->file.data + at + 8),
	    left - MRAW_STACK);
}

enum prof_status
mraw_dump_check(struct mraw_dump *d, struct prof_error *err)
{
	size_t at = d->at[MRAW_BLOCKS];
	struct mraw_block b;
	struct mraw_stack s;

	if (mraw_segments_check(d, err) != PROF_OK)
		return PROF_FAIL;
	/* Without histograms, all blocks have one size. */
	if (d->row->histogram_width == 0)
		at += (size_t)d->count[MRAW_BLOCKS] *
		    ((size_t)MRAW_BLOCK_ID + d->row->block_size);
	for (uint64_t i = 0; d->row->histogram_width != 0 &&
	    i < d->count[MRAW_BLOCKS]; i++) {
		if (!mraw_block_check(d, at, &b))
			return block_error(d, i, at, err);
		at = b.next;
	}
	d->unread[MRAW_BLOCKS] = d->limit[MRAW_BLOCKS] - at;
	at = d->at[MRAW_STACKS];
	for (uint64_t i = 0; i < d->count[MRAW_STACKS]; i++) {
		if (!mraw_stack_check(d, at, &s))
			return stack_error(d, i, at, err);
		at = s.next;
	}
	d->unread[MRAW_STACKS] = d->limit[MRAW_STACKS] - at;
	return PROF_OK;
}

void
mraw_segment_get(const struct mraw_dump *d, uint64_t i,
    struct prof_segment *s)
{
	const struct mraw_segment_layout *l = &d->row->segment;
	const uint8_t *p = d->file.data + d->at[MRAW_SEGMENTS] +
	    (size_t)i * l->size;

	*s = (struct prof_segment){ .id = i, .has_range = true,
	    .file_addresses = d->row->file_addresses,
	    .start = load_u64(p + l->start, d->big),
	    .end = load_u64(p + l->end, d->big),
	    .offset = load_u64(p + l->offset, d->big) };
	if (l->build_id != 0)
		s->build_id = (struct prof_span){ p + l->build_id,
		    (size_t)segment_build_id_size(d, p) };
}

void
mraw_block_info(const struct mraw_dump *d, const struct mraw_block *b,
    struct prof_mib *m)
{
	const uint32_t fields = d->row->fields;
	/* The address of a histogram has no meaning. */
	const uint32_t known = fields & ~d->row->unknown &
	    ~MIB_BIT(ACCESS_HISTOGRAM);
	const uint8_t *p = b->fields;

	*m = (struct prof_mib){ .fields = fields & ~d->row->unknown };
	for (unsigned i = 1; fields >> i != 0; i++) {
		const unsigned bytes = (fields >> i & 1) * mib_bytes(i);

		if ((known >> i & 1) != 0)
			m->value[i] = bytes == 4 ? mraw_u32(d, p) :
			    mraw_u64(d, p);
		p += bytes;
	}
}

void
mraw_histogram(const struct mraw_dump *d, const struct mraw_block *b,
    uint64_t *out)
{
	const uint8_t *p = b->histogram;

	for (uint32_t i = 0; i < b->histogram_size; i++) {
		out[i] = d->row->histogram_width == 8 ?
		    load_u64(p, d->big) : mraw_unscale(load_u16(p, d->big));
		p += d->row->histogram_width;
	}
}

/* Counts a block that did not fit, for one warning in all. */
static void
sums_note_saturated(struct mraw_sums *t, const struct mraw_sum *to, bool fits)
{
	if (!fits && t->saturated++ == 0)
		t->first_saturated = to->stack;
}

static bool
sums_add_histogram(struct mraw_sums *t, struct mraw_sum *to,
    const uint64_t *histogram, size_t size)
{
	bool fits = true;

	if (!mib_histogram_add(&to->histogram, histogram, size, &t->histograms,
	    &fits))
		return false;
	sums_note_saturated(t, to, fits);
	to->info.histogram = to->histogram.counts;
	to->info.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = to->histogram.size;
	return true;
}

bool
mraw_sums_add(struct mraw_sums *t, uint64_t stack, const struct prof_mib *b,
    const uint64_t *histogram)
{
	const size_t size = histogram == NULL ? 0 :
	    (size_t)b->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	uint64_t *place = id_map_add(&t->index, stack, t->size + 1);
	struct mraw_sum *to;
	uint32_t fields;

	if (place == NULL)
		return false;
	if (*place == t->size + 1) {
		if (!ARRAY_ROOM(t->items, t->size, t->room))
			return false;
		to = &t->items[t->size++];
		*to = (struct mraw_sum){ .stack = stack, .info = *b };
		return sums_add_histogram(t, to, histogram, size);
	}
	to = &t->items[*place - 1];
	/* A block without these fields is one of an empty histogram. */
	fields = (to->info.fields | b->fields) & MIB_HISTOGRAM;
	sums_note_saturated(t, to, mib_merge(&to->info, b));
	to->info.fields |= fields;
	return sums_add_histogram(t, to, histogram, size);
}

void
mraw_sums_clear(struct mraw_sums *t)
{
	t->size = 0;
	t->saturated = 0;
	id_map_free(&t->index);
	arena_reset(&t->histograms);
}

void
mraw_sums_free(struct mraw_sums *t)
{
	free(t->items);
	id_map_free(&t->index);
	arena_free(&t->histograms);
	*t = (struct mraw_sums){ 0 };
}
