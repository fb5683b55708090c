#include "format/raw/extent.h"

#include "base/arena.h"
#include "base/error.h"
#include "format/codec.h"
#include "format/raw/record.h"
#include "model/value_data.h"

bool
raw_has_values(const struct raw_image *im, size_t at)
{
	struct raw_image next;

	at = raw_skip_zeros(im->file, at);
	return im->row->values != RAW_VALUES_NONE && at < im->file.size &&
	    !raw_magic((struct prof_span){ im->file.data + at,
	    im->file.size - at }, &next);
}

bool
raw_counts_sites(const struct raw_image *im)
{
	struct raw_record r;

	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		raw_record_sites(im, i, &r);
		if (raw_has_sites(im, &r))
			return true;
	}
	return false;
}

enum prof_status
raw_extent(const struct raw_image *im, size_t *end, struct prof_error *err)
{
	struct cursor c = { .data = im->file.data, .big = im->big,
	    .pos = im->at[RAW_S_VALUES],
	    .size = im->at[RAW_S_VALUES] + im->size[RAW_S_VALUES] };
	struct prof_sites sites[PROF_VALUE_KINDS];
	enum prof_status status = PROF_OK;
	struct arena arena = { 0 };
	struct raw_record r;

	*end = im->row->values == RAW_VALUES_SIZED ? c.size : c.pos;
	if (im->row->values != RAW_VALUES_BLOCKS ||
	    !raw_has_values(im, c.pos))
		return PROF_OK;
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA] && status == PROF_OK;
	    i++) {
		raw_record_sites(im, i, &r);
		if (!raw_has_sites(im, &r))
			continue;
		arena_reset(&arena);
		status = values_read(&c, &arena, NULL, sites, err);
		if (status == PROF_OK)
			*end = c.pos;
	}
	arena_free(&arena);
	if (status != PROF_OK && err != NULL && err->code == PROF_E_MEMORY)
		return PROF_FAIL;
	/* Without an intact first block, the image has no value data. */
	return *end == im->at[RAW_S_VALUES] ? PROF_OK : status;
}

/* Bytes that were read of the block at which raw_extent failed. */
static uint64_t
raw_failed_block_size(const struct raw_image *im, size_t at)
{
	size_t left = im->file.size - at;
	uint32_t total = left < 4 ? 0 : load_u32(im->file.data + at, im->big);

	return total <= left ? total : 0;
}

/* Images of one file have one byte order and word size. */
size_t
raw_length(struct prof_span bytes, uint64_t *looked, struct prof_error *err)
{
	struct raw_image im, first = { 0 };
	size_t length = 0, at = 0, end;
	enum prof_status status;

	do {
		if (raw_image_open(&im, bytes, at, err) != PROF_OK)
			break;
		if (at == 0)
			first = im;
		if (im.magic != first.magic || im.big != first.big)
			break;
		*looked += im.at[RAW_S_VALUES] - at;
		status = raw_extent(&im, &end, err);
		*looked += end - im.at[RAW_S_VALUES]
		    + raw_failed_block_size(&im, end);
		if (status != PROF_OK)
			break;
		length = end;
		at = raw_skip_zeros(bytes, end);
		*looked += at - end;
	} while (bytes.size - at >= 16 && (!im.row->aligned || at % 8 == 0));
	return length;
}
