/* cmd/check/bundle.h - comparison of a bundle's members with its manifest */
#ifndef CMD_CHECK_BUNDLE_H
#define CMD_CHECK_BUNDLE_H

#include "base/intern.h"
#include "bundle/manifest.h"

/* All zero: not a bundle. */
struct check_bundle {
	bool is_bundle;
	struct manifest manifest;
	struct intern names;		/* of members */
	const struct manifest_profile **lines;	/* first line of each name */
	bool *seen;			/* as lines: the member was read */
	size_t next;			/* name for check_bundle_missing */
};

/* Reads the text of the manifest. */
enum prof_status check_bundle_begin(struct check_bundle *,
    struct prof_span text, struct prof_error *);

/* Fails if a bundle's member is not in the manifest or its digest differs. */
enum prof_status check_bundle_member(struct check_bundle *, const char *name,
    const uint8_t sha256[SHA256_SIZE], struct prof_error *);

/* After the last member: the name of the next missing one, or NULL. */
const char *check_bundle_missing(struct check_bundle *);

void check_bundle_end(struct check_bundle *);

#endif
