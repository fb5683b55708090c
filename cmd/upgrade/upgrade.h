/*
 * cmd/upgrade/upgrade.h - prof-index --upgrade: files rewritten in place
 *
 * upgrade.c goes through the files, archive.c through the members of a tar
 * archive; profile.c converts one indexed profile, and result.c prints what
 * became of it.
 */
#ifndef CMD_UPGRADE_UPGRADE_H
#define CMD_UPGRADE_UPGRADE_H

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "io/rewrite.h"

struct input;

struct upgrade_options {
	bool wanted;			/* --upgrade was given */
	bool dry_run;
	struct rewrite_options rewrite;
};

enum upgrade_result {
	UPGRADE_DONE, UPGRADE_CURRENT,
	UPGRADE_SKIPPED,		/* found, but no indexed profile */
	UPGRADE_RESULTS,
	UPGRADE_ARCHIVE			/* printed member by member */
};

/* The result for a file, or for a member of an archive. */
struct upgrade_file {
	const char *path;
	char *member;			/* or NULL */
	enum upgrade_result result;
	unsigned from;			/* version; 0 if unknown */
	struct prof_error err;		/* why it stays as it is, or empty */
	/* Arrays of struct prof_error; PROF_E_UNSUPPORTED is a loss. */
	struct buf warnings, changes;
};

struct upgrade {
	struct cli *cli;
	const struct upgrade_options *options;
	struct prof_context *context;	/* its warnings go to file */
	struct prof_target target;	/* of the current file */
	unsigned heap;			/* memprof_version of the file */
	struct retarget *retargeter;
	struct rewrite old;
	struct prof_writer *writer;	/* NULL: the profile is only read */
	prof_sink *sink;		/* NULL: the bytes are dropped */
	void *sink_arg;
	struct upgrade_file file;
	struct buf memory;		/* for images that are not mapped */
	uint64_t count[UPGRADE_RESULTS];
};

/* Upgrades the inputs of the program, and returns its exit status. */
int upgrade(struct cli *, const struct upgrade_options *);

/*
 * Reads a profile.  The result of the file is UPGRADE_CURRENT, or UPGRADE_DONE
 * if upgrade_write is to be called for its new bytes.
 */
enum prof_status upgrade_read(struct upgrade *, struct prof_span image,
    struct prof_error *);
enum prof_status upgrade_write(struct upgrade *, prof_sink *, void *arg,
    struct prof_error *);

/* Begins a file, or a member of it; frees what the result holds. */
void upgrade_file_begin(struct upgrade *, const char *path,
    const char *member);
void upgrade_file_end(struct upgrade_file *);

/*
 * Upgrades the members of a tar archive, and prints their results.  The input
 * is at the archive, which is its only member, and knows the compression.
 */
enum prof_status upgrade_archive(struct upgrade *, struct input *,
    struct prof_error *);

/* Notes a warning about the file; the argument is the upgrade. */
prof_warn upgrade_note_warning;

/* Whether the heap profile has another version than the target. */
bool upgrade_needs_other_heap(const struct upgrade *);

/* Notes the changes that go beyond the version: names, hashes, heap. */
void upgrade_note_changes(struct upgrade *);

/* Counts the result of the file and prints it; PROF_FAIL ends the run. */
enum prof_status upgrade_print(struct upgrade *);
void upgrade_print_counts(const struct upgrade *);

#endif
