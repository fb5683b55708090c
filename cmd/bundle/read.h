/* cmd/bundle/read.h - the manifest of a bundle, and its members one by one */
#ifndef CMD_BUNDLE_READ_H
#define CMD_BUNDLE_READ_H

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "bundle/manifest.h"

struct input;
struct input_member;

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

/* The lines of a manifest by member.  All zero: the file is no bundle. */
struct bundle_lines {
	bool is_bundle;
	struct manifest manifest;
	struct manifest_profile **lines;	/* sorted by member */
	bool *seen;			/* as lines: the member was read */
	size_t missing;			/* next line of bundle_lines_missing */
};

/* Whether the member can be a manifest. */
bool bundle_is_manifest(const struct input_member *);

/* Reads the text of a manifest; to be freed on failure too. */
enum prof_status bundle_lines_read(struct bundle_lines *,
    struct prof_span text, struct prof_error *);

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

/* Sets the error of a file that is no bundle. */
enum prof_status bundle_err_no_bundle(struct prof_error *);

struct bundle_reader {
	struct cli *cli;
	struct input *in;
	uint64_t ordinal;
	struct bundle_lines lines;
	enum prof_status pending;	/* of reading the first member */
	char *name;			/* of the current member */
};

/*
 * Opens the program's current file and reads the manifest, if it has one.
 * These functions set the program's err on failure.
 */
enum prof_status bundle_reader_open(struct bundle_reader *, struct cli *,
    struct buf *memory);

/* Fails unless the file is a bundle. */
enum prof_status bundle_reader_require(struct bundle_reader *);

/*
 * The next member of a bundle, or PROF_END.  After PROF_FAIL for a member the
 * next call continues behind it.  Messages of the program name the member.
 */
enum prof_status bundle_reader_next(struct bundle_reader *,
    struct bundle_member *);

/* Closes the file; messages may still name its last member. */
void bundle_reader_close(struct bundle_reader *);

#endif
