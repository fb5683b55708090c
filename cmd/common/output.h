/*
 * cmd/common/output.h - the output of a program: a profile, or text
 *
 * A profile is opened, written with cli_put and finished; a file appears under
 * its name only when it is finished.  cli_end gives up what was not.
 */
#ifndef CMD_COMMON_OUTPUT_H
#define CMD_COMMON_OUTPUT_H

#include "io/packing.h"
#include "merge/merge.h"
#include "ops/retarget.h"
#include "prof.h"

struct buf;
struct cli;
struct rewrite;

/* Lines behind the first one of a stream, known once that is written. */
struct cli_insertion {
	/* Appends them; NULL: none, or none any more. */
	enum prof_status (*put)(void *arg, struct buf *, struct prof_error *);
	void *arg;
	/* Set where the stream begins. */
	struct output *file;
	struct prof_error *err;		/* of put */
};

/*
 * Writes the insertion alone, to a file without a stream.  PROF_E_SYSTEM if it
 * is the file that fails.
 */
enum prof_status cli_write_insertion(const struct cli_insertion *,
    struct prof_error *);

/* The output: its format, and the file that is being written. */
struct cli_output {
	const char *path;		/* NULL: standard output */
	struct prof_target target;
	enum packing packing;		/* of the file: by the suffix of path */
	const char *release;		/* of --for, or NULL */
	struct retarget_options retarget;
	struct retarget *retargeter;	/* NULL: records as they are */
	struct output *file;
	struct prof_writer *writer;
	bool failed;			/* err of the cli is about the output */
	bool allow_empty;		/* see cli_output_is_whole */
	bool finished;			/* a profile was written */
	struct prof_written written;	/* to all profiles that were */
	uint64_t unselected;		/* functions, if none was selected */
	struct cli_insertion insertion;
	char *group_path;		/* copy that path points to, or NULL */
};

/* Settles format and version, for the output and for the retargeter. */
void cli_set_target(struct cli *);

/*
 * Opens the output and its writer.  A program with several outputs prepares
 * once, and opens them one after the other.
 */
enum prof_status cli_open_output(struct cli *);
void cli_prepare_output(struct cli *);
enum prof_status cli_open_file(struct cli *);

/* A cli_record with the struct cli as its argument: writes the record. */
enum prof_status cli_put(void *cli, const struct prof_record *,
    struct prof_error *);

/* Writes all of a sum; PROF_FAIL too if --fail-on refuses what it lost. */
enum prof_status cli_put_sum(struct cli *, struct merge *,
    const struct merge_output *);

enum prof_status cli_finish(struct cli *);

/*
 * False, after a message, if functions were read but the profiles that were
 * written have none of them and no heap data; if the program selected none of
 * its functions; or if some were left out since they have no name, of which the
 * writer warned.  Always true with --allow-empty, or if no profile was written.
 */
bool cli_output_is_whole(const struct cli *);

/*
 * Puts the output in place and forgets it.  If w is not NULL, the file is
 * replaced only if it is as it was read.
 */
enum prof_status cli_commit_output(struct cli *, const struct rewrite *w);

/* Opens the file only; binary: refuses to write to a terminal. */
enum prof_status cli_open_bytes(struct cli *, bool binary);

/* An output that has no writer, and is written at once. */
enum prof_status cli_write_text(struct cli *, const struct buf *);

#endif
