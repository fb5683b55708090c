/* cmd/cat/list.h - the lines of profraw-cat --list */
#ifndef CMD_CAT_LIST_H
#define CMD_CAT_LIST_H

#include "cmd/cat/members.h"

/* A file, a member of an archive, or something found in one. */
struct cat_entry {
	uint64_t offset, length;
	const char *coding;		/* hex or base64, else NULL */
};

/*
 * Reads all of the reader, which may be NULL if it could not be opened for the
 * reason in the program's err, and puts a line.  What is bad is said in the
 * line; PROF_FAIL is about the output.
 */
enum prof_status cat_list(struct cat *, const struct cat_entry *,
    struct prof_span image, struct prof_reader *);

#endif
