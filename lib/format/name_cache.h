/*
 * format/name_cache.h - the names of a raw image, cached for the next image
 */
#ifndef FORMAT_NAME_CACHE_H
#define FORMAT_NAME_CACHE_H

#include "model/name_section.h"
#include "base/lru_cache.h"
#include "format/codec.h"

/* Names do not change once they are read, so threads may share them. */
struct cached_names {
	struct lru_entry entry;		/* users: caches and open readers */
	struct names names;
	size_t vtable_start;		/* first symbol of the vtable names */
	struct prof_span functions, vtables;	/* the sections, copied */
};

/* The names sections of an image; either may be empty. */
struct name_sections {
	struct prof_span functions, vtables;
	uint64_t functions_offset, vtables_offset;	/* for messages */
};

/*
 * The names of two sections, from the context's cache if an image before had
 * the same bytes.  The limit is that of the image at hand, and reduced in
 * either case.  The caller releases the names by lru_cache_release.  NULL on
 * failure.  The context may be NULL.
 */
struct cached_names *name_cache_get(struct prof_context *,
    const struct name_sections *, struct names_limit *, struct prof_error *);

/* An empty table of one user, in no cache, for names from elsewhere. */
struct cached_names *name_cache_new(struct prof_error *);

#endif
