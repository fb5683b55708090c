/*
 * cmd/common/commit_queue.h - inputs that threads take, and their ends in order
 *
 * Threads take inputs one after the other and end them in any order.  What is
 * said of an input, and whether it ends the run, is settled in the order of the
 * inputs: to the user it is as if there were one thread.
 */
#ifndef CMD_COMMON_COMMIT_QUEUE_H
#define CMD_COMMON_COMMIT_QUEUE_H

#include <pthread.h>
#include <sys/stat.h>

#include "cmd/common/cli.h"

/* So many may be taken and not ended in order. */
enum { COMMIT_QUEUE_SIZE = 256 };

/* An input: a file, or a member of an archive. */
struct commit_entry {
	uint64_t number;		/* from 1, in their order */
	char *file, *member;		/* member may be NULL */
	struct cli_input input;		/* the path is the file */
	bool end_only;			/* the end of an archive, no member */
	bool used;			/* it was read to its end */
	bool bad;			/* it was left out */
	bool failed;			/* it ends the run, for this reason: */
	bool nameless;			/* which is not about the file, */
	bool fatal;			/* nor about any input */
	struct prof_error err;
	bool last;			/* of its file, */
	struct stat stat;		/* which is this */
	uint64_t bytes;			/* that were read of it */
	uint64_t functions;
	uint64_t skipped;		/* members before it */
	struct cli_tally kept, lost;
	char *text;			/* of messages, or NULL */
	size_t text_size;
	/* For programs that take members: see cmd/common/pipeline.h. */
	uint64_t ordinal;		/* of its file's members, from 1 */
	bool partial;			/* members of the file were skipped */
	void *note, *result;
	bool done;
};

struct cli_pipeline;

struct commit_queue {
	pthread_mutex_t lock;
	pthread_cond_t moved;		/* any of these changed */
	struct cli cli;			/* that speaks; its damage is theirs */
	struct commit_entry turns[COMMIT_QUEUE_SIZE];
	uint64_t next;			/* to be taken */
	uint64_t settled;		/* of those before it, all are good */
	uint64_t ended;			/* or bad, or have ended */
	bool stopping;			/* no more is taken */
	bool over;			/* no more is settled */
	bool failed;			/* cli has the reason */
	uint64_t good;			/* settled as such */
	bool file_bad;			/* a member of the file was left out */
	const struct cli_pipeline *work;
};

void commit_queue_begin(struct commit_queue *, const struct cli *,
    const struct cli_pipeline *);

/* The next turn, once there is room; NULL if the run stops. */
struct commit_entry *commit_queue_next(struct commit_queue *);

/*
 * Waits until all inputs before it are settled; false if the run stops.  Then
 * commit_queue_settle, with a failure: the reason in turn->err.
 */
bool commit_queue_wait(struct commit_queue *, const struct commit_entry *);
void commit_queue_settle(struct commit_queue *, struct commit_entry *, bool good,
    FILE *messages);

/* Whether all inputs before it have ended, in the end; not if the run stops. */
bool commit_queue_reach(struct commit_queue *, const struct commit_entry *, bool wait);

/* The thread is done with it. */
void commit_queue_end(struct commit_queue *, struct commit_entry *);

/* The damage, and what failed, go to the cli. */
void commit_queue_finish(struct commit_queue *, struct cli *);
void commit_queue_free(struct commit_queue *);

#endif
