#include "format/memprof-raw/dump.h"

#include "base/error.h"
#include "model/mib.h"

/* Places of the header's fields. */
enum {
	AT_VERSION = 8, AT_TOTAL_SIZE = 16, AT_OFFSETS = 24 /* 8 bytes each */
};

static const char *const offset_names[MRAW_SECTIONS] = {
	"SegmentOffset", "MIBOffset", "StackOffset"
};

static const char *const entry_names[MRAW_SECTIONS] = {
	"segments", "memory info blocks", "stacks"
};

bool
mraw_magic(struct prof_span bytes, bool *big)
{
	if (bytes.size < 8)
		return false;
	*big = bytes.data[0] == 0xff;
	return load_u64(bytes.data, *big) == MRAW_MAGIC;
}

static enum prof_status
read_version(struct mraw_dump *d, struct prof_error *err)
{
	size_t left = d->file.size - d->start;
	uint64_t version;

	if (!mraw_magic((struct prof_span){ d->file.data + d->start, left },
	    &d->big))
		return err_at(err, PROF_E_CORRUPT, d->start,
		    "no magic of a raw heap profile");
	if (left < MRAW_HEADER)
		return err_at(err, PROF_E_TRUNCATED, d->file.size,
		    "the header takes %d bytes, %zu are there", MRAW_HEADER,
		    left);
	version = load_u64(d->file.data + d->start + AT_VERSION, d->big);
	d->row = mraw_row(version);
	if (d->row == NULL)
		return err_at(err, PROF_E_VERSION, d->start + AT_VERSION,
		    "Version %llu is not known: raw heap profiles of versions "
		    "%u to %u are", (unsigned long long)version, mraw_oldest,
		    mraw_newest);
	return PROF_OK;
}

static enum prof_status
read_size(struct mraw_dump *d, struct prof_error *err)
{
	size_t left = d->file.size - d->start, at = d->start + AT_TOTAL_SIZE;
	uint64_t size = load_u64(d->file.data + at, d->big);

	if (size < MRAW_HEADER || size % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, at, "TotalSize %llu is no "
		    "multiple of 8 from %d on", (unsigned long long)size,
		    MRAW_HEADER);
	if (size > left)
		return err_at(err, PROF_E_TRUNCATED, at,
		    "TotalSize %llu exceeds the %zu bytes left",
		    (unsigned long long)size, left);
	d->end = d->start + (size_t)size;
	return PROF_OK;
}

/* The sections come in their order, and each has room for its count. */
static enum prof_status
read_offsets(struct mraw_dump *d, struct prof_error *err)
{
	uint64_t least = MRAW_HEADER, total = d->end - d->start;

	for (int s = 0; s < MRAW_SECTIONS; s++) {
		size_t at = d->start + AT_OFFSETS + 8 * (size_t)s;
		uint64_t offset = load_u64(d->file.data + at, d->big);

		if (offset < least || offset % 8 != 0)
			return err_at(err, PROF_E_CORRUPT, at, "%s %llu is no "
			    "multiple of 8 from %llu on", offset_names[s],
			    (unsigned long long)offset,
			    (unsigned long long)least);
		if (offset > total - 8)
			return err_at(err, PROF_E_CORRUPT, at, "%s %llu: no "
			    "room for a count before TotalSize %llu",
			    offset_names[s], (unsigned long long)offset,
			    (unsigned long long)total);
		least = offset + 8;
		d->at[s] = d->start + (size_t)offset + 8;
		d->limit[s] = d->end;
		if (s > 0)
			d->limit[s - 1] = d->start + (size_t)offset;
	}
	return PROF_OK;
}

/* Bytes of the smallest entry. */
static size_t
least_size(const struct mraw_dump *d, int section)
{
	switch (section) {
	case MRAW_SEGMENTS:
		return d->row->segment_size;
	case MRAW_BLOCKS:
		return 8u + d->row->block_size;
	default:
		return MRAW_STACK;
	}
}

static enum prof_status
read_counts(struct mraw_dump *d, struct prof_error *err)
{
	for (int s = 0; s < MRAW_SECTIONS; s++) {
		size_t left = d->limit[s] - d->at[s], least = least_size(d, s);

		d->count[s] = load_u64(d->file.data + d->at[s] - 8, d->big);
		if (d->count[s] > left / least)
			return err_at(err, PROF_E_CORRUPT, d->at[s] - 8,
			    "%llu %s exceed the %zu bytes left in their "
			    "section, of %zu or more each",
			    (unsigned long long)d->count[s], entry_names[s],
			    left, least);
	}
	return PROF_OK;
}

enum prof_status
mraw_dump_place(struct mraw_dump *d, struct prof_span file, size_t start,
    struct prof_error *err)
{
	*d = (struct mraw_dump){ .file = file, .start = start };
	if (read_version(d, err) != PROF_OK || read_size(d, err) != PROF_OK ||
	    read_offsets(d, err) != PROF_OK)
		return PROF_FAIL;
	return read_counts(d, err);
}

enum prof_status
mraw_segments_check(struct mraw_dump *d, struct prof_error *err)
{
	const uint8_t *p = d->file.data + d->at[MRAW_SEGMENTS];
	size_t at = d->at[MRAW_SEGMENTS];

	for (uint64_t i = 0; i < d->count[MRAW_SEGMENTS]; i++) {
		uint64_t start = load_u64(p, d->big);
		uint64_t end = load_u64(p + 8, d->big);
		uint64_t id = d->row->has_build_id ?
		    load_u64(p + 24, d->big) : 0;

		if (start > end)
			return err_at(err, PROF_E_CORRUPT, at,
			    "segment %llu: Start 0x%llx is above End 0x%llx",
			    (unsigned long long)i, (unsigned long long)start,
			    (unsigned long long)end);
		if (id > MRAW_BUILD_ID_MAX)
			return err_at(err, PROF_E_CORRUPT, at + 24,
			    "segment %llu: BuildIdSize %llu exceeds %d",
			    (unsigned long long)i, (unsigned long long)id,
			    MRAW_BUILD_ID_MAX);
		p += d->row->segment_size;
		at += d->row->segment_size;
	}
	d->unread[MRAW_SEGMENTS] = d->limit[MRAW_SEGMENTS] - at;
	return PROF_OK;
}

enum prof_status
mraw_block_error(const struct mraw_dump *d, uint64_t i, size_t at,
    struct prof_error *err)
{
	const size_t fixed = 8u + d->row->block_size;
	const size_t left = d->limit[MRAW_BLOCKS] - at;

	if (left < fixed)
		return err_at(err, PROF_E_CORRUPT, at, "memory info block "
		    "%llu of %llu takes %zu bytes, %zu are left in its section",
		    (unsigned long long)i,
		    (unsigned long long)d->count[MRAW_BLOCKS], fixed, left);
	return err_at(err, PROF_E_CORRUPT, at + fixed - 12, "memory info "
	    "block %llu: AccessHistogramSize %lu exceeds the %zu bytes left "
	    "in its section, of %u each", (unsigned long long)i,
	    (unsigned long)mraw_u32(d, d->file.data + at + fixed - 12),
	    left - fixed, (unsigned)d->row->histogram_width);
}

enum prof_status
mraw_stack_error(const struct mraw_dump *d, uint64_t i, size_t at,
    struct prof_error *err)
{
	const size_t left = d->limit[MRAW_STACKS] - at;

	if (left < MRAW_STACK)
		return err_at(err, PROF_E_CORRUPT, at, "stack %llu of %llu "
		    "takes %d bytes or more, %zu are left in its section",
		    (unsigned long long)i,
		    (unsigned long long)d->count[MRAW_STACKS], MRAW_STACK,
		    left);
	return err_at(err, PROF_E_CORRUPT, at + 8, "stack %llu: %llu PCs "
	    "exceed the %zu bytes left in its section", (unsigned long long)i,
	    (unsigned long long)mraw_u64(d, d->file.data + at + 8),
	    left - MRAW_STACK);
}

/* Blocks of a version without histograms are all of one size. */
static enum prof_status
check_blocks(struct mraw_dump *d, struct prof_error *err)
{
	size_t at = d->at[MRAW_BLOCKS];
	struct mraw_block b;

	if (d->row->histogram_width == 0)
		at += (size_t)d->count[MRAW_BLOCKS] * (8u +
		    d->row->block_size);
	for (uint64_t i = 0; d->row->histogram_width != 0 &&
	    i < d->count[MRAW_BLOCKS]; i++) {
		if (!mraw_block_check(d, at, &b))
			return mraw_block_error(d, i, at, err);
		at = b.next;
	}
	d->unread[MRAW_BLOCKS] = d->limit[MRAW_BLOCKS] - at;
	return PROF_OK;
}

static enum prof_status
check_stacks(struct mraw_dump *d, struct prof_error *err)
{
	size_t at = d->at[MRAW_STACKS];
	struct mraw_stack s;

	for (uint64_t i = 0; i < d->count[MRAW_STACKS]; i++) {
		if (!mraw_stack_check(d, at, &s))
			return mraw_stack_error(d, i, at, err);
		at = s.next;
	}
	d->unread[MRAW_STACKS] = d->limit[MRAW_STACKS] - at;
	return PROF_OK;
}

enum prof_status
mraw_dump_check(struct mraw_dump *d, struct prof_error *err)
{
	if (mraw_segments_check(d, err) != PROF_OK ||
	    check_blocks(d, err) != PROF_OK)
		return PROF_FAIL;
	return check_stacks(d, err);
}

void
mraw_segment_get(const struct mraw_dump *d, uint64_t i,
    struct prof_segment *s)
{
	const uint8_t *p = d->file.data + d->at[MRAW_SEGMENTS] +
	    (size_t)i * d->row->segment_size;

	*s = (struct prof_segment){ .id = i, .has_range = true,
	    .file_addresses = d->row->file_addresses,
	    .start = load_u64(p, d->big), .end = load_u64(p + 8, d->big),
	    .offset = load_u64(p + 16, d->big) };
	if (d->row->has_build_id)
		s->build_id = (struct prof_span){ p + 32,
		    (size_t)load_u64(p + 24, d->big) };
}

/* Unrolled: then the compiler knows where each field is, and how wide. */
static inline const uint8_t *
load_fields(const uint8_t *p, bool big, unsigned begin, unsigned end,
    uint64_t *value)
{
#pragma GCC unroll 32
	for (unsigned i = begin; i < end; i++) {
		value[i] = mib_bytes(i) == 4 ? load_u32(p, big) :
		    load_u64(p, big);
		p += mib_bytes(i);
	}
	return p;
}

/* Unrolled too: of so few numbers, a call or a string instruction is slow. */
static inline void
zero_fields(unsigned begin, unsigned end, uint64_t *value)
{
#pragma GCC unroll 32
	for (unsigned i = begin; i < end; i++)
		value[i] = 0;
}

/* The fields of the first version, and then of those that have more. */
static inline void
load_block(const uint8_t *p, bool big, unsigned end, uint64_t *value)
{
	enum { SECOND = PROF_MIB_DATA_TYPE_ID + 1,
	    FOURTH = PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY + 1,
	    LAST = FOURTH + 1 };

	value[0] = 0;
	p = load_fields(p, big, 1, SECOND, value);
	if (end > SECOND)
		p = load_fields(p, big, SECOND, FOURTH, value);
	else
		zero_fields(SECOND, FOURTH, value);
	if (end > FOURTH)
		load_fields(p, big, FOURTH, LAST, value);
	else
		zero_fields(FOURTH, LAST, value);
	zero_fields(LAST, PROF_MIB_FIELDS, value);
}

void
mraw_block_info(const struct mraw_dump *d, const struct mraw_block *b,
    struct prof_mib *m)
{
	const unsigned end = d->row->last_field + 1u;

	m->fields = d->row->fields & ~d->row->unknown;
	m->histogram = NULL;
	/* Twice, so that each has its loads. */
	if (d->big)
		load_block(b->fields, true, end, m->value);
	else
		load_block(b->fields, false, end, m->value);
	for (unsigned i = 1; d->row->unknown >> i != 0; i++) {
		if ((d->row->unknown >> i & 1) != 0)
			m->value[i] = 0;
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
