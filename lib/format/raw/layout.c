/* The rows of all versions; header, sections and records of one image. */
#include "format/raw/raw.h"

#include <string.h>

#include "base/error.h"
#include "model/value_sites.h"

const char *const raw_field_names[RAW_FIELDS] = {
	[RAW_BINARY_IDS_SIZE] = "BinaryIdsSize",
	[RAW_NUM_DATA] = "NumData",
	[RAW_PADDING_BEFORE_COUNTERS] = "PaddingBytesBeforeCounters",
	[RAW_NUM_COUNTERS] = "NumCounters",
	[RAW_PADDING_AFTER_COUNTERS] = "PaddingBytesAfterCounters",
	[RAW_NUM_BITMAP_BYTES] = "NumBitmapBytes",
	[RAW_PADDING_AFTER_BITMAP] = "PaddingBytesAfterBitmapBytes",
	[RAW_NUM_UNIFORM] = "NumUniformCounters",
	[RAW_PADDING_AFTER_UNIFORM] = "PaddingBytesAfterUniformCounters",
	[RAW_UNIFORM_DELTA] = "UniformCountersDelta",
	[RAW_NAMES_SIZE] = "NamesSize",
	[RAW_COUNTERS_DELTA] = "CountersDelta",
	[RAW_BITMAP_DELTA] = "BitmapDelta",
	[RAW_NAMES_DELTA] = "NamesDelta",
	[RAW_NUM_VTABLES] = "NumVTables",
	[RAW_VNAMES_SIZE] = "VNamesSize",
	[RAW_VALUE_KIND_LAST] = "ValueKindLast",
	[RAW_VALUE_DATA_SIZE] = "ValueDataSize",
	[RAW_VALUE_DATA_DELTA] = "ValueDataDelta",
	[RAW_UNUSED_FIELD] = "(unused)",
};

#define IR VARIANT_IR
#define V4_BITS (IR | VARIANT_CONTEXT_SENSITIVE)
#define V5_BITS (V4_BITS | VARIANT_ENTRY_FIRST)
#define V8_BITS (V5_BITS | VARIANT_DEBUG_INFO_CORRELATED | \
    VARIANT_BYTE_COVERAGE | VARIANT_FUNCTION_ENTRY_ONLY | VARIANT_TEMPORAL)
#define V10_BITS (V8_BITS | VARIANT_LOOP_ENTRIES)

#define V3_RECORD { RAW_NAME_REF, RAW_FUNC_HASH, RAW_COUNTER_PTR, \
    RAW_FUNCTION_PTR, RAW_VALUES_PTR, RAW_NUM_COUNTS, RAW_NUM_VALUE_SITES }
#define V9_RECORD { RAW_NAME_REF, RAW_FUNC_HASH, RAW_COUNTER_PTR, \
    RAW_BITMAP_PTR, RAW_FUNCTION_PTR, RAW_VALUES_PTR, RAW_NUM_COUNTS, \
    RAW_NUM_VALUE_SITES, RAW_NUM_BITMAP }
#define V2_HEADER { RAW_NUM_DATA, RAW_NUM_COUNTERS, RAW_NAMES_SIZE, \
    RAW_COUNTERS_DELTA, RAW_NAMES_DELTA, RAW_VALUE_KIND_LAST, \
    RAW_VALUE_DATA_SIZE, RAW_VALUE_DATA_DELTA }
#define V5_COUNTERS RAW_NUM_DATA, RAW_PADDING_BEFORE_COUNTERS, \
    RAW_NUM_COUNTERS, RAW_PADDING_AFTER_COUNTERS
#define V5_NAMES RAW_NAMES_SIZE, RAW_COUNTERS_DELTA, RAW_NAMES_DELTA, \
    RAW_VALUE_KIND_LAST
#define V7_HEADER { RAW_BINARY_IDS_SIZE, V5_COUNTERS, V5_NAMES }
#define V9_COUNTERS RAW_BINARY_IDS_SIZE, V5_COUNTERS, RAW_NUM_BITMAP_BYTES, \
    RAW_PADDING_AFTER_BITMAP
#define V9_NAMES RAW_NAMES_SIZE, RAW_COUNTERS_DELTA, RAW_BITMAP_DELTA, \
    RAW_NAMES_DELTA

/*
 * Versions 2, 3, 4, 6 and 11 are from LLVM's sources, as no compiler that
 * writes them was at hand; the others were checked with files of the releases
 * named.
 */
const struct raw_row raw_rows[] = {
	{	/* LLVM 3.5 to 3.7 */
		.version = 1,
		.header = { RAW_NUM_DATA, RAW_NUM_COUNTERS, RAW_NAMES_SIZE,
		    RAW_COUNTERS_DELTA, RAW_NAMES_DELTA },
		.record = { RAW_NAME_SIZE, RAW_NUM_COUNTS, RAW_FUNC_HASH,
		    RAW_NAME_PTR, RAW_COUNTER_PTR },
		.value_kinds = 1,
		.pointers = RAW_ABSOLUTE,
		.addressed_names = true,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 4,
	}, {	/* LLVM 3.8 */
		.version = 2,
		.header = V2_HEADER,
		.record = { RAW_NAME_SIZE, RAW_NUM_COUNTS, RAW_FUNC_HASH,
		    RAW_NAME_PTR, RAW_COUNTER_PTR, RAW_FUNCTION_PTR,
		    RAW_VALUES_PTR, RAW_NUM_VALUE_SITES },
		.value_kinds = 1,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_SIZED,
		.addressed_names = true,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 4,
		.variants = IR,
	}, {	/* trunk, February to May 2016 */
		.version = 3,
		.header = V2_HEADER,
		.record = V3_RECORD,
		.value_kinds = 1,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_SIZED,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 4,
		.variants = IR,
	}, {	/* LLVM 3.9 to 9 */
		.version = 4,
		.header = { RAW_NUM_DATA, RAW_NUM_COUNTERS, RAW_NAMES_SIZE,
		    RAW_COUNTERS_DELTA, RAW_NAMES_DELTA,
		    RAW_VALUE_KIND_LAST },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 5,
		.variants = V4_BITS,
	}, {	/* LLVM 10 to 12 */
		.version = 5,
		.header = { V5_COUNTERS, V5_NAMES },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 5, .frontend_last = 7,
		.variants = V5_BITS,
	}, {	/* trunk, June to August 2021 */
		.version = 6,
		.header = { V5_COUNTERS, V5_NAMES, RAW_BINARY_IDS_SIZE },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE,
		.ids = RAW_IDS_MAYBE_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.frontend_first = 7, .frontend_last = 12,
		.variants = V5_BITS,
	}, {	/* LLVM 13 */
		.version = 7,
		.header = V7_HEADER,
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE_OR_RELATIVE,
		.ids = RAW_IDS_MAYBE_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.frontend_first = 7, .frontend_last = 12,
		.variants = V5_BITS,
	}, {	/* LLVM 14 to 17 */
		.version = 8,
		.header = V7_HEADER,
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 7, .frontend_last = 12,
		.variants = V8_BITS,
	}, {	/* LLVM 18 */
		.version = 9,
		.header = { V9_COUNTERS, V9_NAMES, RAW_VALUE_KIND_LAST },
		.record = V9_RECORD,
		.value_kinds = 2,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 7, .frontend_last = 12,
		.value_kinds_min = 2,
		.bitmap_first = 11, .bitmap_last = 11,
		.variants = V8_BITS,
	}, {	/* LLVM 19 to 22 */
		.version = 10,
		.header = { V9_COUNTERS, V9_NAMES, RAW_NUM_VTABLES,
		    RAW_VNAMES_SIZE, RAW_VALUE_KIND_LAST },
		.record = V9_RECORD,
		.value_kinds = 3,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.value_kinds_min = 3,
		.frontend_first = 12, .frontend_last = 13,
		.variants = V10_BITS,
	}, {	/* LLVM 23 */
		.version = 11,
		.header = { V9_COUNTERS, RAW_NUM_UNIFORM,
		    RAW_PADDING_AFTER_UNIFORM, RAW_UNIFORM_DELTA, V9_NAMES,
		    RAW_NUM_VTABLES, RAW_VNAMES_SIZE, RAW_VALUE_KIND_LAST },
		.record = { RAW_NAME_REF, RAW_FUNC_HASH, RAW_COUNTER_PTR,
		    RAW_UNIFORM_PTR, RAW_BITMAP_PTR, RAW_FUNCTION_PTR,
		    RAW_VALUES_PTR, RAW_NUM_COUNTS, RAW_NUM_VALUE_SITES,
		    RAW_WAVE_SIZE, RAW_NUM_BITMAP },
		.value_kinds = 3,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.value_kinds_min = 3,
		.frontend_first = 13, .frontend_last = 13,
		.variants = V10_BITS,
	},
};

const size_t raw_row_count = sizeof(raw_rows) / sizeof(raw_rows[0]);

const struct raw_row *
raw_row(uint64_t version)
{
	for (size_t i = 0; i < raw_row_count; i++) {
		if (raw_rows[i].version == version)
			return &raw_rows[i];
	}
	return NULL;
}

bool
raw_row_has_field(const struct raw_row *row, enum raw_field field)
{
	for (const uint8_t *f = row->header; *f != RAW_END; f++) {
		if (*f == field)
			return true;
	}
	return false;
}

size_t
raw_header_size(const struct raw_row *row)
{
	size_t n = 2;		/* magic and version */

	for (const uint8_t *f = row->header; *f != RAW_END; f++)
		n++;
	return n * RAW_FIELD_SIZE;
}

/*
 * Members have their natural alignment, as in a C structure; the runtime aligns
 * the whole to 8 bytes on every target.
 */
void
raw_record_layout(const struct raw_row *row, unsigned pointer_bytes,
    unsigned value_kinds, struct raw_record_layout *out)
{
	unsigned at = 0;

	memset(out, 0, sizeof(*out));
	for (const uint8_t *m = row->record; *m != RAW_M_END; m++) {
		unsigned width = raw_members[*m].width;
		unsigned count = *m == RAW_NUM_VALUE_SITES ? value_kinds : 1;

		if (width == 0)
			width = pointer_bytes;
		at = (at + width - 1) / width * width;
		out->has[*m] = true;
		out->offset[*m] = (uint16_t)at;
		at += width * count;
	}
	out->size = (uint16_t)((at + 7) / 8 * 8);
}

bool
raw_magic(struct prof_span bytes, struct raw_image *im)
{
	if (bytes.size < 8)
		return false;
	for (int big = 0; big <= 1; big++) {
		uint64_t magic = load_u64(bytes.data, big != 0);

		if (magic == RAW_MAGIC_64 || magic == RAW_MAGIC_32) {
			im->big = big != 0;
			im->magic = magic;
			im->pointer_bytes = magic == RAW_MAGIC_64 ? 8 : 4;
			return true;
		}
	}
	return false;
}

/* Offset in the file of a header field, for messages. */
static uint64_t
raw_field_at(const struct raw_image *im, enum raw_field field)
{
	size_t i = 0;

	while (im->row->header[i] != field && im->row->header[i] != RAW_END)
		i++;
	return im->start + 16 + RAW_FIELD_SIZE * i;
}

/* Reads magic, version and all fields. */
static enum prof_status
raw_image_read_header(struct raw_image *im, struct prof_span file,
    size_t start, struct prof_error *err)
{
	struct cursor c = { .data = file.data, .size = file.size,
	    .pos = start + 16 };
	uint64_t version;
	size_t size;

	*im = (struct raw_image){ .file = file, .start = start };
	if (start == file.size || !raw_magic((struct prof_span){
	    file.data + start, file.size - start }, im))
		return err_at(err, PROF_E_CORRUPT, start, "not the magic of a "
		    "raw profile");
	if (im->file.size - im->start < 16)
		return err_at(err, PROF_E_TRUNCATED, im->start + 8,
		    "header: Version is cut off, %zu bytes left",
		    im->file.size - im->start - 8);
	im->version_word =
	    load_u64(im->file.data + im->start + 8, im->big);
	version = im->version_word & UINT32_MAX;
	im->row = raw_row(version);
	if (im->row == NULL)
		return err_at(err, PROF_E_VERSION, im->start + 8, "Version "
		    "%llu is unknown: raw versions %u to %u are known",
		    (unsigned long long)version, raw_rows[0].version,
		    raw_rows[raw_row_count - 1].version);
	if (im->version_word & VARIANT_MEMPROF)
		return err_at(err, PROF_E_CORRUPT, im->start + 8,
		    "Version has the MemProf bit, which no raw "
		    "instrumentation profile has");
	size = raw_header_size(im->row);
	if (im->file.size - im->start < size)
		return err_at(err, PROF_E_TRUNCATED, im->file.size, "header of "
		    "version %u needs %zu bytes, but has %zu", im->row->version,
		    size, im->file.size - im->start);
	c.big = im->big;
	for (const uint8_t *f = im->row->header; *f != RAW_END; f++)
		im->field[*f] = cur_u64(&c);
	if (im->row->ids == RAW_IDS_PADDED &&
	    im->field[RAW_BINARY_IDS_SIZE] % 8 != 0)
		return err_at(err, PROF_E_CORRUPT,
		    raw_field_at(im, RAW_BINARY_IDS_SIZE),
		    "BinaryIdsSize %llu is not a multiple of 8",
		    (unsigned long long)im->field[RAW_BINARY_IDS_SIZE]);
	if (im->field[RAW_VALUE_KIND_LAST] > RAW_VALUE_KINDS_MAX - 1)
		return err_at(err, PROF_E_CORRUPT,
		    raw_field_at(im, RAW_VALUE_KIND_LAST),
		    "ValueKindLast %llu exceeds %d",
		    (unsigned long long)im->field[RAW_VALUE_KIND_LAST],
		    RAW_VALUE_KINDS_MAX - 1);
	im->value_kinds = (unsigned)im->field[RAW_VALUE_KIND_LAST] + 1;
	if (im->value_kinds < im->row->value_kinds_min)
		im->value_kinds = im->row->value_kinds_min;
	raw_record_layout(im->row, im->pointer_bytes, im->value_kinds,
	    &im->layout);
	return PROF_OK;
}

uint64_t
raw_unit_size(const struct raw_image *im, enum raw_section section)
{
	switch (section) {
	case RAW_S_DATA:
		return im->layout.size;
	case RAW_S_COUNTERS:
		return raw_counter_width(im);
	case RAW_S_UNIFORM:
		return 8;
	case RAW_S_VTABLES:
		return raw_vtable_size(im);
	default:
		return 1;
	}
}

/*
 * Moves *at over the padding behind a section.  Version 1 counts no padding
 * behind its names, which some files do not have.
 */
static enum prof_status
raw_image_skip_padding(const struct raw_image *im, enum raw_section s,
    size_t *at, struct prof_error *err)
{
	const struct raw_section_info *info = &raw_sections[s];
	size_t left = im->file.size - *at;
	uint64_t padding = 0;

	if (info->padding == RAW_PAD8)
		padding = pad8(im->size[s]);
	else if (info->padding != RAW_END)
		padding = im->field[info->padding];
	if (padding > left &&
	    (im->row->values == RAW_VALUES_NONE || im->may_be_cut))
		padding = left;
	if (padding > left && info->padding == RAW_PAD8)
		return err_at(err, PROF_E_TRUNCATED, im->file.size, "%llu "
		    "bytes of padding after %s exceed the %zu left",
		    (unsigned long long)padding, raw_field_names[info->count],
		    left);
	if (padding > left)
		return err_at(err, PROF_E_TRUNCATED, raw_field_at(im,
		    (enum raw_field)info->padding), "%s %llu exceeds the %zu "
		    "bytes left", raw_field_names[info->padding],
		    (unsigned long long)padding, left);
	*at += (size_t)padding;
	return PROF_OK;
}

/* Places one section at *at, and moves *at behind it. */
static enum prof_status
raw_image_place_section(struct raw_image *im, enum raw_section s, size_t *at,
    struct prof_error *err)
{
	enum raw_field count_field = (enum raw_field)raw_sections[s].count;
	uint64_t count = im->field[count_field], unit = raw_unit_size(im, s);
	size_t left = im->file.size - *at;

	im->at[s] = *at;
	/* The part of a cut section that is there; nothing is behind it. */
	if (count > left / unit && im->may_be_cut) {
		if (!mul_u64(count, unit, &im->declared[s]))
			im->declared[s] = UINT64_MAX;
		im->field[count_field] = left / unit;
		im->size[s] = left - left % (size_t)unit;
		im->is_cut = true;
		*at = im->file.size;
		return PROF_OK;
	}
	if (count > left / unit)
		return err_at(err, PROF_E_TRUNCATED,
		    raw_field_at(im, count_field), unit == 1 ?
		    "%s %llu exceeds the %zu bytes left" :
		    "%s %llu exceeds the %zu bytes left, of %llu each",
		    raw_field_names[count_field], ull(count), left, ull(unit));
	im->size[s] = (size_t)(count * unit);
	im->declared[s] = count * unit;
	*at += im->size[s];
	return raw_image_skip_padding(im, s, at, err);
}

/* Value data take the rest of the file, or as much as ValueDataSize says. */
static enum prof_status
raw_image_place_sections(struct raw_image *im, struct prof_error *err)
{
	uint64_t size = im->field[RAW_VALUE_DATA_SIZE];
	size_t at = im->start + raw_header_size(im->row), left;

	for (enum raw_section s = 0; s < RAW_S_VALUES; s++) {
		if (raw_image_place_section(im, s, &at, err) != PROF_OK)
			return PROF_FAIL;
	}
	left = im->file.size - at;
	im->at[RAW_S_VALUES] = at;
	im->size[RAW_S_VALUES] = left;
	if (im->row->values != RAW_VALUES_SIZED)
		return PROF_OK;
	if (im->may_be_cut && size > left) {
		im->is_cut = true;
		return PROF_OK;
	}
	if (size > left)
		return err_at(err, PROF_E_TRUNCATED,
		    raw_field_at(im, RAW_VALUE_DATA_SIZE),
		    "ValueDataSize %llu exceeds the %zu bytes left",
		    (unsigned long long)size, left);
	im->size[RAW_S_VALUES] = (size_t)size;
	return PROF_OK;
}

/*
 * The records that point into their sections, as declared, if pointers are
 * relative or not; of an image that is not cut, those before the first that
 * does not.
 */
static uint64_t
raw_image_fitting(const struct raw_image *im, bool relative)
{
	struct raw_image whole = *im;
	uint64_t fit = 0;

	whole.relative = relative;
	for (int s = 0; s < RAW_S_VALUES; s++)
		whole.size[s] = im->declared[s] > SIZE_MAX ? SIZE_MAX :
		    (size_t)im->declared[s];
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		struct raw_record r;
		struct raw_place place;

		raw_record_get(im, i, &r);
		if (raw_place(&whole, i, &r, &place, NULL) == PROF_OK)
			fit++;
		else if (!im->may_be_cut)
			break;
	}
	return fit;
}

enum prof_status
raw_image_open_as(struct raw_image *im, struct prof_span file, size_t start,
    bool may_be_cut, struct prof_error *err)
{
	uint64_t fit;

	if (raw_image_read_header(im, file, start, err) != PROF_OK)
		return PROF_FAIL;
	im->may_be_cut = may_be_cut;
	if (raw_image_place_sections(im, err) != PROF_OK)
		return PROF_FAIL;
	im->relative = im->row->pointers == RAW_RELATIVE;
	if (im->row->pointers != RAW_ABSOLUTE_OR_RELATIVE)
		return PROF_OK;
	/*
	 * Compilers of version 7 did not agree.  Of a cut image, the meaning
	 * that fits more records is taken.
	 */
	fit = raw_image_fitting(im, false);
	if (may_be_cut)
		im->relative = raw_image_fitting(im, true) > fit;
	else
		im->relative = fit != im->field[RAW_NUM_DATA] &&
		    raw_image_fitting(im, true) == im->field[RAW_NUM_DATA];
	return PROF_OK;
}

enum prof_status
raw_image_open(struct raw_image *im, struct prof_span file, size_t start,
    struct prof_error *err)
{
	return raw_image_open_as(im, file, start, false, err);
}

uint64_t
raw_member_at(const struct raw_image *im, uint64_t i, enum raw_member m)
{
	return im->at[RAW_S_DATA] + i * im->layout.size +
	    im->layout.offset[m];
}

void
raw_record_get(const struct raw_image *im, uint64_t i, struct raw_record *r)
{
	const struct raw_record_layout *l = &im->layout;
	const uint8_t *p = im->file.data + im->at[RAW_S_DATA] +
	    (size_t)i * l->size;

#define U32(m) (l->has[m] ? load_u32(p + l->offset[m], im->big) : 0)
#define U64(m) (l->has[m] ? load_u64(p + l->offset[m], im->big) : 0)
#define PTR(m) (l->has[m] ? raw_load_pointer(im, p + l->offset[m]) : 0)
	r->name_size = U32(RAW_NAME_SIZE);
	r->num_counters = U32(RAW_NUM_COUNTS);
	r->func_hash = U64(RAW_FUNC_HASH);
	r->name_ptr = PTR(RAW_NAME_PTR);
	r->name_ref = U64(RAW_NAME_REF);
	r->counter_ptr = PTR(RAW_COUNTER_PTR);
	r->uniform_ptr = PTR(RAW_UNIFORM_PTR);
	r->bitmap_ptr = PTR(RAW_BITMAP_PTR);
	r->function_ptr = PTR(RAW_FUNCTION_PTR);
	r->num_bitmap_bytes = U32(RAW_NUM_BITMAP);
#undef U32
#undef U64
#undef PTR
	r->wave_size = l->has[RAW_WAVE_SIZE] ?
	    load_u16(p + l->offset[RAW_WAVE_SIZE], im->big) : 0;
	memset(r->sites, 0, sizeof(r->sites));
	r->sites_size = 0;
	p += l->offset[RAW_NUM_VALUE_SITES];
	for (unsigned k = 0; k < im->value_kinds &&
	    l->has[RAW_NUM_VALUE_SITES]; k++) {
		r->sites[k] = load_u16(p + 2 * k, im->big);
		r->sites_size += r->sites[k];
	}
}

unsigned
raw_sites_mismatch(const struct raw_image *im, const uint16_t *counted,
    const struct prof_sites sites[PROF_VALUE_KINDS])
{
	unsigned k;

	for (k = 0; k < im->value_kinds; k++) {
		if (counted[k] != (k < PROF_VALUE_KINDS ? sites[k].size : 0))
			break;
	}
	return k;
}

bool
raw_empty_sites(const uint16_t *counted, struct arena *arena,
    struct prof_sites out[PROF_VALUE_KINDS])
{
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (!value_sites_empty(arena, counted[k], &out[k]))
			return false;
	}
	return true;
}

void
raw_vtable_get(const struct raw_image *im, uint64_t i, struct raw_vtable *v)
{
	const uint8_t *p = im->file.data + im->at[RAW_S_VTABLES] +
	    (size_t)i * raw_vtable_size(im);

	v->name_hash = load_u64(p, im->big);
	v->pointer = raw_load_pointer(im, p + 8);
	v->size = load_u32(p + 8 + im->pointer_bytes, im->big);
}

/* Units of a section that a record points to. */
struct raw_units {
	uint64_t pointer;		/* the record's member */
	uint64_t count;
	unsigned width;			/* bytes of a unit */
	size_t *place;			/* out: offset in the file */
};

/*
 * The offset in its section that a pointer of record i stands for, computed in
 * the width of the program's pointers.
 */
static uint64_t
raw_section_offset(const struct raw_image *im, uint64_t i, uint64_t pointer,
    enum raw_field delta_field, uint64_t section_size)
{
	uint64_t delta = im->field[delta_field];
	uint64_t offset = pointer - delta;

	if (im->relative)
		offset += i * im->layout.size;
	/*
	 * Windows writes pointer and delta as 32-bit differences even in 64-bit
	 * programs, because its object format has no wider ones.
	 */
	if (im->pointer_bytes == 4 ||
	    (offset >= section_size && delta >> 32 == 0))
		offset &= UINT32_MAX;
	return offset;
}

/* Places the units of section s that record i points to. */
static inline enum prof_status
raw_place_units(const struct raw_image *im, uint64_t i, enum raw_section s,
    const struct raw_units *units, struct prof_error *err)
{
	const struct raw_section_info *info = &raw_sections[s];
	size_t size = im->size[s];
	uint64_t offset = raw_section_offset(im, i, units->pointer,
	    (enum raw_field)info->delta, im->declared[s]);

	if (offset >= size)
		return err_at(err, PROF_E_CORRUPT, raw_member_at(im, i,
		    (enum raw_member)info->pointer), "record %llu: %s offset "
		    "%lld is outside the section's %zu bytes",
		    ull(i), info->units, im->pointer_bytes == 4 ?
		    (long long)(int32_t)(uint32_t)offset : (long long)offset,
		    size);
	if (units->count > (size - offset) / units->width)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, (enum raw_member)info->pointer),
		    "record %llu: %llu %s at offset %llu exceed the section's "
		    "%zu bytes", ull(i),
		    (unsigned long long)units->count, info->units,
		    (unsigned long long)offset, size);
	*units->place = im->at[s] + (size_t)offset;
	return PROF_OK;
}

enum prof_status
raw_place(const struct raw_image *im, uint64_t i, const struct raw_record *r,
    struct raw_place *place, struct prof_error *err)
{
	if (r->num_counters == 0)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NUM_COUNTS),
		    "record %llu: NumCounters is 0", ull(i));
	if (raw_place_units(im, i, RAW_S_COUNTERS, &(struct raw_units){
	    r->counter_ptr, r->num_counters, raw_counter_width(im),
	    &place->counters }, err) != PROF_OK)
		return PROF_FAIL;
	place->has_bitmap = r->num_bitmap_bytes != 0;
	if (place->has_bitmap && raw_place_units(im, i, RAW_S_BITMAP,
	    &(struct raw_units){ r->bitmap_ptr, r->num_bitmap_bytes, 1,
	    &place->bitmap }, err) != PROF_OK)
		return PROF_FAIL;
	place->has_uniform = im->size[RAW_S_UNIFORM] != 0;
	if (place->has_uniform && raw_place_units(im, i, RAW_S_UNIFORM,
	    &(struct raw_units){ r->uniform_ptr, r->num_counters, 8,
	    &place->uniform }, err) != PROF_OK)
		return PROF_FAIL;
	return PROF_OK;
}

enum prof_status
raw_addressed_name(const struct raw_image *im, uint64_t i,
    const struct raw_record *r, struct prof_span *name,
    struct prof_error *err)
{
	size_t size = im->size[RAW_S_NAMES];
	uint64_t offset = r->name_ptr - im->field[RAW_NAMES_DELTA];

	if (im->pointer_bytes == 4)
		offset &= UINT32_MAX;
	if (offset > size || r->name_size > size - offset)
		return err_at(err, PROF_E_CORRUPT, raw_member_at(im, i,
		    RAW_NAME_PTR), "record %llu: name of NameSize %u at offset "
		    "%lld is outside NamesSize %zu", ull(i),
		    r->name_size, (long long)offset, size);
	if (r->name_size == 0)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NAME_SIZE),
		    "record %llu: NameSize is 0", ull(i));
	*name = (struct prof_span){ im->file.data + im->at[RAW_S_NAMES] +
	    offset, r->name_size };
	return PROF_OK;
}

enum prof_status
raw_guid(const struct raw_image *im, uint64_t i, const struct raw_record *r,
    uint64_t *guid, struct prof_error *err)
{
	struct prof_span name;

	*guid = r->name_ref;
	if (!im->row->addressed_names)
		return PROF_OK;
	if (raw_addressed_name(im, i, r, &name, err) != PROF_OK)
		return PROF_FAIL;
	*guid = prof_guid(name);
	return PROF_OK;
}
