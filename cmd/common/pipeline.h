/*
 * cmd/common/pipeline.h - from inputs to records, by one thread or by several
 *
 * One driver for all programs, over an ordered pool (io/pool.h).  The source
 * opens inputs one after the other and yields items: a file, or a member of an
 * archive.  A worker reads, decompresses, checks and decodes an item.  What it
 * did is committed in input order: messages, the report and the failure are
 * those of one worker, whichever item was done first.
 *
 * Files are read by the worker that takes the item.  The member of an archive
 * is decompressed by its worker before the source goes on to the next one: one
 * thread decompresses while others decode and add.
 */
#ifndef CMD_COMMON_PIPELINE_H
#define CMD_COMMON_PIPELINE_H

#include "cmd/common/cli.h"
#include "io/pool.h"

struct buf;
struct cli_worker;
struct input;
struct input_member;

/* A file or a member of an archive, on the way from source to commit. */
struct cli_item {
	struct pool_item pool;
	/* Names and numbers of the file or member. */
	char *file, *member;		/* member may be NULL */
	struct cli_input input;		/* its path is the file */
	uint64_t input_number;		/* from 1 */
	uint64_t ordinal;		/* among its file's members, from 1 */
	int64_t time;			/* of the member's modification */
	bool last;			/* of its file */
	bool end_only;			/* the end of an archive, no member */
	bool unread;			/* that, or there is only a note */
	void *note;			/* by classify or next */
	/* PROF_FAIL: without bytes.  fatal: err is not about one input. */
	enum prof_status status;
	bool fatal;
	struct prof_error err;		/* of the source, then of the worker */
	/* Bytes of the item: images, or pulled from the input. */
	struct input *in;		/* or NULL */
	bool owned;			/* in is closed with the item */
	bool stream;			/* it can be pulled */
	bool images;			/* as a raw file, image by image */
	bool has_image;
	struct prof_span image;		/* in the memory of the worker */
	struct cli_worker *worker;
	/* Results of the worker. */
	void *result;			/* of process */
	bool bad;			/* left out, by the check */
	bool failed;			/* behind the check */
	uint64_t bytes, functions;	/* that were read */
	uint64_t skipped;		/* foreign members before it */
	char *text;			/* messages about it, or NULL */
	size_t text_size;
};

/* A prof_pull of the item's bytes. */
ssize_t cli_item_pull(void *item, void *data, size_t size);

/* Waits until all items before it are committed; false: the run has failed. */
bool cli_item_is_first(const struct cli_item *);

/* What becomes of a member. */
enum cli_action {
	CLI_READ_MEMBER,
	CLI_SKIP_MEMBER,		/* there is no item for it */
	CLI_REPORT_MEMBER,		/* an item with a note, nothing read */
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

/*
 * The callbacks of a program.  NULL is allowed for all but add or process.
 * Those of the source and the commit are called by one thread at a time, in
 * input order.  Those of a worker are called by the thread of that worker,
 * items in any order.
 *
 * With add, for programs to which only records matter, the driver counts what
 * is used and bad, and leaves out bad inputs under --keep-going after a check
 * pass.  A program with process and commit does that itself.
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

	cli_record *add;		/* worker, for records */
	void (*end)(void *state);	/* worker: the item ended, or failed */
	void (*idle)(void *state);	/* worker: before a wait for bytes */
	/*
	 * Records are added to a merge: what it refuses of a single input is
	 * bad under --keep-going (merge/check.h), and so are functions of
	 * another level than that one.
	 */
	bool merges;
	bool merge_ids_first;		/* see merge_check_new */
	enum prof_level level;
	/* Commit: the first item whose add failed for what others added. */
	uint64_t (*refused)(void *arg, struct prof_error *why);
	/*
	 * Commit of a serial pipeline, without --keep-going: called with err of
	 * the cli after the item failed, maybe behind some of its records.
	 * Whether the run goes on with the next item (cli_damage_pass).
	 */
	bool (*pass)(void *arg, struct cli *);

	/*
	 * Worker: the result goes to the item, with err; or no call if the
	 * bytes cannot be read.
	 */
	void *(*process)(void *state, struct cli_item *, struct prof_error *);
	bool streams;			/* process can pull; else images only */
	bool maps;			/* images of any size, not read first */
	/*
	 * Called for each item, also if nothing was read for it.  The cli is
	 * the caller's; it names the item and has its err.  PROF_FAIL ends the
	 * run.
	 */
	enum prof_status (*commit)(void *arg, struct cli *, struct cli_item *);
	/* Any thread, or the caller's at the end: frees note and result. */
	void (*drop)(struct cli_item *);
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

/*
 * binaries.c: whether a file is a regular ELF file; and reads the hashes of
 * the functions of one (sym/correlate.h).
 */
bool cli_is_elf(const char *path);
enum prof_status cli_read_binary(struct cli *, const char *path,
    cli_record *add, void *arg);

/*
 * Calls the function with each record of a reader, retargeted if the output
 * needs that.  The source of a profile names its file and member; functions are
 * counted for progress.
 */
enum prof_status cli_read_records(struct cli *, struct prof_reader *,
    cli_record *, void *arg);

/* Whether functions of a level go with the level that was asked for. */
enum prof_status cli_check_level(enum prof_level wanted, enum prof_level,
    struct prof_error *);

#endif
