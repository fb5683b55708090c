/*
 * format/raw/salvage.h - repairs one damaged image of a raw file
 *
 * The image is written anew from the records whose counters, bitmap and
 * uniform counters are all there, in their order.  A file that was cut has lost
 * its end: value data first, then names (functions without a name have only
 * their guid), then counters.
 */
#ifndef FORMAT_RAW_SALVAGE_H
#define FORMAT_RAW_SALVAGE_H

#include "format/salvage.h"
#include "model/name_section.h"

/* A damaged image of a file. */
struct raw_damaged {
	size_t at;			/* where it begins */
	struct names_limit *limit;	/* of all images of the file */
	size_t end;			/* out: the end of what could be read */
	bool end_known;			/* out: false if it may go on behind */
	bool given_up;			/* out: no record is intact */
};

/*
 * Adds a part with the intact records of an image, and warns of the others.
 * PROF_FAIL if there is none; end is not set then.
 */
enum prof_status raw_salvage_image(struct prof_context *,
    struct prof_span file, struct raw_damaged *, struct repaired *,
    struct prof_error *);

#endif
