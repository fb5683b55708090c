/*
 * cmd/common/commit_queue.h - the last step of a pipeline: commit in order
 *
 * Workers take items one after the other and end them in any order.  What is
 * printed about an item, and whether it ends the run, is decided in input
 * order: to the user it is as if there were one worker.
 *
 * Under --keep-going an item is also settled, before its records are used: as
 * good, or as bad and left out.  That happens in input order too.
 */
#ifndef CMD_COMMON_COMMIT_QUEUE_H
#define CMD_COMMON_COMMIT_QUEUE_H

#include <pthread.h>

#include "cmd/common/pipeline.h"

/* So many items may be taken and not committed; then the source waits. */
enum { COMMIT_QUEUE_SIZE = 256 };

struct commit_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* any of the members below */
	/* Has the names and err of the entry at hand, and the damage. */
	struct cli *cli;
	struct cli own;			/* that cli, unless it is serial */
	struct commit_entry entries[COMMIT_QUEUE_SIZE];
	/* Numbers of entries: all before it are taken, settled, committed. */
	uint64_t next, settled, committed;
	bool stopping;			/* nothing more is taken */
	bool failed;			/* the cli has the reason */
	const struct cli_pipeline *pipeline;
};

void commit_queue_begin(struct commit_queue *, struct cli *,
    const struct cli_pipeline *);

/* A new entry, once there is room; NULL if the run stops. */
struct commit_entry *commit_queue_next(struct commit_queue *);

/* Whether nothing more is to be taken. */
bool commit_queue_stopping(struct commit_queue *);

/*
 * Waits until all entries before it are settled; false if the run stops.  Then
 * commit_queue_settle; if the item is bad, the entry's err says why.
 */
bool commit_queue_wait_settled(struct commit_queue *,
    const struct commit_entry *);
void commit_queue_settle(struct commit_queue *, struct commit_entry *,
    bool good);

/*
 * Whether all entries before it are committed; waits for that if asked to, but
 * not if the run stops.
 */
bool commit_queue_is_first(struct commit_queue *, const struct commit_entry *,
    bool wait);

/* The worker is done with it: commits all that is done and in order. */
void commit_queue_end(struct commit_queue *, struct commit_entry *);

/* Hands the damage, and the failure if there is one, to the cli. */
void commit_queue_finish(struct commit_queue *, struct cli *);
void commit_queue_free(struct commit_queue *);

#endif
