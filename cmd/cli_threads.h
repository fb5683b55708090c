/*
 * cli_threads.h - inputs that are read by several threads at once
 *
 * As cli_read, but each thread takes the next input, or the next member of an
 * archive, and reads, decompresses, checks and decodes it, while the others do
 * so with theirs.  Only who does not mind in which order records come can use
 * it.  Messages, the report and the failure are those of one thread.
 */
#ifndef CMD_CLI_THREADS_H
#define CMD_CLI_THREADS_H

#include "cli.h"

/* The worker is what start made; each is used by one thread. */
struct cli_work {
	void *arg;
	/* The view is the worker's own struct cli.  NULL if out of memory. */
	void *(*start)(void *arg, struct cli *view);
	enum prof_status (*begin)(void *worker, uint64_t number,
	    struct prof_error *);
	cli_record *add;
	/* In the order of inputs, under --keep-going: as merge_feed_claim. */
	cli_check *claim;
	void (*rest)(void *worker);	/* before it waits for bytes */
	void (*end)(void *worker);	/* the input ended, or failed */
	void (*stop)(void *worker);
	uint64_t (*refused)(void *arg, struct prof_error *why);
};

/* Takes the argument of --jobs. */
void cli_set_jobs(struct cli *, const char *);

/*
 * Reads with c->jobs threads.  PROF_FAIL and c->err as cli_read; *abandoned
 * then says that threads still wait for bytes and use what work gave them:
 * nothing of it may be freed, and the process has to end.
 */
enum prof_status cli_read_threads(struct cli *, const struct cli_work *,
    bool *abandoned);

#endif
