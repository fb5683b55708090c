/*
 * cmd/merge/repeats.h - profiles of bundles, which count once
 *
 * A profile may be in several bundles, whose manifests say which profiles are
 * the same (manifest_identity).  The first one in the order of the inputs
 * counts; the others are not read.
 */
#ifndef CMD_MERGE_REPEATS_H
#define CMD_MERGE_REPEATS_H

#include "base/intern.h"
#include "bundle/lines.h"
#include "cmd/common/pipeline.h"

/* All zero before the first input. */
struct repeats {
	struct bundle_lines bundle;	/* of the file that is read */
	bool broken;			/* its manifest cannot be read */
	struct intern seen;		/* identities */
	uint64_t count;			/* profiles that were left out */
};

/* A cli_classify; the argument is the struct repeats. */
cli_classify repeats_classify;

/* Prints how many profiles were left out, if any. */
void repeats_print(const struct repeats *, const struct cli *);
void repeats_free(struct repeats *);

#endif
