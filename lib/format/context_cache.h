/*
 * format/context_cache.h - what contexts keep of images, for those still to come
 *
 * Programs that write thousands of profiles write the same names and records in
 * each: only counters and values differ.
 */
#ifndef FORMAT_CONTEXT_CACHE_H
#define FORMAT_CONTEXT_CACHE_H

#include "base/lru_cache.h"

struct kept {
	unsigned users;			/* contexts */
	struct shelf names;		/* format/name_cache.h */
	struct shelf raw;		/* format/raw/program.h */
	struct shelf indexed;		/* format/indexed/program.h */
};

struct kept *kept_new(void);		/* NULL if out of memory */
struct kept *kept_hold(struct kept *);
void kept_release(struct kept *);	/* NULL is fine */
void kept_forget(struct kept *);	/* all that is kept so far */

#endif
