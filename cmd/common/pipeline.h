/*
 * cmd/common/pipeline.h - inputs that are read by several threads at once
 *
 * As cli_read, but each thread takes the next input, or the next member of an
 * archive, and reads, decompresses, checks and decodes it, while the others do
 * so with theirs.  Only who does not mind in which order records come can use
 * it.  Messages, the report and the failure are those of one thread.
 */
#ifndef CMD_COMMON_PIPELINE_H
#define CMD_COMMON_PIPELINE_H

#include "cmd/common/source.h"

/* What becomes of a member. */
enum cli_action {
	CLI_READ_MEMBER,			/* it is read */
	CLI_SKIP_MEMBER,			/* there is nothing to say of it */
	CLI_REPORT_MEMBER,			/* there is, but nothing to read */
	CLI_SKIP_FILE			/* as well, and nothing of the rest */
};

/*
 * Asked in the order of inputs, by one thread at a time, whether there was a
 * member, a failure or (PROF_END) an archive's last member: the item has the
 * status, and err.  It may change both, and what it sets item->given to is in
 * the turn then.
 */
typedef enum cli_action cli_classify(void *arg, struct cli *, struct cli_item *,
    const struct input_member *, uint64_t ordinal);

/* The whole, or what is pulled. */
struct cli_bytes {
	struct prof_span image;
	prof_pull *pull;		/* or NULL */
	/* Whether all before it have ended; false too if the run stops. */
	bool (*may_commit)(void *arg, bool wait);
	void *arg;			/* of both */
	const void *note;		/* to the turn */
};

/* The worker is what start made; each is used by one thread. */
struct cli_pipeline {
	void *arg;
	/* The view is the worker's own struct cli.  NULL if out of memory. */
	void *(*start)(void *arg, struct cli *view);
	void (*stop)(void *worker);

	/*
	 * NULL: the inputs of the program are read.  Else what is read next,
	 * or PROF_END: asked by one thread at a time.  The cli then names it,
	 * and the item has the image, or an input at it.
	 */
	enum prof_status (*next)(void *arg, struct cli *, struct cli_item *,
	    struct buf *memory);
	/* Whether an image is what was expected; may be NULL. */
	enum prof_status (*verify)(const struct commit_entry *, struct prof_span,
	    struct prof_error *);

	/* Of programs that take records in any order. */
	enum prof_status (*begin)(void *worker, uint64_t number,
	    struct prof_error *);
	cli_record *add;
	/* In the order of inputs, under --keep-going: as merge_worker_admit. */
	cli_check *check;
	void (*idle)(void *worker);	/* before it waits for bytes */
	void (*end)(void *worker);	/* the input ended, or failed */
	uint64_t (*refused)(void *arg, struct prof_error *why);
	/* An input is bad and left out; may be NULL. */
	void (*left_out)(void *arg, const struct commit_entry *);

	/*
	 * Of programs that find out something of each member.  All is taken, if
	 * there is no look.  What take returns is the turn's result, and with
	 * what it was given, and err, goes to commit in the order of inputs;
	 * that is also called for what was not read.  The cli there is the one
	 * that speaks: its names and err are those of the input, and it has the
	 * damage.  PROF_FAIL ends the run.  drop frees both, unless NULL.
	 */
	cli_classify *classify;
	bool streams;			/* streams; else it gets images only */
	bool ordered;			/* take is called in that of inputs */
	void *(*process)(void *worker, const struct cli_bytes *,
	    struct prof_error *);
	enum prof_status (*commit)(void *arg, struct cli *,
	    struct commit_entry *);
	void (*drop)(struct commit_entry *);
};

/*
 * Reads with c->jobs threads.  PROF_FAIL and c->err as cli_read; but whether
 * too many were bad is left to programs that take members.
 */
enum prof_status cli_pipeline_run(struct cli *, const struct cli_pipeline *);

#endif
