/* cmd/check/bundle.h - whether a bundle holds what its manifest says */
#ifndef CMD_CHECK_BUNDLE_H
#define CMD_CHECK_BUNDLE_H

#include "base/intern.h"
#include "bundle/manifest.h"

/* All zero: not a bundle. */
struct check_bundle {
	bool is_bundle;
	struct manifest manifest;
	struct intern names;		/* of members */
	const struct manifest_profile **lines;	/* the first of a member */
	bool *seen;			/* by number of the name, as lines */
	size_t next;			/* that may be missing */
};

/* Takes the text of a manifest. */
enum prof_status check_bundle_begin(struct check_bundle *,
    struct prof_span text, struct prof_error *);

/* Whether that member is what its lines say, if there are any. */
enum prof_status check_bundle_member(struct check_bundle *, const char *name,
    const uint8_t sha256[SHA256_SIZE], struct prof_error *);

/* Behind the last: the name of one that did not come, once each, or NULL. */
const char *check_bundle_missing(struct check_bundle *);

void check_bundle_end(struct check_bundle *);

#endif
