/* cmd/compare/joined.h - two indexed files compared without a table */
#ifndef CMD_COMPARE_JOINED_H
#define CMD_COMPARE_JOINED_H

#include "cmd/common/cli.h"
#include "cmd/compare/compare.h"

/*
 * Compares the functions of the two files of a diff, and sets the overlaps and,
 * not sorted yet, the changes.  False, and nothing has changed, unless both are
 * sound indexed files in which names can be looked up (prof/lookup.h), or if an
 * option needs their records: then they are to be read as any others.
 */
bool diff_join_files(struct cli *, struct diff *);

#endif
