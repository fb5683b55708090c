/* cmd/bundle/facts.h - the members of a manifest line that decoding yields */
#ifndef CMD_BUNDLE_FACTS_H
#define CMD_BUNDLE_FACTS_H

#include "cmd/common/cli.h"
#include "bundle/manifest.h"

/*
 * Decodes the image and sets size, and the members from format to shape.  The
 * tally counts what was read, after a failure too.
 */
struct bundle_facts {
	struct manifest_profile *profile;
	struct arena *arena;		/* of lists of the profile */
	struct cli_tally *tally;
};
enum prof_status bundle_facts(struct cli *, struct prof_span image,
    const struct bundle_facts *, struct prof_error *);

/* Counts a good member and its records in the report. */
void bundle_add_tally(struct cli *, const struct cli_tally *);

#endif
