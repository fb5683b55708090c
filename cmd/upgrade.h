/* upgrade.h - prof-index --upgrade: indexed files, rewritten in place */
#ifndef CMD_UPGRADE_H
#define CMD_UPGRADE_H

#include "base/bytes.h"
#include "cli.h"
#include "io/rewrite.h"

struct upgrade_options {
	bool wanted;			/* else these must not be given */
	bool dry_run;
	struct rewrite_options rewrite;
	const char *report;		/* file, "-" or NULL */
};

enum upgrade_result {
	UPGRADE_DONE, UPGRADE_CURRENT, UPGRADE_REFUSED, UPGRADE_FAILED,
	UPGRADE_PASSED_OVER,		/* in a folder, no indexed profile */
	UPGRADE_RESULTS
};

/* What became of a file. */
struct upgrade_file {
	const char *path;
	enum upgrade_result result;
	unsigned from, to;		/* versions; from is 0 if unknown */
	struct prof_error err;		/* if it was refused or failed */
	/* Of struct prof_error: those of code PROF_E_UNSUPPORTED are losses. */
	struct buf warnings, changes;
};

/* The inputs of the program, one by one; ends it: the exit status. */
int upgrade(struct cli *, const struct upgrade_options *);

/* A line of JSON for a file that was not passed over. */
void upgrade_put_json(struct buf *, const struct upgrade_file *,
    bool dry_run);

#endif
