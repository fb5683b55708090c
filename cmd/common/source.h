/* cmd/common/source.h - where threads take their inputs from */
#ifndef CMD_COMMON_SOURCE_H
#define CMD_COMMON_SOURCE_H

#include <pthread.h>

#include "cmd/common/cli.h"
#include "cmd/common/commit_queue.h"

struct buf;

/*
 * Files are opened here and read by who takes them.  Of an archive, who takes a
 * member decompresses it before others can go on to the next, so that one
 * thread decompresses while others decode and add.
 */
struct cli_source {
	pthread_mutex_t lock;
	struct cli *cli;		/* goes through the inputs */
	struct commit_queue *turns;
	const struct cli_pipeline *work;
	struct input *archive;		/* whose next member is next, or NULL */
	uint64_t ordinal;		/* of the member at hand, from 1 */
	bool passed;			/* members of this file */
	bool ended;
};

/* What a thread has taken. */
struct cli_item {
	struct commit_entry *turn;
	enum prof_status status;	/* PROF_FAIL: there is only this */
	struct prof_error err;
	bool fatal;			/* it is not about one input */
	bool nothing;			/* an archive ended, or news */
	void *note;			/* to the turn, by who looked at it */
	struct input *in;		/* to be read, or NULL */
	bool owned;			/* it is nobody else's */
	bool holds;			/* no other can take anything */
	bool stream;			/* it can be pulled */
	bool has_image;
	bool expected;			/* it was looked at */
	struct prof_span image;		/* in the memory that was given */
	void *held;			/* or here: freed with the item */
};

void cli_source_begin(struct cli_source *, struct cli *, struct commit_queue *,
    const struct cli_pipeline *);

/* False behind the last.  Each item is to be released. */
bool cli_source_next(struct cli_source *, struct cli_item *,
    struct buf *memory);
void cli_source_release(struct cli_source *, struct cli_item *);
void cli_source_finish(struct cli_source *);

#endif
