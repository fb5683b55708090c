/* cmd/bundle/read.h - the manifest of a bundle, and its members one by one */
#ifndef CMD_BUNDLE_READ_H
#define CMD_BUNDLE_READ_H

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "bundle/manifest.h"

struct input;
struct input_member;

struct bundle_member {
	const char *name;		/* NULL: of a plain file */
	uint64_t ordinal;		/* from 1, all members counted */
	uint64_t size;
	struct prof_span image;
	uint8_t sha256[SHA256_SIZE];
	/* Lines of the manifest that name it; none: not a bundle. */
	struct manifest_profile *const *lines;
	size_t lines_size;
};

/* What a bundle says of its members.  All zero: it is none. */
struct bundle_lines {
	bool is_bundle;
	struct manifest manifest;
	struct manifest_profile **lines;	/* sorted by member */
	bool *seen;			/* of lines: the member came */
	size_t missing;			/* where bundle_lines_missing goes on */
};

/* Whether the member can be a manifest. */
bool bundle_is_manifest(const struct input_member *);

/* Reads the text of a manifest; to be freed on failure too. */
enum prof_status bundle_lines_read(struct bundle_lines *,
    struct prof_span text, struct prof_error *);

/*
 * Finds the lines of the member, which comes once, and is what they say, by
 * its name, size and digest.  Anything will do if it is of no bundle.
 */
enum prof_status bundle_lines_match(struct bundle_lines *,
    struct bundle_member *, struct prof_error *);

/*
 * Behind the last: a line whose member did not come, NULL if there are no more.
 */
const struct manifest_profile *bundle_lines_missing(struct bundle_lines *);

void bundle_lines_free(struct bundle_lines *);

/* Says that it is no bundle. */
enum prof_status bundle_err_no_bundle(struct prof_error *);

struct bundle_reader {
	struct cli *cli;
	struct input *in;
	uint64_t ordinal;
	struct bundle_lines lines;
	enum prof_status pending;	/* what came of the first member */
	char *name;			/* of the member at hand */
};

/*
 * Opens the program's file at hand and reads the manifest, if it is a bundle.
 * On failure the program's err is set, here and below.
 */
enum prof_status bundle_reader_open(struct bundle_reader *, struct cli *,
    struct buf *memory);

/* Fails unless it is a bundle. */
enum prof_status bundle_reader_require(struct bundle_reader *);

/*
 * The next member of a bundle; PROF_END behind the last.  After PROF_FAIL the
 * next call goes on, if it was of a member.  The program's member is its name.
 */
enum prof_status bundle_reader_next(struct bundle_reader *,
    struct bundle_member *);

/* Messages may name its last member still. */
void bundle_reader_close(struct bundle_reader *);

#endif
