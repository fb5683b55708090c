/*
 * cmd/merge/group.h - --group-by binary-id: a sum for each set of binaries
 *
 * Profiles go together if they name the same build ids, in any order; those
 * that name none are a group too.
 */
#ifndef CMD_MERGE_GROUP_H
#define CMD_MERGE_GROUP_H

#include "cmd/common/cli.h"

struct groups;

/* Exits if the options do not name a folder to write to. */
struct groups *groups_new(struct cli *,
    const struct merge_trace_limits *);

/* As merge_add, to the sum of the profile's group. */
enum prof_status groups_add(struct groups *, const struct prof_record *,
    const struct merge_factor *, struct prof_error *);

/*
 * Writes a file for each group into the folder, each whole or not at all: the
 * ids, joined with "+", and a suffix for the format are its name.  New files go
 * again if the program fails.
 */
enum prof_status groups_write(struct groups *, const struct merge_output *);

void groups_free(struct groups *);	/* NULL is fine */

#endif
