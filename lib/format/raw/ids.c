#include "format/raw/ids.h"

#include "base/error.h"

enum prof_status
raw_ids_next(const struct raw_image *im, bool padded, size_t *at,
    struct prof_span *id, struct prof_error *err)
{
	struct cursor c = { .data = im->file.data, .pos = *at,
	    .size = im->at[RAW_S_IDS] + im->size[RAW_S_IDS],
	    .big = im->big };
	uint64_t length;
	const uint8_t *bytes;

	if (cur_left(&c) == 0)
		return PROF_END;
	length = cur_u64(&c);
	if (c.failed)
		return err_at(err, PROF_E_CORRUPT, *at, "binary id: 8 bytes "
		    "of a length exceed the %zu left of BinaryIdsSize",
		    c.size - *at);
	if (length == 0)
		return err_at(err, PROF_E_CORRUPT, *at,
		    "binary id: length is 0");
	bytes = cur_bytes(&c, length);
	if (padded)
		cur_bytes(&c, pad8(length));
	if (c.failed)
		return err_at(err, PROF_E_CORRUPT, *at, "binary id: length "
		    "%llu exceeds the %zu bytes left of BinaryIdsSize",
		    (unsigned long long)length, c.size - *at - 8);
	*at = c.pos;
	*id = (struct prof_span){ bytes, (size_t)length };
	return PROF_OK;
}

static size_t
raw_ids_intact(const struct raw_image *im, bool padded)
{
	size_t at = im->at[RAW_S_IDS];
	struct prof_span id;

	while (raw_ids_next(im, padded, &at, &id, NULL) == PROF_OK)
		;
	return at - im->at[RAW_S_IDS];
}

bool
raw_ids_padded(const struct raw_image *im)
{
	return im->row->ids != RAW_IDS_MAYBE_PADDED ||
	    raw_ids_intact(im, false) != im->size[RAW_S_IDS];
}

size_t
raw_ids_intact_size(const struct raw_image *im)
{
	return raw_ids_intact(im, raw_ids_padded(im));
}
