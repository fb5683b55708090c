/*
 * model/guid_cache.h - a cache of the guids of names
 *
 * Every profile names the same few thousand targets of value sites, and
 * computing the MD5 of a name takes longer than parsing its line.
 */
#ifndef MODEL_GUID_CACHE_H
#define MODEL_GUID_CACHE_H

#include "base/arena.h"

struct guid_cache_slot;

/* All zero is empty. */
struct guid_cache {
	struct guid_cache_slot *slots;
	unsigned bits;			/* of the number of slots */
	size_t added;			/* names so far */
	struct arena names;
	bool none;			/* out of memory: nothing is cached */
};

/* Same result as prof_guid. */
uint64_t guid_cache_of(struct guid_cache *, struct prof_span name);

/*
 * The same of n names.  Memory is waited for, and digests are computed, of
 * several names at once.
 */
void guid_cache_many(struct guid_cache *, const struct prof_span *names,
    size_t n, uint64_t *guids);

void guid_cache_free(struct guid_cache *);

#endif
