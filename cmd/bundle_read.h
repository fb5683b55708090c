/*
 * bundle_read.h - the members of an input: of a bundle, with its manifest, of
 * another archive, or the one that a plain file is
 */
#ifndef CMD_BUNDLE_READ_H
#define CMD_BUNDLE_READ_H

#include "base/bytes.h"
#include "cli.h"
#include "format/manifest.h"

struct input;

struct bundle_member {
	const char *name;		/* NULL: of a plain file */
	uint64_t ordinal;		/* from 1, all members counted */
	struct prof_span image;
	uint8_t sha256[SHA256_SIZE];
	/* Lines of the manifest that name it; none: not a bundle. */
	struct manifest_profile *const *lines;
	size_t lines_size;
};

struct bundle_reader {
	struct cli *cli;
	struct input *in;
	uint64_t ordinal;
	bool is_bundle;
	struct manifest manifest;
	struct manifest_profile **lines;	/* sorted by member */
	bool *met;			/* of lines: the member came */
	size_t missing;			/* where bundle_missing goes on */
	bool has_pending;		/* the first member is to be given */
	enum prof_status pending;	/* what there is to say of it */
	struct prof_span start;
	char *name;			/* of the member at hand */
};

/*
 * Opens the program's file at hand and reads the manifest, if it is a bundle.
 * On failure the program's err is set, here and below.
 */
enum prof_status bundle_open(struct bundle_reader *, struct cli *,
    struct buf *memory);

/* Fails unless it is a bundle. */
enum prof_status bundle_only(struct bundle_reader *);

/*
 * The next member that is a profile, or is said to be one; PROF_END behind the
 * last.  After PROF_FAIL the next call goes on, if it was of a member.  The
 * program's member is its name.
 */
enum prof_status bundle_next(struct bundle_reader *, struct bundle_member *);

/*
 * Behind the last: a line of the manifest whose member did not come, NULL if
 * there are no more.
 */
const struct manifest_profile *bundle_missing(struct bundle_reader *);

/* Messages may name its last member still. */
void bundle_close(struct bundle_reader *);

#endif
