/*
 * rewrite.h - a file that is read, and replaced by what it is turned into
 *
 * At any time there is the old file or the new one under its name, whole.  It
 * is replaced only if it still is the one that was read.
 */
#ifndef IO_REWRITE_H
#define IO_REWRITE_H

#include <sys/stat.h>

#include "base/bytes.h"
#include "io/output.h"

struct rewrite_options {
	bool times;		/* the new file has those of the old one */
	/* The old file stays, under its name and this; NULL: it does not. */
	const char *backup;
};

struct rewrite {
	const char *path;	/* of the caller */
	int fd;
	struct stat st;		/* as it was opened */
	struct prof_span image;
};

/* Opens a regular file, and looks at its first 8 bytes, or fewer. */
enum prof_status rewrite_open(struct rewrite *, const char *path,
    struct prof_error *);
enum prof_status rewrite_start(const struct rewrite *, uint8_t bytes[8],
    size_t *size, struct prof_error *);

/* Reads it to image, into memory that the next file may use again. */
enum prof_status rewrite_read(struct rewrite *, struct buf *memory,
    struct prof_error *);

/* Where the new file goes, for output_write. */
struct output *rewrite_output(const struct rewrite *, struct prof_error *);

/*
 * Puts it in the place of the old one.  A backup that is there already is fine
 * if it is the same file or has the same bytes, else PROF_E_UNSUPPORTED.  The
 * output is freed either way; after a failure the old file is as it was, and
 * there is no new backup.
 */
enum prof_status rewrite_commit(const struct rewrite *, struct output *,
    const struct rewrite_options *, struct prof_error *);

void rewrite_close(struct rewrite *);

#endif
