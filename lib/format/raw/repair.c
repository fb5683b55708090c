/*
 * Damaged raw files: intact images are copied, the others are repaired by
 * format/raw/salvage.c.  Behind damage, the next image is searched for.
 */
#include "base/error.h"
#include "format/raw/extent.h"
#include "format/raw/salvage.h"

/*
 * Images of one file that may be given up.  The sections of such an image may
 * reach to the end of the file, and the search goes on at its header: the bytes
 * behind are read once more for each of them.
 */
enum { GIVEN_UP_MAX = 16 };

/* Whether records count sites, but the bytes behind are no value data. */
static bool
raw_repair_lacks_values(const struct raw_image *im, size_t end)
{
	return im->row->values == RAW_VALUES_BLOCKS &&
	    end == im->at[RAW_S_VALUES] && raw_has_values(im, end) &&
	    raw_counts_sites(im);
}

/* Copies an intact image; PROF_END if it is not intact. */
static enum prof_status
raw_repair_copy_image(struct prof_span file, struct raw_damaged *found,
    struct repaired *m, struct prof_error *err)
{
	size_t at = found->at, *end = &found->end;
	struct prof_error why = { 0 };
	enum prof_status status;
	struct raw_image im;

	if (raw_image_open(&im, file, at, &why) != PROF_OK ||
	    raw_extent(&im, end, &why) != PROF_OK ||
	    raw_repair_lacks_values(&im, *end))
		return why.code == PROF_E_MEMORY ? err_memory(err) : PROF_END;
	status = codec_decodes(raw_open, NULL,
	    (struct prof_span){ file.data + at, *end - at }, err);
	if (status != PROF_OK)
		return status;
	if (!repaired_begin(m, at, false))
		return err_memory(err);
	buf_put(&m->image, file.data + at, *end - at);
	found->end_known = true;
	return PROF_OK;
}

static bool
raw_repair_is_image(struct prof_span file, size_t at)
{
	return file.size - at >= 16 &&
	    memcmp(file.data + at, file.data, 8) == 0;
}

/*
 * The next offset with the magic of the file's first image, or the end of the
 * file.  *lost: there are other bytes than zeros before it.
 */
static size_t
raw_repair_next_image(struct prof_span file, size_t at, bool *lost)
{
	at = raw_skip_zeros(file, at);
	*lost = at < file.size && !raw_repair_is_image(file, at);
	while (at < file.size && !raw_repair_is_image(file, at))
		at++;
	return at;
}

/* Marks the profile before an image of which nothing is intact. */
static enum prof_status
raw_repair_give_up(struct prof_context *context, size_t at,
    struct repaired *m, const struct prof_error *err)
{
	if (m->count == 0 || err->code == PROF_E_MEMORY)
		return PROF_FAIL;
	warn_lost_at(context, at, "a profile after others is lost: %s",
	    err->reason);
	m->parts[m->count - 1].damaged = true;
	return PROF_OK;
}

/* Copies or repairs an image; *found is set, also if the image is given up. */
static enum prof_status
raw_repair_image(struct prof_context *context, struct prof_span file,
    struct raw_damaged *found, struct repaired *m, struct prof_error *err)
{
	struct prof_error e = { 0 };
	enum prof_status status = raw_repair_copy_image(file, found, m, &e);

	if (status == PROF_END)
		status = raw_salvage_image(context, file, found, m, &e);
	if (status != PROF_OK &&
	    raw_repair_give_up(context, found->at, m, &e) != PROF_OK) {
		*err = e;
		return PROF_FAIL;
	}
	if (status != PROF_OK || found->end < found->at + 16) {
		found->end = found->at + 8;
		found->end_known = false;
		found->given_up = true;
	}
	return PROF_OK;
}

enum prof_status
raw_repair(struct prof_context *context, struct prof_span file,
    struct repaired *m, struct prof_error *err)
{
	struct names_limit limit = codec_names_limit(context, file.size);
	unsigned given_up = 0;
	size_t at = 0;
	bool lost;

	while (at < file.size && given_up < GIVEN_UP_MAX) {
		struct raw_damaged found = { .at = at, .limit = &limit };

		if (raw_repair_image(context, file, &found, m, err) != PROF_OK)
			return PROF_FAIL;
		at = raw_repair_next_image(file, found.end, &lost);
		if (lost && found.end_known) {
			warn_lost_at(context, found.end, "%zu bytes after a "
			    "profile are lost", at - found.end);
			m->parts[m->count - 1].damaged = true;
		}
		given_up += found.given_up;
	}
	if (at < file.size) {
		warn_lost_at(context, at, "the rest, %zu bytes, is not "
		    "searched: %u profiles are lost already", file.size - at,
		    given_up);
		m->parts[m->count - 1].damaged = true;
	}
	return PROF_OK;
}
