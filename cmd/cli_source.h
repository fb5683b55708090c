/* cli_source.h - where threads take their inputs from */
#ifndef CMD_CLI_SOURCE_H
#define CMD_CLI_SOURCE_H

#include <pthread.h>

#include "cli.h"
#include "cli_turns.h"

struct buf;
struct input;

/*
 * Files are opened here and read by who takes them.  Of an archive, who takes a
 * member decompresses it before others can go on to the next, so that one
 * thread decompresses while others decode and add.
 */
struct cli_source {
	pthread_mutex_t lock;
	struct cli *cli;		/* goes through the inputs */
	struct cli_turns *turns;
	struct input *archive;		/* whose next member is next, or NULL */
	bool ended;
};

/* What a thread has taken. */
struct cli_item {
	struct cli_turn *turn;
	enum prof_status status;	/* PROF_FAIL: there is only this */
	struct prof_error err;
	bool fatal;			/* it is not about one input */
	bool nothing;			/* only the end of an archive */
	struct input *in;		/* to be read, or NULL */
	bool owned;			/* it is nobody else's */
	bool holds;			/* no other can take anything */
	bool stream;			/* it can be pulled */
	bool has_image;
	struct prof_span image;		/* in the memory that was given */
};

/* Called before and after what may take long. */
struct cli_wait {
	void (*begins)(void *arg);
	void (*ends)(void *arg);
	void *arg;
};

void cli_source_begin(struct cli_source *, struct cli *, struct cli_turns *);

/* False behind the last.  Each item is to be released. */
bool cli_source_next(struct cli_source *, struct cli_item *, struct buf *memory,
    const struct cli_wait *);
void cli_source_release(struct cli_source *, struct cli_item *);
void cli_source_finish(struct cli_source *);

#endif
