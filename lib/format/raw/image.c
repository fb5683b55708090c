#include "format/raw/image.h"

#include "base/error.h"
#include "model/variants.h"


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
field_at(const struct raw_image *im, enum raw_field field)
{
	size_t i = 0;

	while (im->row->header[i] != field && im->row->header[i] != RAW_END)
		i++;
	return im->start + 16 + 8 * i;
}

static enum prof_status
read_version(struct raw_image *im, struct prof_error *err)
{
	uint64_t version;

	if (im->file.size - im->start < 16)
		return err_at(err, PROF_E_TRUNCATED, im->start + 8,
		    "header: Version is cut off, %zu bytes left",
		    im->file.size - im->start - 8);
	im->version_word =
	    load_u64(im->file.data + im->start + 8, im->big);
	version = im->version_word & UINT32_MAX;
	im->row = raw_row(version);
	if (im->row == NULL)
		return err_at(err, PROF_E_VERSION, im->start + 8,
		    "Version %llu is not known: raw versions %u to %u are",
		    (unsigned long long)version, raw_oldest, raw_newest);
	if (im->version_word & VARIANT_MEMPROF)
		return err_at(err, PROF_E_CORRUPT, im->start + 8,
		    "Version has the MemProf bit, which no raw "
		    "instrumentation profile has");
	return PROF_OK;
}

static enum prof_status
read_fields(struct raw_image *im, struct prof_error *err)
{
	size_t size = raw_header_size(im->row);
	struct cursor c = { .data = im->file.data, .size = im->file.size,
	    .pos = im->start + 16, .big = im->big };

	if (im->file.size - im->start < size)
		return err_at(err, PROF_E_TRUNCATED, im->file.size,
		    "header of version %u takes %zu bytes, %zu are there",
		    im->row->version, size, im->file.size - im->start);
	for (const uint8_t *f = im->row->header; *f != RAW_END; f++)
		im->field[*f] = cur_u64(&c);
	if (im->row->ids == RAW_IDS_PADDED &&
	    im->field[RAW_BINARY_IDS_SIZE] % 8 != 0)
		return err_at(err, PROF_E_CORRUPT,
		    field_at(im, RAW_BINARY_IDS_SIZE),
		    "BinaryIdsSize %llu is not a multiple of 8",
		    (unsigned long long)im->field[RAW_BINARY_IDS_SIZE]);
	if (im->field[RAW_VALUE_KIND_LAST] > RAW_VALUE_KINDS_MAX - 1)
		return err_at(err, PROF_E_CORRUPT,
		    field_at(im, RAW_VALUE_KIND_LAST),
		    "ValueKindLast %llu exceeds %d",
		    (unsigned long long)im->field[RAW_VALUE_KIND_LAST],
		    RAW_VALUE_KINDS_MAX - 1);
	return PROF_OK;
}

/*
 * The sections in the order of the file, each with the header fields that size
 * it and the padding behind it (raw_field, or PAD8).
 */
enum { NO_PADDING = RAW_END, PAD8 = RAW_FIELDS };

static const struct section {
	enum raw_section section;
	uint8_t count;			/* raw_field */
	uint8_t padding;		/* raw_field, NO_PADDING or PAD8 */
} sections[] = {
	{ RAW_S_IDS, RAW_BINARY_IDS_SIZE, NO_PADDING },
	{ RAW_S_DATA, RAW_NUM_DATA, RAW_PADDING_BEFORE_COUNTERS },
	{ RAW_S_COUNTERS, RAW_NUM_COUNTERS, RAW_PADDING_AFTER_COUNTERS },
	{ RAW_S_BITMAP, RAW_NUM_BITMAP_BYTES, RAW_PADDING_AFTER_BITMAP },
	{ RAW_S_UNIFORM, RAW_NUM_UNIFORM, RAW_PADDING_AFTER_UNIFORM },
	{ RAW_S_NAMES, RAW_NAMES_SIZE, PAD8 },
	{ RAW_S_VTABLES, RAW_NUM_VTABLES, PAD8 },
	{ RAW_S_VNAMES, RAW_VNAMES_SIZE, PAD8 },
};

static uint64_t
unit_size(const struct raw_image *im, enum raw_section section)
{
	switch (section) {
	case RAW_S_DATA:
		return im->layout.size;
	case RAW_S_COUNTERS:
		return raw_counter_width(im);
	case RAW_S_UNIFORM:
		return 8;
	case RAW_S_VTABLES:
		return im->vtable_size;
	default:
		return 1;
	}
}

/*
 * Moves *at over the padding behind a section.  v1 counts no padding behind its
 * names: there it may be missing.
 */
static enum prof_status
skip_padding(const struct raw_image *im, const struct section *s, size_t *at,
    struct prof_error *err)
{
	size_t left = im->file.size - *at;
	uint64_t padding = 0;

	if (s->padding == PAD8)
		padding = pad8(im->size[s->section]);
	else if (s->padding != NO_PADDING)
		padding = im->field[s->padding];
	if (padding > left &&
	    (im->row->values == RAW_VALUES_NONE || im->may_be_cut))
		padding = left;
	if (padding > left && s->padding == PAD8)
		return err_at(err, PROF_E_TRUNCATED, im->file.size,
		    "%llu bytes of padding behind %s exceed the %zu left",
		    (unsigned long long)padding, raw_field_names[s->count],
		    left);
	if (padding > left)
		return err_at(err, PROF_E_TRUNCATED, field_at(im,
		    (enum raw_field)s->padding), "%s %llu exceeds the %zu "
		    "bytes left", raw_field_names[s->padding],
		    (unsigned long long)padding, left);
	*at += (size_t)padding;
	return PROF_OK;
}

/* What is there of a section that is cut, and nothing behind it. */
static void
cut_section(struct raw_image *im, const struct section *s, size_t *at)
{
	uint64_t unit = unit_size(im, s->section);
	size_t left = im->file.size - *at;

	if (!mul_u64(im->field[s->count], unit, &im->claimed[s->section]))
		im->claimed[s->section] = UINT64_MAX;
	im->field[s->count] = left / unit;
	im->at[s->section] = *at;
	im->size[s->section] = left - left % (size_t)unit;
	im->is_cut = true;
	*at = im->file.size;
}

static enum prof_status
place_sections(struct raw_image *im, struct prof_error *err)
{
	size_t at = im->start + raw_header_size(im->row);

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct section *s = &sections[i];
		uint64_t count = im->field[s->count];
		uint64_t unit = unit_size(im, s->section);
		size_t left = im->file.size - at;

		if (count > left / unit && im->may_be_cut) {
			cut_section(im, s, &at);
			continue;
		}
		if (count > left / unit)
			return err_at(err, PROF_E_TRUNCATED, field_at(im,
			    (enum raw_field)s->count), "%s %llu exceeds the "
			    "%zu bytes left, of %llu each",
			    raw_field_names[s->count],
			    (unsigned long long)count, left,
			    (unsigned long long)unit);
		im->at[s->section] = at;
		im->size[s->section] = (size_t)(count * unit);
		im->claimed[s->section] = count * unit;
		at += im->size[s->section];
		if (skip_padding(im, s, &at, err) != PROF_OK)
			return PROF_FAIL;
	}
	im->at[RAW_S_VALUES] = at;
	im->size[RAW_S_VALUES] = im->file.size - at;
	if (im->row->values != RAW_VALUES_SIZED)
		return PROF_OK;
	if (im->may_be_cut && im->field[RAW_VALUE_DATA_SIZE] >
	    im->file.size - at) {
		im->is_cut = true;
		return PROF_OK;
	}
	if (im->field[RAW_VALUE_DATA_SIZE] > im->file.size - at)
		return err_at(err, PROF_E_TRUNCATED,
		    field_at(im, RAW_VALUE_DATA_SIZE),
		    "ValueDataSize %llu exceeds the %zu bytes left",
		    (unsigned long long)im->field[RAW_VALUE_DATA_SIZE],
		    im->file.size - at);
	im->size[RAW_S_VALUES] = (size_t)im->field[RAW_VALUE_DATA_SIZE];
	return PROF_OK;
}

static bool
all_in_range(const struct raw_image *im)
{
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		struct raw_record r;
		struct raw_place place;

		raw_record_get(im, i, &r);
		if (raw_place(im, i, &r, &place, NULL) != PROF_OK)
			return false;
	}
	return true;
}

/* Compilers of v7 did not agree: what fits more records is meant. */
static bool
part_is_relative(const struct raw_image *im)
{
	struct raw_image whole = *im;
	uint64_t fit[2] = { 0, 0 };

	for (int s = 0; s < RAW_S_VALUES; s++)
		whole.size[s] = im->claimed[s] > SIZE_MAX ? SIZE_MAX :
		    (size_t)im->claimed[s];
	for (int relative = 0; relative < 2; relative++) {
		whole.relative = relative == 1;
		for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
			struct raw_record r;
			struct raw_place place;

			raw_record_get(im, i, &r);
			fit[relative] += raw_place(&whole, i, &r, &place,
			    NULL) == PROF_OK;
		}
	}
	return fit[1] > fit[0];
}

static enum prof_status
image_open(struct raw_image *im, struct prof_span file, size_t start,
    bool may_be_cut, struct prof_error *err)
{
	*im = (struct raw_image){ .file = file, .start = start,
	    .may_be_cut = may_be_cut };
	if (!raw_magic((struct prof_span){ file.data + start,
	    file.size - start }, im))
		return err_at(err, PROF_E_CORRUPT, start,
		    "no magic of a raw profile");
	if (read_version(im, err) != PROF_OK ||
	    read_fields(im, err) != PROF_OK)
		return PROF_FAIL;
	im->value_kinds = (unsigned)im->field[RAW_VALUE_KIND_LAST] + 1;
	if (im->value_kinds < im->row->value_kinds)
		im->value_kinds = im->row->value_kinds;
	im->vtable_size = im->pointer_bytes == 8 ? 24 : 16;
	raw_record_layout(im->row, im->pointer_bytes, im->value_kinds,
	    &im->layout);
	if (place_sections(im, err) != PROF_OK)
		return PROF_FAIL;
	im->relative = im->row->pointers == RAW_RELATIVE;
	if (im->row->pointers != RAW_ABSOLUTE_OR_RELATIVE)
		return PROF_OK;
	if (may_be_cut) {
		im->relative = part_is_relative(im);
	} else if (!all_in_range(im)) {
		im->relative = true;
		im->relative = all_in_range(im);
	}
	return PROF_OK;
}

enum prof_status
raw_image_open(struct raw_image *im, struct prof_span file, size_t start,
    struct prof_error *err)
{
	return image_open(im, file, start, false, err);
}

enum prof_status
raw_image_open_part(struct raw_image *im, struct prof_span file, size_t start,
    struct prof_error *err)
{
	return image_open(im, file, start, true, err);
}

uint64_t
raw_member_at(const struct raw_image *im, uint64_t i, enum raw_member m)
{
	return im->at[RAW_S_DATA] + i * im->layout.size +
	    im->layout.offset[m];
}

static uint64_t
load_pointer(const struct raw_image *im, const uint8_t *p)
{
	return im->pointer_bytes == 8 ? load_u64(p, im->big) :
	    load_u32(p, im->big);
}

void
raw_record_get(const struct raw_image *im, uint64_t i, struct raw_record *r)
{
	const struct raw_record_layout *l = &im->layout;
	const uint8_t *p = im->file.data + im->at[RAW_S_DATA] +
	    (size_t)i * l->size;

#define U32(m) (l->has[m] ? load_u32(p + l->offset[m], im->big) : 0)
#define U64(m) (l->has[m] ? load_u64(p + l->offset[m], im->big) : 0)
#define PTR(m) (l->has[m] ? load_pointer(im, p + l->offset[m]) : 0)
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
	raw_record_sites(im, i, r);
}

uint64_t
raw_record_function(const struct raw_image *im, uint64_t i)
{
	const struct raw_record_layout *l = &im->layout;

	return !l->has[RAW_FUNCTION_PTR] ? 0 : load_pointer(im,
	    im->file.data + im->at[RAW_S_DATA] + (size_t)i * l->size +
	    l->offset[RAW_FUNCTION_PTR]);
}

void
raw_record_sites(const struct raw_image *im, uint64_t i, struct raw_record *r)
{
	const struct raw_record_layout *l = &im->layout;

	r->num_value_sites = l->has[RAW_NUM_VALUE_SITES] ?
	    im->file.data + im->at[RAW_S_DATA] + (size_t)i * l->size +
	    l->offset[RAW_NUM_VALUE_SITES] : NULL;
}

uint16_t
raw_value_sites(const struct raw_image *im, const struct raw_record *r,
    unsigned kind)
{
	if (r->num_value_sites == NULL || kind >= im->value_kinds)
		return 0;
	return load_u16(r->num_value_sites + (size_t)2 * kind, im->big);
}

void
raw_vtable_get(const struct raw_image *im, uint64_t i, struct raw_vtable *v)
{
	const uint8_t *p = im->file.data + im->at[RAW_S_VTABLES] +
	    (size_t)i * im->vtable_size;

	v->name_hash = load_u64(p, im->big);
	v->pointer = load_pointer(im, p + 8);
	v->size = load_u32(p + 8 + im->pointer_bytes, im->big);
}

unsigned
raw_counter_width(const struct raw_image *im)
{
	return im->version_word & VARIANT_BYTE_COVERAGE ? 1 : 8;
}

/*
 * Where a pointer of record i leads, from the start of its section; the sum is
 * made in the width of the program's pointers.
 */
static uint64_t
section_offset(const struct raw_image *im, uint64_t i, uint64_t pointer,
    enum raw_field delta_field, uint64_t section_size)
{
	uint64_t delta = im->field[delta_field];
	uint64_t offset = pointer - delta;

	if (im->relative)
		offset += i * im->layout.size;
	/*
	 * Windows writes both as 32-bit differences even in 64-bit programs,
	 * because its object format has no wider ones.
	 */
	if (im->pointer_bytes == 4 ||
	    (offset >= section_size && delta >> 32 == 0))
		offset &= UINT32_MAX;
	return offset;
}

static enum prof_status
place_one(const struct raw_image *im, uint64_t i, enum raw_member pointer_m,
    uint64_t pointer, enum raw_field delta, enum raw_section section,
    uint64_t count, unsigned width, const char *what, size_t *place,
    struct prof_error *err)
{
	size_t size = im->size[section];
	uint64_t offset = section_offset(im, i, pointer, delta,
	    im->claimed[section]);

	if (offset >= size)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, pointer_m), "record %llu: %s offset "
		    "%lld is outside of the section's %zu bytes",
		    (unsigned long long)i, what, im->pointer_bytes == 4 ?
		    (long long)(int32_t)(uint32_t)offset : (long long)offset,
		    size);
	if (count > (size - offset) / width)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, pointer_m), "record %llu: %llu %s at "
		    "offset %llu exceed the section's %zu bytes",
		    (unsigned long long)i, (unsigned long long)count, what,
		    (unsigned long long)offset, size);
	*place = im->at[section] + (size_t)offset;
	return PROF_OK;
}

enum prof_status
raw_place(const struct raw_image *im, uint64_t i, const struct raw_record *r,
    struct raw_place *place, struct prof_error *err)
{
	if (r->num_counters == 0)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NUM_COUNTS),
		    "record %llu: NumCounters is 0", (unsigned long long)i);
	if (place_one(im, i, RAW_COUNTER_PTR, r->counter_ptr,
	    RAW_COUNTERS_DELTA, RAW_S_COUNTERS, r->num_counters,
	    raw_counter_width(im), "counters", &place->counters, err)
	    != PROF_OK)
		return PROF_FAIL;
	place->has_bitmap = r->num_bitmap_bytes != 0;
	if (place->has_bitmap && place_one(im, i, RAW_BITMAP_PTR,
	    r->bitmap_ptr, RAW_BITMAP_DELTA, RAW_S_BITMAP,
	    r->num_bitmap_bytes, 1, "bitmap bytes", &place->bitmap, err)
	    != PROF_OK)
		return PROF_FAIL;
	place->has_uniform = im->size[RAW_S_UNIFORM] != 0;
	if (place->has_uniform && place_one(im, i, RAW_UNIFORM_PTR,
	    r->uniform_ptr, RAW_UNIFORM_DELTA, RAW_S_UNIFORM,
	    r->num_counters, 8, "uniform counters", &place->uniform, err)
	    != PROF_OK)
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
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NAME_PTR), "record %llu: name of "
		    "NameSize %u at offset %lld is outside of NamesSize %zu",
		    (unsigned long long)i, r->name_size, (long long)offset,
		    size);
	if (r->name_size == 0)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NAME_SIZE),
		    "record %llu: NameSize is 0", (unsigned long long)i);
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
