/*
 * cmd/bundle/members.h - the members of inputs, read and decoded by several threads
 *
 * An input is a bundle, another archive, or a plain file that is its own
 * member.  What was found of them is taken in their order.
 */
#ifndef CMD_BUNDLE_MEMBERS_H
#define CMD_BUNDLE_MEMBERS_H

#include "cmd/bundle/read.h"
#include "cmd/common/pipeline.h"

/* What was found of a member that is what its lines say. */
struct bundle_found {
	struct bundle_member member;	/* its image is gone */
	struct manifest_profile facts;	/* size, digest and, if decoded, all */
	struct cli_tally tally;
};

struct bundle_members;

/*
 * All are called one at a time, with the cli that speaks, whose err is empty
 * but for bad.  PROF_FAIL ends the run.
 */
struct bundle_visitor {
	/* NULL: nothing is done for a file that begins. */
	enum prof_status (*begin)(struct bundle_members *, struct cli *,
	    const struct commit_entry *);
	enum prof_status (*member)(struct bundle_members *, struct cli *,
	    const struct bundle_found *);
	/* A member, or all of a file, came to so much and is bad: see err. */
	enum prof_status (*bad)(struct bundle_members *, struct cli *,
	    const struct cli_tally *);
	enum prof_status (*missing)(struct bundle_members *, struct cli *,
	    const struct manifest_profile *);
	enum prof_status (*end)(struct bundle_members *, struct cli *,
	    const struct commit_entry *);
};

struct bundle_members {
	/* By the caller. */
	const struct bundle_visitor *visitor;
	void *arg;
	bool decode;			/* or only their digests are wanted */
	bool bundles;			/* what is none is bad */
	bool again;			/* will be read again: so no pipes */
	bool own;			/* of the first input all is taken */

	bool is_bundle;			/* where the threads are */
	struct bundle_lines lines;	/* of the file whose turn it is */
	uint64_t files;			/* that have ended */
	bool begun;			/* the one behind them */
};

/* Reads all inputs of the program; whether too many were bad is not asked. */
enum prof_status bundle_members_read(struct bundle_members *, struct cli *);

#endif
