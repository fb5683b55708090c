/*
 * format/context_cache.h - what contexts keep of images, for those still to come
 *
 * Programs that write thousands of profiles write the same names and records in
 * each: only counters and values differ.
 */
#ifndef FORMAT_CONTEXT_CACHE_H
#define FORMAT_CONTEXT_CACHE_H

#include "base/lru_cache.h"

struct context_cache {
	unsigned users;			/* contexts */
	struct lru_cache names;		/* format/name_cache.h */
	struct lru_cache raw;		/* format/raw/program.h */
	struct lru_cache indexed;		/* format/indexed/program.h */
};

struct context_cache *context_cache_new(void);		/* NULL if out of memory */
struct context_cache *context_cache_hold(struct context_cache *);
void context_cache_release(struct context_cache *);	/* NULL is fine */
void context_cache_clear(struct context_cache *);	/* all that is kept so far */

#endif
