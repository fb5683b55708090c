/* cmd/bundle/facts.h - what a manifest tells of the bytes of a profile */
#ifndef CMD_BUNDLE_FACTS_H
#define CMD_BUNDLE_FACTS_H

#include "cmd/common/cli.h"
#include "bundle/manifest.h"

/*
 * Decodes the image and fills in what it finds: size and all from format to
 * shape.  Lists go to the arena.  *tally is what was read, on failure too.
 */
enum prof_status bundle_facts(struct cli *, struct prof_span image,
    struct arena *, struct manifest_profile *, struct cli_tally *tally,
    struct prof_error *);

/* What was read becomes part of what the report says of good inputs. */
void bundle_add_tally(struct cli *, const struct cli_tally *);

/* What the manifest says and the profile does not: the key, or NULL. */
const char *bundle_facts_differ(const struct manifest_profile *manifest,
    const struct manifest_profile *found);

#endif
