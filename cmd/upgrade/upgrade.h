/*
 * cmd/upgrade/upgrade.h - prof-index --upgrade: indexed profiles, rewritten in place
 *
 * cmd/upgrade/upgrade.c goes through the files, cmd/upgrade/archive.c through the members of
 * one that is a tar archive; cmd/upgrade/profile.c turns one profile into what it
 * becomes, and cmd/upgrade/report.c tells what became of it.
 */
#ifndef CMD_UPGRADE_UPGRADE_H
#define CMD_UPGRADE_UPGRADE_H

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "io/rewrite.h"

struct input;

struct upgrade_options {
	bool wanted;			/* else these must not be given */
	bool dry_run;
	struct rewrite_options rewrite;
	const char *report;		/* file, "-" or NULL */
};

enum upgrade_result {
	UPGRADE_DONE, UPGRADE_CURRENT, UPGRADE_REFUSED, UPGRADE_FAILED,
	UPGRADE_SKIPPED,		/* not named, no indexed profile */
	UPGRADE_RESULTS,
	UPGRADE_ARCHIVE			/* an archive: its members were told */
};

/* What became of a file, or of a member of an archive. */
struct upgrade_file {
	const char *path;
	char *member;			/* or NULL */
	enum upgrade_result result;
	unsigned from, to;		/* versions; from is 0 if unknown */
	struct prof_error err;		/* if it was refused or failed */
	/* Of struct prof_error: those of code PROF_E_UNSUPPORTED are losses. */
	struct buf warnings, changes;
};

struct upgrade {
	struct cli *cli;
	const struct upgrade_options *options;
	struct prof_context *context;	/* whose warnings wait */
	struct prof_target target;	/* of the file */
	unsigned heap;			/* its memprof_version */
	struct retarget *retargeter;
	struct rewrite old;
	struct prof_writer *writer;	/* NULL: the profile is only read */
	prof_sink *sink;		/* NULL: what is written is dropped */
	void *sink_arg;
	struct upgrade_file file;
	struct buf memory;		/* of the file's image */
	FILE *report;			/* or NULL */
	uint64_t count[UPGRADE_RESULTS];
};

/* The inputs of the program, one by one; ends it: the exit status. */
int upgrade(struct cli *, const struct upgrade_options *);

/*
 * Reads a profile.  The result of the file is UPGRADE_CURRENT, or UPGRADE_DONE
 * if upgrade_write is to be called for its new bytes.
 */
enum prof_status upgrade_read(struct upgrade *, struct prof_span image,
    struct prof_error *);
enum prof_status upgrade_write(struct upgrade *, prof_sink *, void *arg,
    struct prof_error *);

/* Begins with the file, or with a member of it; frees what it holds. */
void upgrade_file_begin(struct upgrade *, const char *path,
    const char *member);
void upgrade_file_end(struct upgrade_file *);

/* It could not be upgraded, for the reason in its err. */
void upgrade_file_fail(struct upgrade_file *);

/*
 * Upgrades the members of a tar archive: the input is at its only member, which
 * is the archive, and knows how it is compressed.
 */
enum prof_status upgrade_archive(struct upgrade *, struct input *,
    struct prof_error *);

/* A prof_warn with the upgrade as its argument. */
prof_warn upgrade_note_warning;

/* Whether its heap profile is of another version than was asked for. */
bool upgrade_needs_other_heap(const struct upgrade *);

/* Notes what got another meaning. */
void upgrade_note_changes(struct upgrade *);

/* Counts the file and tells of it. */
void upgrade_print(struct upgrade *);
void upgrade_print_counts(const struct upgrade *);

/* A line of JSON for a file that was not passed over. */
void upgrade_put_json(struct buf *, const struct upgrade_file *,
    bool dry_run);

#endif
