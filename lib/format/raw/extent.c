/*
 * Where raw images end: the value data of most versions have no size but that
 * of their blocks, one for each record that counts value sites.
 */
#include "base/arena.h"
#include "base/error.h"
#include "format/codec.h"
#include "format/raw/image.h"
#include "model/value_data.h"

static size_t
skip_zeros(struct prof_span file, size_t at)
{
	while (at < file.size && file.data[at] == 0)
		at++;
	return at;
}

bool
raw_has_values(const struct raw_image *im, size_t at)
{
	struct raw_image next;

	at = skip_zeros(im->file, at);
	return im->row->values != RAW_VALUES_NONE && at < im->file.size &&
	    !raw_magic((struct prof_span){ im->file.data + at,
	    im->file.size - at }, &next);
}

static bool
has_sites(const struct raw_image *im, uint64_t i)
{
	struct raw_record r;

	raw_record_get(im, i, &r);
	for (unsigned k = 0; k < im->value_kinds; k++) {
		if (raw_value_sites(im, &r, k) != 0)
			return true;
	}
	return false;
}

bool
raw_counts_sites(const struct raw_image *im)
{
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		if (has_sites(im, i))
			return true;
	}
	return false;
}

/* Where there is not even a first block, there are no value data. */
enum prof_status
raw_extent(const struct raw_image *im, size_t *end, struct prof_error *err)
{
	struct cursor c = { .data = im->file.data, .big = im->big,
	    .pos = im->at[RAW_S_VALUES],
	    .size = im->at[RAW_S_VALUES] + im->size[RAW_S_VALUES] };
	struct prof_sites sites[PROF_VALUE_KINDS];
	enum prof_status status = PROF_OK;
	struct arena arena = { 0 };

	*end = im->row->values == RAW_VALUES_SIZED ? c.size : c.pos;
	if (im->row->values != RAW_VALUES_BLOCKS ||
	    !raw_has_values(im, c.pos))
		return PROF_OK;
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA] && status == PROF_OK;
	    i++) {
		if (!has_sites(im, i))
			continue;
		arena_reset(&arena);
		status = values_read(&c, &arena, NULL, sites, err);
		if (status == PROF_OK)
			*end = c.pos;
	}
	arena_free(&arena);
	return *end == im->at[RAW_S_VALUES] ? PROF_OK : status;
}

/* What was looked at of a block that failed. */
static uint64_t
failed_block(const struct raw_image *im, size_t at)
{
	size_t left = im->file.size - at;
	uint32_t total = left < 4 ? 0 : load_u32(im->file.data + at, im->big);

	return total <= left ? total : 0;
}

/* Images of one file have one byte order and word size. */
size_t
raw_length(struct prof_span bytes, uint64_t *looked)
{
	struct raw_image im, first = { 0 };
	size_t length = 0, at = 0, end;
	enum prof_status status;

	do {
		if (raw_image_open(&im, bytes, at, NULL) != PROF_OK)
			break;
		if (at == 0)
			first = im;
		if (im.magic != first.magic || im.big != first.big)
			break;
		*looked += im.at[RAW_S_VALUES] - at;
		status = raw_extent(&im, &end, NULL);
		*looked += end - im.at[RAW_S_VALUES] + failed_block(&im, end);
		if (status != PROF_OK)
			break;
		length = end;
		at = skip_zeros(bytes, end);
		*looked += at - end;
	} while (bytes.size - at >= 16 && (!im.row->aligned || at % 8 == 0));
	return length;
}
