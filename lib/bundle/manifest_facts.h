/* bundle/manifest_facts.h - what a manifest says of a profile */
#ifndef BUNDLE_MANIFEST_FACTS_H
#define BUNDLE_MANIFEST_FACTS_H

#include "bundle/manifest.h"

/* Begins with a profile and an arena. */
struct manifest_facts {
	struct manifest_profile *profile;
	struct arena *arena;		/* of lists of the profile */
	struct prof_span *ids;
	size_t ids_size, ids_room;
};

/*
 * Sets the members of a line from version to counts by the records of the
 * profile, none of which is a block.  End sets the format, which is NULL for
 * text, and is called after a failure too: then numbers are those of the
 * records so far.
 */
enum prof_status manifest_facts_add(struct manifest_facts *,
    const struct prof_record *, struct prof_error *);
enum prof_status manifest_facts_end(struct manifest_facts *,
    const char *format, struct prof_error *);

#endif
