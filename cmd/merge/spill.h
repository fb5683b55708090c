/* cmd/merge/spill.h - temporary files of merges that exceed their memory */
#ifndef CMD_MERGE_SPILL_H
#define CMD_MERGE_SPILL_H

#include "cmd/common/cli.h"
#include "io/scratch.h"
#include "merge/merge.h"

/* All zero except while a merge and the writer of its output use it. */
struct cli_spill {
	struct merge_files files;
	struct prof_scratch scratch;	/* for the writer, or unused */
	struct scratch_files scratch_files;	/* of both */
};

/* To be called before any thread is started that calls cli_map_tables. */
void cli_map_tables_begin(void);

/* From now on, tables that are freed leave no gaps in the heap. */
void cli_map_tables(void);

/* Prepares the files, for those who need them without a limit of memory. */
void cli_spill_files(struct cli_spill *);

/* Functions and traces beyond `bytes` of memory go to temporary files. */
void cli_spill_begin(struct cli *, struct cli_spill *, struct merge *,
    uint64_t bytes);

/* After a failure: if a temporary file is the reason, the message says so. */
void cli_spill_blame(struct cli *, const struct cli_spill *);

/* Closes the files, after the merge was written or freed. */
void cli_spill_end(struct cli_spill *);

#endif
