/* bundle/lines.h - the lines of a manifest, by the members they describe */
#ifndef BUNDLE_LINES_H
#define BUNDLE_LINES_H

#include "bundle/manifest.h"

struct bundle_member {
	const char *name;		/* NULL: a plain file */
	uint64_t ordinal;		/* from 1, all members counted */
	uint64_t size;
	struct prof_span image;
	uint8_t sha256[SHA256_SIZE];
	/* The manifest's lines of the member; none if there is no manifest. */
	struct manifest_profile *const *lines;
	size_t lines_size;
};

/* All zero: the file is no bundle. */
struct bundle_lines {
	bool is_bundle;
	struct manifest manifest;
	struct manifest_profile **lines;	/* sorted by member */
	bool *seen;			/* as lines: the member was read */
	size_t missing;			/* next line of bundle_lines_missing */
};

/* Whether a member that has the name and begins so can be a manifest. */
bool bundle_is_manifest(const char *name, struct prof_span start);

/* Reads the text of a manifest; to be freed on failure too. */
enum prof_status bundle_lines_read(struct bundle_lines *,
    struct prof_span text, struct prof_error *);

/*
 * The lines of a member, which follow one another: *count of them, with the
 * same size, digest and run.
 */
struct manifest_profile *const *bundle_lines_of(const struct bundle_lines *,
    const char *name, size_t *count);

/*
 * Finds the lines of a member by its name, and fails with PROF_E_CORRUPT if
 * there are none, the member came before, or size or digest differ.  PROF_OK if
 * the file is no bundle.
 */
enum prof_status bundle_lines_match(struct bundle_lines *,
    struct bundle_member *, struct prof_error *);

/* After the last member: the next line whose member is missing, or NULL. */
const struct manifest_profile *bundle_lines_missing(struct bundle_lines *);

void bundle_lines_free(struct bundle_lines *);

#endif
