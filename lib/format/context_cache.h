/*
 * format/context_cache.h - facts about images that contexts keep for later ones
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
#ifndef FORMAT_CONTEXT_CACHE_H
#define FORMAT_CONTEXT_CACHE_H

#include "base/lru_cache.h"

struct context_cache {
	unsigned users;			/* contexts */
	struct lru_cache names;		/* format/name_cache.h */
	struct lru_cache raw;		/* format/raw/program.c */
	struct lru_cache indexed;	/* format/indexed/program.c */
};

struct context_cache *context_cache_new(void);	/* NULL if out of memory */
struct context_cache *context_cache_retain(struct context_cache *);
void context_cache_release(struct context_cache *);	/* NULL is fine */
void context_cache_clear(struct context_cache *);

#endif
