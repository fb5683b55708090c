#include "format/context_cache.h"

#include <stdlib.h>

/* Of the entries of one cache; a single entry may take more. */
enum { CACHE_BYTES_MAX = 32 << 20 };

struct context_cache *
context_cache_new(void)
{
	struct context_cache *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return NULL;
	k->users = 1;
	lru_cache_init(&k->names, CACHE_BYTES_MAX);
	lru_cache_init(&k->raw, CACHE_BYTES_MAX);
	lru_cache_init(&k->indexed, CACHE_BYTES_MAX);
	return k;
}

struct context_cache *
context_cache_retain(struct context_cache *k)
{
	__atomic_add_fetch(&k->users, 1, __ATOMIC_RELAXED);
	return k;
}

void
context_cache_clear(struct context_cache *k)
{
	lru_cache_clear(&k->names);
	lru_cache_clear(&k->raw);
	lru_cache_clear(&k->indexed);
}

void
context_cache_release(struct context_cache *k)
{
	if (k == NULL || __atomic_sub_fetch(&k->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	lru_cache_free(&k->names);
	lru_cache_free(&k->raw);
	lru_cache_free(&k->indexed);
	free(k);
}
