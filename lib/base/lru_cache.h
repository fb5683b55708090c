/* base/lru_cache.h - the few things used last, kept for whoever needs the same again */
#ifndef BASE_LRU_CACHE_H
#define BASE_LRU_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct lru_entry_ops {
	bool (*same)(const void *entry, void *key);
	size_t (*size)(const void *entry);	/* bytes that it takes */
	void (*free)(void *entry);
};

/* What a thing begins with: it goes when the last user lets go of it. */
struct lru_entry {
	const struct lru_entry_ops *kind;
	unsigned users;
};

enum { LRU_CACHE_ENTRIES = 4 };

struct lru_cache {
	size_t limit;			/* bytes of all, unless there is one */
	pthread_mutex_t lock;
	size_t count;
	void *entries[LRU_CACHE_ENTRIES];	/* last used first */
};

/* Another user of a thing, and one less, of any thread.  NULL is fine. */
void lru_cache_retain(void *entry);
void lru_cache_release(void *entry);

/* All things of a shelf are of one kind. */
void lru_cache_init(struct lru_cache *, size_t limit);

/* A thing to be released, or NULL. */
void *lru_cache_find(struct lru_cache *, void *key);

/*
 * Keeps the thing, or lets go of it if another thread was faster: what is kept
 * comes back, and is to be released.
 */
void *lru_cache_put(struct lru_cache *, void *key, void *entry);

void lru_cache_clear(struct lru_cache *);
void lru_cache_free(struct lru_cache *);

#endif
