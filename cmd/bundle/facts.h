/* cmd/bundle/facts.h - the members of a manifest line that decoding yields */
#ifndef CMD_BUNDLE_FACTS_H
#define CMD_BUNDLE_FACTS_H

#include "cmd/common/cli.h"
#include "bundle/manifest.h"

/*
 * Decodes the image and sets size, and the members from format to shape.  Lists
 * are in the arena.  *tally counts what was read, after a failure too.
 */
enum prof_status bundle_facts(struct cli *, struct prof_span image,
    struct arena *, struct manifest_profile *, struct cli_tally *tally,
    struct prof_error *);

/* Counts a good member and its records in the report. */
void bundle_add_tally(struct cli *, const struct cli_tally *);

/* The first key whose values differ, or NULL if the lines agree. */
const char *bundle_facts_differ(const struct manifest_profile *manifest,
    const struct manifest_profile *found);

#endif
