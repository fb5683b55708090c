/*
 * cmd/bundle/set.h - the profiles of a bundle before it is written
 *
 * What is in it depends on what was added, and not on the order: equal sets
 * make equal bytes.
 */
#ifndef CMD_BUNDLE_SET_H
#define CMD_BUNDLE_SET_H

#include "base/arena.h"
#include "base/bytes.h"
#include "bundle/manifest.h"

/* A line of the manifest, and where the bytes are. */
struct bundle_entry {
	struct manifest_profile facts;
	size_t source;
	uint64_t ordinal;		/* of its members, from 1 */
};

struct bundle_source {
	const char *path;
	bool archive;
};

/* All zero is empty. */
struct bundle_set {
	struct arena arena;
	struct bundle_entry *entries;
	size_t size, room;
	struct bundle_source *sources;
	size_t sources_size, sources_room;
	/* When it is settled: an entry for each content, as they are stored. */
	struct bundle_entry **contents;
	size_t contents_size;
};

/* The source that the entries come from which are added next. */
enum prof_status bundle_set_source(struct bundle_set *, const char *path,
    bool archive, struct prof_error *);

/*
 * Adds a line; what it points to is copied, its member does not matter.  The
 * path is that of a file or member of an archive, and made one that can be
 * unpacked.
 */
enum prof_status bundle_set_add(struct bundle_set *,
    const struct manifest_profile *, uint64_t ordinal, struct prof_error *);

/* Labels that are joined to those of a line, where they overrule. */
enum prof_status bundle_set_label(struct bundle_set *,
    struct manifest_profile *, const struct manifest_label *, size_t,
    struct prof_error *);

/*
 * Sorts by path, leaves out what is there twice, and gives each entry a member
 * of its own.  That is its path, unless several contents have it, or another
 * path is below it; then it is in a folder with the name of the digest.
 */
enum prof_status bundle_set_names(struct bundle_set *, struct prof_error *);

/*
 * The same, and each content becomes one member: the first of its entries'.
 */
enum prof_status bundle_set_settle(struct bundle_set *, struct prof_error *);

/* Appends the manifest of a settled set. */
void bundle_set_manifest(const struct bundle_set *, struct buf *);

void bundle_set_free(struct bundle_set *);

#endif
