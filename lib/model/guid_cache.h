/*
 * model/guid_cache.h - guids of names that are met again and again
 *
 * The targets of value sites are some thousand names in every profile, and the
 * digest of each costs more than all else that is done to its line.
 */
#ifndef MODEL_GUID_CACHE_H
#define MODEL_GUID_CACHE_H

#include "base/arena.h"

struct guid_cache_slot;

/* All zero is empty. */
struct guid_cache {
	struct guid_cache_slot *slots;
	struct arena names;
	bool none;			/* no memory for it */
};

/* As prof_guid.  Remembers what it can. */
uint64_t guid_cache_of(struct guid_cache *, struct prof_span name);

void guid_cache_free(struct guid_cache *);

#endif
