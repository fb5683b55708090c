/* format/name_cache.h - the names of a raw image, kept for the next one */
#ifndef FORMAT_NAME_CACHE_H
#define FORMAT_NAME_CACHE_H

#include "model/name_section.h"
#include "base/lru_cache.h"
#include "format/codec.h"

/*
 * The names of a raw image, kept by the context for the next one.  They do not
 * change, and threads may share them.
 */
struct names_cache {
	struct lru_entry shelf;	/* users: contexts, and open readers */
	struct names names;
	size_t vtable_start;		/* first symbol of the vtable names */
	struct prof_span functions, vtables;	/* the sections, copied */
};

/*
 * Names of the two sections (either may be empty), from the context's cache if
 * they are the same bytes.  Give it back with lru_cache_release.  NULL on failure.
 */
struct names_cache *names_get(struct prof_context *,
    struct prof_span functions, uint64_t functions_offset,
    struct prof_span vtables, uint64_t vtables_offset,
    struct names_limit *, struct prof_error *);

/* An empty one for names that come from elsewhere, of one user. */
struct names_cache *names_new(struct prof_error *);

#endif
