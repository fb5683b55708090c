#include "format/raw/image.h"

#include "base/error.h"
#include "format/raw/record.h"

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

static enum prof_status
raw_image_read_version(struct raw_image *im, struct prof_error *err)
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
		return err_at(err, PROF_E_VERSION, im->start + 8, "Version "
		    "%llu is unknown: raw versions %u to %u are known",
		    (unsigned long long)version, raw_rows[0].version,
		    raw_rows[raw_row_count - 1].version);
	if (im->version_word & VARIANT_MEMPROF)
		return err_at(err, PROF_E_CORRUPT, im->start + 8,
		    "Version has the MemProf bit, which no raw "
		    "instrumentation profile has");
	return PROF_OK;
}

static enum prof_status
raw_image_read_fields(struct raw_image *im, struct prof_error *err)
{
	size_t size = raw_header_size(im->row);
	struct cursor c = { .data = im->file.data, .size = im->file.size,
	    .pos = im->start + 16, .big = im->big };

	if (im->file.size - im->start < size)
		return err_at(err, PROF_E_TRUNCATED, im->file.size, "header of "
		    "version %u needs %zu bytes, but has %zu", im->row->version,
		    size, im->file.size - im->start);
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

/* Places the part of a cut section that is there; nothing is behind it. */
static void
raw_image_cut_section(struct raw_image *im, enum raw_section s, size_t *at)
{
	uint64_t unit = raw_unit_size(im, s);
	size_t left = im->file.size - *at;
	uint64_t *count = &im->field[raw_sections[s].count];

	if (!mul_u64(*count, unit, &im->declared[s]))
		im->declared[s] = UINT64_MAX;
	*count = left / unit;
	im->at[s] = *at;
	im->size[s] = left - left % (size_t)unit;
	im->is_cut = true;
	*at = im->file.size;
}

/* Places one section at *at, and moves *at behind it. */
static enum prof_status
raw_image_place_section(struct raw_image *im, enum raw_section s, size_t *at,
    struct prof_error *err)
{
	enum raw_field count_field = (enum raw_field)raw_sections[s].count;
	uint64_t count = im->field[count_field], unit = raw_unit_size(im, s);
	size_t left = im->file.size - *at;

	if (count > left / unit && im->may_be_cut) {
		raw_image_cut_section(im, s, at);
		return PROF_OK;
	}
	if (count > left / unit)
		return err_at(err, PROF_E_TRUNCATED,
		    raw_field_at(im, count_field), "%s %llu exceeds the %zu "
		    "bytes left, of %llu each", raw_field_names[count_field],
		    (unsigned long long)count, left, (unsigned long long)unit);
	im->at[s] = *at;
	im->size[s] = (size_t)(count * unit);
	im->declared[s] = count * unit;
	*at += im->size[s];
	return raw_image_skip_padding(im, s, at, err);
}

/* Value data take the rest of the file, or as much as ValueDataSize says. */
static enum prof_status
raw_image_place_values(struct raw_image *im, size_t at, struct prof_error *err)
{
	uint64_t size = im->field[RAW_VALUE_DATA_SIZE];
	size_t left = im->file.size - at;

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

static enum prof_status
raw_image_place_sections(struct raw_image *im, struct prof_error *err)
{
	size_t at = im->start + raw_header_size(im->row);

	for (const uint8_t *s = im->row->sections;
	    *s != RAW_S_END && *s != RAW_S_VALUES; s++) {
		if (raw_image_place_section(im, (enum raw_section)*s, &at, err)
		    != PROF_OK)
			return PROF_FAIL;
	}
	return raw_image_place_values(im, at, err);
}

/* Whether all records point into their sections. */
static bool
raw_image_fits(const struct raw_image *im)
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

/*
 * Compilers of version 7 did not agree whether pointers are relative.  Of a cut
 * image, the meaning that fits more records is taken.
 */
static bool
raw_image_part_is_relative(const struct raw_image *im)
{
	struct raw_image whole = *im;
	uint64_t fit[2] = { 0, 0 };

	for (int s = RAW_S_IDS; s < RAW_S_VALUES; s++)
		whole.size[s] = im->declared[s] > SIZE_MAX ? SIZE_MAX :
		    (size_t)im->declared[s];
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
raw_image_read_header(struct raw_image *im, struct prof_span file,
    size_t start, struct prof_error *err)
{
	*im = (struct raw_image){ .file = file, .start = start };
	if (start == file.size || !raw_magic((struct prof_span){
	    file.data + start, file.size - start }, im))
		return err_at(err, PROF_E_CORRUPT, start, "not the magic of a "
		    "raw profile");
	if (raw_image_read_version(im, err) != PROF_OK ||
	    raw_image_read_fields(im, err) != PROF_OK)
		return PROF_FAIL;
	im->value_kinds = (unsigned)im->field[RAW_VALUE_KIND_LAST] + 1;
	if (im->value_kinds < im->row->value_kinds_min)
		im->value_kinds = im->row->value_kinds_min;
	raw_record_layout(im->row, im->pointer_bytes, im->value_kinds,
	    &im->layout);
	return PROF_OK;
}

uint64_t
raw_image_declared(struct prof_span file, size_t start)
{
	struct raw_image im;
	uint64_t total, bytes;

	if (raw_image_read_header(&im, file, start, NULL) != PROF_OK)
		return 0;
	total = raw_header_size(im.row);
	for (const uint8_t *s = im.row->sections; *s != RAW_S_END; s++) {
		if (!mul_u64(im.field[raw_sections[*s].count],
		    raw_unit_size(&im, (enum raw_section)*s), &bytes) ||
		    total > UINT64_MAX - bytes)
			return UINT64_MAX;
		total += bytes;
	}
	return total;
}

static enum prof_status
raw_image_open_as(struct raw_image *im, struct prof_span file, size_t start,
    bool may_be_cut, struct prof_error *err)
{
	if (raw_image_read_header(im, file, start, err) != PROF_OK)
		return PROF_FAIL;
	im->may_be_cut = may_be_cut;
	if (raw_image_place_sections(im, err) != PROF_OK)
		return PROF_FAIL;
	im->relative = im->row->pointers == RAW_RELATIVE;
	if (im->row->pointers != RAW_ABSOLUTE_OR_RELATIVE)
		return PROF_OK;
	if (may_be_cut) {
		im->relative = raw_image_part_is_relative(im);
	} else if (!raw_image_fits(im)) {
		im->relative = true;
		im->relative = raw_image_fits(im);
	}
	return PROF_OK;
}

enum prof_status
raw_image_open(struct raw_image *im, struct prof_span file, size_t start,
    struct prof_error *err)
{
	return raw_image_open_as(im, file, start, false, err);
}

enum prof_status
raw_image_open_part(struct raw_image *im, struct prof_span file, size_t start,
    struct prof_error *err)
{
	return raw_image_open_as(im, file, start, true, err);
}

