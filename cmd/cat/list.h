/* cmd/cat/list.h - the lines of profraw-cat --list */
#ifndef CMD_CAT_LIST_H
#define CMD_CAT_LIST_H

#include "cmd/cat/members.h"

/* A file, a member of an archive, or something found in one. */
struct cat_entry {
	uint64_t offset, length;
};

/*
 * Reads all records and writes a line.  A NULL reader stands for an input that
 * could not be opened, for the reason in the cli's err.  The line tells of bad
 * inputs; PROF_FAIL means that the output failed.
 */
enum prof_status cat_list(struct cat *, const struct cat_entry *,
    struct prof_span image, struct prof_reader *);

#endif
