/*
 * Damaged raw files: images that are whole are taken as they are, of the others
 * what format/raw/salvage.c makes of them; behind damage the next image is looked for.
 */
#include "base/error.h"
#include "format/raw/image.h"
#include "format/raw/salvage.h"

/* So often is it looked for: files of many magics shall not take long. */
enum { SEARCHES = 16 };

/* Whether what stands in the place of value data is none. */
static bool
lacks_values(const struct raw_image *im, size_t end)
{
	return im->row->values == RAW_VALUES_BLOCKS &&
	    end == im->at[RAW_S_VALUES] && raw_has_values(im, end) &&
	    raw_counts_sites(im);
}

/* An image that is whole; PROF_END if it is not. */
static enum prof_status
copy_image(struct prof_span file, size_t at, struct repaired *m, size_t *end,
    struct prof_error *err)
{
	struct raw_image im;

	if (raw_image_open(&im, file, at, NULL) != PROF_OK ||
	    raw_extent(&im, end, NULL) != PROF_OK ||
	    lacks_values(&im, *end) || !codec_decodes(raw_open,
	    (struct prof_span){ file.data + at, *end - at }))
		return PROF_END;
	if (!repaired_begin(m, at, false))
		return err_memory(err);
	buf_put(&m->image, file.data + at, *end - at);
	return PROF_OK;
}

static bool
is_like_first(struct prof_span file, size_t at)
{
	return file.size - at >= 16 &&
	    memcmp(file.data + at, file.data, 8) == 0;
}

/* The next image, or the end of the file; *lost if there is more than zeros. */
static size_t
next_image(struct prof_span file, size_t at, bool *lost)
{
	while (at < file.size && file.data[at] == 0)
		at++;
	*lost = at < file.size && !is_like_first(file, at);
	while (at < file.size && !is_like_first(file, at))
		at++;
	return at;
}

/* The profile before an image that cannot be salvaged is marked. */
static enum prof_status
give_up(struct prof_context *context, size_t at, struct repaired *m,
    const struct prof_error *err)
{
	if (m->count == 0 || err->code == PROF_E_MEMORY)
		return PROF_FAIL;
	warn_lost_at(context, at, "a profile behind others is lost: %s",
	    err->reason);
	m->parts[m->count - 1].damaged = true;
	return PROF_OK;
}

enum prof_status
raw_repair(struct prof_context *context, struct prof_span file,
    struct repaired *m, struct prof_error *err)
{
	unsigned searches = 0;
	size_t at = 0, end = 0;
	bool lost, ends;

	while (at < file.size && searches < SEARCHES) {
		struct prof_error e = { 0 };
		enum prof_status status;

		ends = true;
		status = copy_image(file, at, m, &end, &e);
		if (status == PROF_END)
			status = raw_salvage_image(context, file, at, m,
			    &end, &ends, &e);
		if (status != PROF_OK && give_up(context, at, m, &e)
		    != PROF_OK) {
			*err = e;
			return PROF_FAIL;
		}
		if (status != PROF_OK || end < at + 16) {
			end = at + 8;
			ends = false;
		}
		at = next_image(file, end, &lost);
		if (lost && ends) {
			warn_lost_at(context, end, "%zu bytes behind a profile "
			    "are lost", at - end);
			m->parts[m->count - 1].damaged = true;
		}
		searches += lost || !ends;
	}
	return PROF_OK;
}
