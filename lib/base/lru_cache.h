/* base/lru_cache.h - the few things used last, kept for whoever needs the same again */
#ifndef BASE_LRU_CACHE_H
#define BASE_LRU_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct shelf_kind {
	bool (*same)(const void *thing, void *key);
	size_t (*size)(const void *thing);	/* bytes that it takes */
	void (*free)(void *thing);
};

/* What a thing begins with: it goes when the last user lets go of it. */
struct shelf_thing {
	const struct shelf_kind *kind;
	unsigned users;
};

enum { SHELF_THINGS = 4 };

struct shelf {
	size_t limit;			/* bytes of all, unless there is one */
	pthread_mutex_t lock;
	size_t count;
	void *things[SHELF_THINGS];	/* last used first */
};

/* Another user of a thing, and one less, of any thread.  NULL is fine. */
void shelf_hold(void *thing);
void shelf_release(void *thing);

/* All things of a shelf are of one kind. */
void shelf_init(struct shelf *, size_t limit);

/* A thing to be released, or NULL. */
void *shelf_find(struct shelf *, void *key);

/*
 * Keeps the thing, or lets go of it if another thread was faster: what is kept
 * comes back, and is to be released.
 */
void *shelf_put(struct shelf *, void *key, void *thing);

void shelf_clear(struct shelf *);
void shelf_free(struct shelf *);

#endif
