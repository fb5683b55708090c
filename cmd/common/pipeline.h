/*
 * cmd/common/pipeline.h - from inputs to records, by one thread or by several
 *
 * One driver for all programs.  Its parts:
 *
 *	source (source.h)	opens inputs one after the other and yields
 *				items: a file, or a member of an archive
 *	worker (worker.h)	reads, decompresses, checks and decodes an item
 *	queue (commit_queue.h)	commits what workers did, in input order
 *
 * Each of --jobs workers takes the next item while the others are busy with
 * theirs.  Messages, the report and the failure are those of one worker: they
 * appear in the order of inputs, whichever item was done first.  One worker is
 * the serial case of the same driver: it runs in the caller's thread.
 */
#ifndef CMD_COMMON_PIPELINE_H
#define CMD_COMMON_PIPELINE_H

#include "cmd/common/cli.h"

struct buf;
struct input;
struct input_member;

/*
 * Called with each record.  PROF_END leaves out the rest of the profile file,
 * PROF_FAIL ends the run.
 */
typedef enum prof_status cli_record(void *arg, const struct prof_record *,
    struct prof_error *);

/*
 * Whether a profile with such a header, with functions or without, goes with
 * the profiles before it.
 */
typedef enum prof_status cli_check(void *arg, const struct prof_header *,
    bool functions, struct prof_error *);

/* What an item of the source is, for the worker that has taken it. */
struct cli_item {
	struct commit_entry *entry;	/* its place in the queue */
	enum prof_status status;	/* PROF_FAIL: only err is valid */
	struct prof_error err;
	bool fatal;			/* err is not about one input */
	bool no_member;			/* end of an archive, or only a note */
	void *note;			/* by classify or next, for the entry */
	struct input *in;		/* to be read, or NULL */
	bool owned;			/* in is closed with the item */
	bool locked;			/* the source waits for the item */
	bool stream;			/* it can be pulled */
	bool images;			/* as a raw file, image by image */
	bool has_image;
	bool verified;			/* it needs no verify */
	struct prof_span image;		/* in the memory of the worker */
	void *allocated;		/* or here: freed with the item */
};

/* An item in the queue, from its start until it is committed. */
struct commit_entry {
	uint64_t number;		/* from 1, in input order */
	char *file, *member;		/* member may be NULL */
	struct cli_input input;		/* its path is the file */
	bool end_only;			/* the end of an archive, no member */
	bool used;			/* it was read to its end */
	bool bad;			/* it was left out */
	bool failed;			/* it ends the run, and err says why */
	bool nameless;			/* err is not about the file */
	bool fatal;			/* err is not about any input */
	struct prof_error err;
	bool last;			/* of its file */
	int64_t time;			/* of the member's modification */
	uint64_t bytes;			/* that were read of the file */
	uint64_t functions;
	uint64_t skipped;		/* foreign members before it */
	struct cli_tally kept, lost;
	char *text;			/* messages about it, or NULL */
	size_t text_size;
	uint64_t ordinal;		/* among its file's members, from 1 */
	void *note;			/* by classify or next */
	void *result;			/* of process */
	bool done;
};

/* What becomes of a member. */
enum cli_action {
	CLI_READ_MEMBER,
	CLI_SKIP_MEMBER,		/* there is no entry for it */
	CLI_REPORT_MEMBER,		/* an entry with a note, nothing read */
	CLI_SKIP_FILE			/* likewise, and the file is left */
};

/*
 * The status of the item says whether there is a member, a failure (err of the
 * item), or PROF_END behind an archive's last member.  May change both, and set
 * the note.
 */
typedef enum cli_action cli_classify(void *arg, struct cli *,
    struct cli_item *, const struct input_member *, uint64_t ordinal);

/* What becomes of a member without such a function, if there is one. */
enum cli_action cli_classify_member(struct cli *, const struct input_member *);

/* The bytes of an item: an image, or pulled if pull is not NULL. */
struct cli_bytes {
	struct prof_span image;
	prof_pull *pull;
	/*
	 * Whether all items before it are committed; may wait until they are.
	 * False too if the run has failed.
	 */
	bool (*may_commit)(void *arg, bool wait);
	void *arg;			/* of pull and may_commit */
	const void *note;		/* of the entry */
};

/*
 * The callbacks of a program.  NULL is allowed for all but add or process.
 * Under "source" and "queue" they are called with a lock held: by one thread
 * at a time, in input order.  Those of a worker are called by the thread of
 * that worker, items in any order.
 *
 * A pipeline either has add, for programs to which only records matter: the
 * driver counts what is used and bad, and leaves out bad inputs under
 * --keep-going after a check pass.  Or it has process and commit: then the
 * program does that itself.
 */
struct cli_pipeline {
	void *arg;

	/*
	 * Records come in input order, from one worker.  It uses the caller's
	 * struct cli, prints messages at once and starts no thread.
	 */
	bool serial;

	/*
	 * Makes the state of a worker; NULL if out of memory.  Called by the
	 * caller's thread before anything is read.  The view is the worker's
	 * own struct cli: its context, names of inputs and err.  Without start
	 * the state is arg.
	 */
	void *(*start)(void *arg, struct cli *view);
	void (*stop)(void *state);	/* caller's thread, at the end */

	/* Source: in place of the program's inputs; PROF_END at the end.  The
	 * cli is to name the item, which gets an image, or an input. */
	enum prof_status (*next)(void *arg, struct cli *, struct cli_item *,
	    struct buf *memory);
	/* Source: without it, foreign members are skipped and counted. */
	cli_classify *classify;

	/* Worker: whether an image is the one that was expected.  With it, no
	 * bytes are decoded as they come. */
	enum prof_status (*verify)(const struct commit_entry *,
	    struct prof_span, struct prof_error *);

	/* Worker, for each item: begin, add for its records, end. */
	enum prof_status (*begin)(void *state, uint64_t number,
	    struct prof_error *);
	cli_record *add;
	void (*end)(void *state);	/* the item ended, or failed */
	void (*idle)(void *state);	/* before a wait for bytes */
	/*
	 * Worker, before begin of the item, but in input order: called under
	 * --keep-going with the header of each profile in it.
	 */
	cli_check *check;
	/*
	 * Records are added to a merge: what it refuses of a single input is
	 * bad under --keep-going (merge/check.h).
	 */
	bool merges;
	unsigned merge_rules;		/* enum merge_check_rule */
	/* Queue: the first item whose add failed for what others added. */
	uint64_t (*refused)(void *arg, struct prof_error *why);
	/*
	 * Queue of a serial pipeline, without --keep-going: called with err of
	 * the cli after the item failed, maybe behind some of its records.
	 * Whether the run goes on with the next item (cli_damage_pass).
	 */
	bool (*pass)(void *arg, struct cli *);

	/*
	 * Worker: the result goes to the entry, with err; or no call if the
	 * bytes cannot be read.  ordered: called in input order, each after
	 * the commit of all items before it.
	 */
	void *(*process)(void *state, const struct cli_bytes *,
	    struct prof_error *);
	bool ordered;
	bool streams;			/* process can pull; else images only */
	bool maps;			/* images of any size, not read first */
	/*
	 * Queue: called for each entry, also if nothing was read for it.  The
	 * cli names the entry, has its err, and the damage and output of the
	 * run.  PROF_FAIL ends the run.
	 */
	enum prof_status (*commit)(void *arg, struct cli *,
	    struct commit_entry *);
	/* Queue, or caller at the end: frees note and result. */
	void (*drop)(struct commit_entry *);
};

/*
 * Reads all inputs.  On PROF_FAIL err of the cli is set.  Whether too many
 * inputs were bad (cli_damage_settle) is left to programs with process.
 */
enum prof_status cli_pipeline_run(struct cli *, const struct cli_pipeline *);

/*
 * The serial pipeline that has only add: reads every profile of every member of
 * every input, in order.  Bad inputs are left out under --keep-going; then what
 * add refuses ends the run nevertheless.  cli_read_passing: with pass.
 */
enum prof_status cli_read(struct cli *, cli_record *add, void *arg);
enum prof_status cli_read_passing(struct cli *, cli_record *add,
    bool (*pass)(void *arg, struct cli *), void *arg);

#endif
