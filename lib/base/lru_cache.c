#include "base/lru_cache.h"

#include <string.h>

void
lru_cache_hold(void *thing)
{
	struct lru_entry *t = thing;

	if (t != NULL)
		__atomic_add_fetch(&t->users, 1, __ATOMIC_RELAXED);
}

void
lru_cache_release(void *thing)
{
	struct lru_entry *t = thing;

	if (t != NULL && __atomic_sub_fetch(&t->users, 1, __ATOMIC_ACQ_REL) ==
	    0)
		t->kind->free(t);
}

static const struct lru_kind *
kind_of(const void *thing)
{
	const struct lru_entry *t = thing;

	return t->kind;
}

void
lru_cache_init(struct lru_cache *s, size_t limit)
{
	*s = (struct lru_cache){ .limit = limit };
	pthread_mutex_init(&s->lock, NULL);
}

/* Puts a thing to the front, from place i or from outside. */
static void
move_to_front(struct lru_cache *s, size_t i, void *thing)
{
	memmove(s->things + 1, s->things, i * sizeof(*s->things));
	s->things[0] = thing;
}

static void
used_again(struct lru_cache *s, void *thing)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->things[i] == thing)
			move_to_front(s, i, thing);
	}
}

void *
lru_cache_find(struct lru_cache *s, void *key)
{
	void *things[SHELF_THINGS], *found = NULL;
	size_t count;

	/* Comparing takes time in which others need not wait. */
	pthread_mutex_lock(&s->lock);
	count = s->count;
	memcpy(things, s->things, sizeof(things));
	for (size_t i = 0; i < count; i++)
		lru_cache_hold(things[i]);
	pthread_mutex_unlock(&s->lock);
	for (size_t i = 0; i < count; i++) {
		if (found == NULL && kind_of(things[i])->same(things[i], key))
			found = things[i];
		else
			lru_cache_release(things[i]);
	}
	if (found != NULL) {
		pthread_mutex_lock(&s->lock);
		used_again(s, found);
		pthread_mutex_unlock(&s->lock);
	}
	return found;
}

static size_t
size_of(const struct lru_cache *s)
{
	size_t size = 0;

	for (size_t i = 0; i < s->count; i++)
		size += kind_of(s->things[i])->size(s->things[i]);
	return size;
}

void *
lru_cache_put(struct lru_cache *s, void *key, void *thing)
{
	void *kept = NULL;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->count && kept == NULL; i++) {
		if (kind_of(thing)->same(s->things[i], key))
			kept = s->things[i];
	}
	if (kept != NULL) {
		lru_cache_release(thing);
	} else {
		kept = thing;
		if (s->count == SHELF_THINGS)
			lru_cache_release(s->things[--s->count]);
		move_to_front(s, s->count++, thing);
		while (s->count > 1 && size_of(s) > s->limit)
			lru_cache_release(s->things[--s->count]);
	}
	lru_cache_hold(kept);
	pthread_mutex_unlock(&s->lock);
	return kept;
}

void
lru_cache_clear(struct lru_cache *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->count > 0)
		lru_cache_release(s->things[--s->count]);
	pthread_mutex_unlock(&s->lock);
}

void
lru_cache_free(struct lru_cache *s)
{
	lru_cache_clear(s);
	pthread_mutex_destroy(&s->lock);
}
