/*
 * bundle/manifest.h - the list of the profiles in a bundle (prof-bundle(1))
 *
 * The manifest is lines of JSON: a head, then an object for each profile.
 */
#ifndef BUNDLE_MANIFEST_H
#define BUNDLE_MANIFEST_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"
#include "prof.h"

enum { MANIFEST_VERSION = 1 };

/* The name of the member, the first of its archive. */
extern const char manifest_name[];

struct manifest_profile {
	struct prof_span path;		/* where it came from; any bytes */
	struct prof_span member;	/* of the archive; NUL behind it */
	uint8_t sha256[SHA256_SIZE];
	uint64_t size;			/* bytes */
	/*
	 * Tells runs apart that wrote the same bytes to the same path: a time
	 * or an id, in UTF-8.  Empty: equal bytes are one profile.
	 */
	struct prof_span run;
	struct prof_span format;	/* as prof_source.format */
	uint64_t version;		/* of the format */
	enum prof_kind kind;		/* of all profiles in it */
	uint64_t profiles;		/* in it, 1 or more */
	const struct prof_span *binary_ids;	/* sorted, each once */
	size_t binary_ids_size;
	uint64_t functions, contexts;	/* records; of the heap */
	uint64_t counts;		/* the sum of counters, saturating */
};

/*
 * By what a profile is known: the digest of its bytes, or if it has a run, of
 * these, the run and the path.  False: no memory.
 */
bool manifest_identity(const struct manifest_profile *,
    uint8_t identity[SHA256_SIZE]);

/* All zero is empty. */
struct manifest {
	struct arena arena;
	struct manifest_profile *profiles;
	size_t size, room;
};

/* True if these can only be the first bytes of a manifest. */
bool manifest_sniff(struct prof_span first_bytes);

/* Each appends a line. */
void manifest_put_head(struct buf *, uint64_t profiles, uint64_t members);
void manifest_put(struct buf *, const struct manifest_profile *);

/*
 * Reads the whole text.  PROF_E_CORRUPT with the line for what is no manifest,
 * and for paths that are not below the folder they are unpacked in;
 * PROF_E_VERSION for one that is newer than we know.
 */
enum prof_status manifest_read(struct manifest *, struct prof_span text,
    struct prof_error *);
void manifest_free(struct manifest *);

/* Whether a path is one that may be unpacked: relative, without "..". */
bool manifest_path_is_safe(struct prof_span path);

#endif
