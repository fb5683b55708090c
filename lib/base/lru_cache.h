/* base/lru_cache.h - the few things used last, kept for whoever needs the same again */
#ifndef BASE_LRU_CACHE_H
#define BASE_LRU_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct lru_kind {
	bool (*same)(const void *thing, void *key);
	size_t (*size)(const void *thing);	/* bytes that it takes */
	void (*free)(void *thing);
};

/* What a thing begins with: it goes when the last user lets go of it. */
struct lru_entry {
	const struct lru_kind *kind;
	unsigned users;
};

enum { SHELF_THINGS = 4 };

struct lru_cache {
	size_t limit;			/* bytes of all, unless there is one */
	pthread_mutex_t lock;
	size_t count;
	void *things[SHELF_THINGS];	/* last used first */
};

/* Another user of a thing, and one less, of any thread.  NULL is fine. */
void lru_cache_hold(void *thing);
void lru_cache_release(void *thing);

/* All things of a shelf are of one kind. */
void lru_cache_init(struct lru_cache *, size_t limit);

/* A thing to be released, or NULL. */
void *lru_cache_find(struct lru_cache *, void *key);

/*
 * Keeps the thing, or lets go of it if another thread was faster: what is kept
 * comes back, and is to be released.
 */
void *lru_cache_put(struct lru_cache *, void *key, void *thing);

void lru_cache_clear(struct lru_cache *);
void lru_cache_free(struct lru_cache *);

#endif
