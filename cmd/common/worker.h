/* cmd/common/worker.h - what a thread does with an item (cmd/common/pipeline.h) */
#ifndef CMD_COMMON_WORKER_H
#define CMD_COMMON_WORKER_H

#include "base/bytes.h"
#include "cmd/common/pipeline.h"

struct cli_head;			/* of a profile that was checked */

struct cli_run {
	const struct cli_pipeline *work;
	struct commit_queue turns;
	struct cli_source source;
	unsigned running;		/* threads, under the lock of turns */
	struct cli *cli;
};

struct cli_worker {
	struct cli_run *run;
	struct cli view;
	struct cli_progress progress;	/* nobody sees it */
	void *state;			/* of the program */
	struct cli_item item;		/* at hand */
	struct buf memory;		/* of its image */
	struct cli_head *heads;
	size_t heads_size, heads_room;
	FILE *messages;
	char *text;
	size_t text_size;
	pthread_t thread;
};

/* A cli_check of the view: what it is told is asked in the item's turn. */
cli_check cli_worker_head;

/* Does all with the item at hand, and ends its turn. */
void cli_worker_do(struct cli_worker *);

#endif
