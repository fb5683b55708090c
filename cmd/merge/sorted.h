/* cmd/merge/sorted.h - a merge of files of LPRF 2 into one */
#ifndef CMD_MERGE_SORTED_H
#define CMD_MERGE_SORTED_H

#include "cmd/merge/run.h"
#include "cmd/merge/spill.h"

/*
 * Merges all inputs into the output, which is open, if these and the options
 * permit to do so block by block (merge/sorted/sorted.h).  PROF_END if not:
 * then nothing has been read or written.
 */
enum prof_status cli_merge_sorted(struct cli *,
    const struct cli_merge_options *, struct cli_spill *);

#endif
