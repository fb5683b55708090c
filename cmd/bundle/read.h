/* cmd/bundle/read.h - the manifest of a bundle, and its members one by one */
#ifndef CMD_BUNDLE_READ_H
#define CMD_BUNDLE_READ_H

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "bundle/lines.h"

struct input;

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
