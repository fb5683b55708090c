/* shelf.h - the few things used last, kept for whoever needs the same again */
#ifndef BASE_SHELF_H
#define BASE_SHELF_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What threads share of a thing: it goes when the last lets go of it. */
struct shelf_kind {
	bool (*same)(const void *thing, void *key);
	void (*hold)(void *thing);
	void (*release)(void *thing);
	size_t (*size)(const void *thing);	/* bytes that it takes */
};

enum { SHELF_THINGS = 4 };

struct shelf {
	const struct shelf_kind *kind;	/* NULL: nothing is kept yet */
	size_t limit;			/* bytes of all, unless there is one */
	pthread_mutex_t lock;
	size_t count;
	void *things[SHELF_THINGS];	/* last used first */
};

/* All things of a shelf are of one kind. */
void shelf_init(struct shelf *, size_t limit);

/* A thing to be released, or NULL. */
void *shelf_find(struct shelf *, void *key);

/*
 * Keeps the thing, or lets go of it if another thread was faster: what is kept
 * comes back, and is to be released.
 */
void *shelf_put(struct shelf *, const struct shelf_kind *, void *key,
    void *thing);

void shelf_clear(struct shelf *);
void shelf_free(struct shelf *);

#endif
