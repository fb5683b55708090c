/* cmd/bundle/bundle.h - the verbs of prof-bundle, and what they share */
#ifndef CMD_BUNDLE_BUNDLE_H
#define CMD_BUNDLE_BUNDLE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "bundle/lines.h"
#include "bundle/manifest.h"
#include "cmd/common/cli.h"
#include "io/output.h"
#include "io/packing.h"

struct bundle_source {
	const char *path;
	struct prof_span place;		/* the path without "." and ".." */
	bool archive;
};

/* A line of the manifest, and the place of its bytes. */
struct bundle_entry {
	struct manifest_profile facts;
	uint8_t identity[SHA256_SIZE];	/* of the facts */
	const struct bundle_source *source;
	uint64_t ordinal;		/* member of the source, from 1 */
};

/* All zero is empty. */
struct bundle_set {
	struct arena arena;
	struct bundle_entry *entries;
	size_t size, room;
	const struct bundle_source *source;	/* of entries added next */
	/* After settling: an entry for each identity, by their places. */
	struct bundle_entry **contents;
	size_t contents_size;
	uint64_t repeated;		/* entries beyond one of a content */
};

/* Adds the source of the entries that are added next. */
enum prof_status bundle_set_source(struct bundle_set *, const char *path,
    bool archive, struct prof_error *);

/*
 * Adds a copy of a line, except for its member.  The path is that of a file or
 * of an archive's member; it is changed into one that can be unpacked.
 */
enum prof_status bundle_set_add(struct bundle_set *,
    const struct manifest_profile *, uint64_t ordinal, struct prof_error *);

/*
 * Sorts by path, removes duplicates, and gives each entry a member of its own.
 * The member is the path, unless several contents have the same path, or
 * another path is below it; then it is in a folder named like the identity.
 */
enum prof_status bundle_set_names(struct bundle_set *, struct prof_error *);

/*
 * The same; then each content gets one member, that of its first entry, and the
 * contents are sorted by the paths of their sources, and in an archive as its
 * members are.
 */
enum prof_status bundle_set_settle(struct bundle_set *, struct prof_error *);

/* Appends the manifest of a settled set. */
void bundle_set_manifest(const struct bundle_set *, struct buf *);

void bundle_set_free(struct bundle_set *);

struct bundle_options {
	bool packs;			/* an option named the packing */
	enum packing packing;
	bool json, force;
	enum bundle_dedup {
		BUNDLE_BY_RUN,		/* equal bytes of a run are one */
		BUNDLE_BY_CONTENT	/* equal bytes are one profile */
	} dedup;
	struct prof_span run;		/* id of the run; empty: times */
	const char *folder;		/* of extract; NULL: the current one */
};

/* Each runs one verb, ends the program's work and returns its exit status. */
int bundle_create(struct cli *, struct bundle_options *);
int bundle_add(struct cli *, struct bundle_options *, const char *bundle);
int bundle_list(struct cli *, struct bundle_options *);
int bundle_extract(struct cli *, struct bundle_options *, char **globs);

/* Sets the error of a file that is no bundle. */
enum prof_status bundle_err_no_bundle(struct prof_error *);

/*
 * Adds the profiles of all inputs to the set.  A bad one ends the scan or is
 * left out (cmd/common/damage.c).  `own`: the first input is the bundle to add
 * to.
 */
enum prof_status bundle_scan(struct cli *, const struct bundle_options *,
    bool own, struct bundle_set *);

#endif
