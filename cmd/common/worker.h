/* cmd/common/worker.h - the middle step of a pipeline: an item is processed */
#ifndef CMD_COMMON_WORKER_H
#define CMD_COMMON_WORKER_H

#include "base/bytes.h"
#include "cmd/common/source.h"

/* What the workers of a run share. */
struct cli_run {
	const struct cli_pipeline *pipeline;
	struct commit_queue queue;
	struct cli_source source;
	unsigned running;		/* threads; under the queue's lock */
	struct cli *cli;
};

/* The header of a profile that was checked. */
struct cli_head {
	struct prof_header header;
	bool functions;			/* the profile has some */
};

/* Used by one thread at a time. */
struct cli_worker {
	struct cli_run *run;
	struct cli *view;		/* its own, or that of the caller */
	struct cli own;
	struct cli_progress progress;	/* counts, which are never printed */
	void *state;			/* of the program */
	struct cli_item item;		/* at hand */
	struct buf memory;		/* of its image */
	struct cli_head *heads;		/* to be checked in input order */
	size_t heads_size, heads_room;
	FILE *messages;			/* about the item; NULL: printed */
	char *text;
	size_t text_size;
	pthread_t thread;
};

/* False if out of memory; then cli_worker_free all the same. */
bool cli_worker_init(struct cli_worker *, struct cli_run *);
void cli_worker_free(struct cli_worker *);

/* Processes items until there are no more, or the run stops. */
void cli_worker_run(struct cli_worker *);

#endif
