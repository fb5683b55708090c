/*
 * cmd/common/source.h - the first step of a pipeline: items for workers
 *
 * Files are opened here, and read by the worker that takes the item.  The
 * member of an archive is decompressed by its worker before the source goes on
 * to the next one: one thread decompresses while others decode and add.
 */
#ifndef CMD_COMMON_SOURCE_H
#define CMD_COMMON_SOURCE_H

#include <pthread.h>

#include "cmd/common/commit_queue.h"

struct cli_source {
	pthread_mutex_t lock;
	struct cli *cli;		/* whose inputs are walked */
	struct commit_queue *queue;
	const struct cli_pipeline *pipeline;
	const struct cli_input *input;	/* being read, or NULL */
	struct input *archive;		/* with more members, or NULL */
	uint64_t ordinal;		/* of the last member, from 1 */
	bool ended;
};

void cli_source_begin(struct cli_source *, struct cli *, struct commit_queue *,
    const struct cli_pipeline *);

/*
 * The next item, whose image may be in the memory; false after the last.  Each
 * item is to be released.
 */
bool cli_source_next(struct cli_source *, struct cli_item *,
    struct buf *memory);
void cli_source_release(struct cli_source *, struct cli_item *);
void cli_source_finish(struct cli_source *);

#endif
