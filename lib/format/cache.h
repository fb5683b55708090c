/*
 * format/cache.h - facts about images that contexts keep for later ones
 *
 * A program that writes thousands of profiles writes the same names and records
 * in each: only counters and values differ.  Contexts made by
 * prof_context_share use one cache, from any thread.
 *
 * Which entry a reader gets depends on other readers, and nothing that it
 * returns may: what depends on the input (addresses, limits, names that the
 * entry lacks) is computed from the input when the entry is known, as
 * base/lru_cache.h says.
 */
#ifndef FORMAT_CACHE_H
#define FORMAT_CACHE_H

#include "base/lru_cache.h"
#include "format/codec.h"
#include "model/name_section.h"

struct context_cache {
	unsigned users;			/* contexts */
	struct lru_cache names;		/* struct cached_names */
	struct lru_cache raw;		/* format/raw/program.c */
	struct lru_cache indexed;	/* format/indexed/program.c */
};

/* The names of a raw image: once read they do not change, for all threads. */
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
