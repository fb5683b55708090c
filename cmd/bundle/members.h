/*
 * cmd/bundle/members.h - the members of inputs, read and decoded by workers
 *
 * An input is a bundle, another archive, or a plain file, which counts as its
 * only member.  A visitor gets the results in the order of the inputs.
 */
#ifndef CMD_BUNDLE_MEMBERS_H
#define CMD_BUNDLE_MEMBERS_H

#include "cmd/bundle/read.h"
#include "cmd/common/pipeline.h"

/* The result for a member that agrees with its lines of the manifest. */
struct bundle_found {
	struct bundle_member member;	/* image is empty */
	struct manifest_profile facts;
	struct cli_tally tally;
	int64_t time;			/* of its modification */
};

struct bundle_members;

/*
 * Callbacks, called one at a time with the cli whose file and member messages
 * name.  Its err is empty, except for bad.  PROF_FAIL ends the run.
 */
struct bundle_visitor {
	/* A file begins; may be NULL. */
	enum prof_status (*begin)(struct bundle_members *, struct cli *,
	    const struct commit_entry *);
	enum prof_status (*member)(struct bundle_members *, struct cli *,
	    const struct bundle_found *);
	/* A member, or a file, is bad after records of that tally: see err. */
	enum prof_status (*bad)(struct bundle_members *, struct cli *,
	    const struct cli_tally *);
	enum prof_status (*missing)(struct bundle_members *, struct cli *,
	    const struct manifest_profile *);
};

struct bundle_members {
	/* Set by the caller. */
	const struct bundle_visitor *visitor;
	void *arg;
	bool own;			/* first input: --member is ignored */

	bool is_bundle;			/* the file being read */
	struct bundle_lines lines;	/* of the file being committed */
	uint64_t files;			/* committed to their end */
	bool begun;			/* the file behind those */
};

/* Reads all inputs of the program; the caller settles the damage. */
enum prof_status bundle_members_read(struct bundle_members *, struct cli *);

#endif
