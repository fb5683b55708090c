#include "base/lru_cache.h"

#include <string.h>

void
shelf_hold(void *thing)
{
	struct shelf_thing *t = thing;

	if (t != NULL)
		__atomic_add_fetch(&t->users, 1, __ATOMIC_RELAXED);
}

void
shelf_release(void *thing)
{
	struct shelf_thing *t = thing;

	if (t != NULL && __atomic_sub_fetch(&t->users, 1, __ATOMIC_ACQ_REL) ==
	    0)
		t->kind->free(t);
}

static const struct shelf_kind *
kind_of(const void *thing)
{
	const struct shelf_thing *t = thing;

	return t->kind;
}

void
shelf_init(struct shelf *s, size_t limit)
{
	*s = (struct shelf){ .limit = limit };
	pthread_mutex_init(&s->lock, NULL);
}

/* Puts a thing to the front, from place i or from outside. */
static void
move_to_front(struct shelf *s, size_t i, void *thing)
{
	memmove(s->things + 1, s->things, i * sizeof(*s->things));
	s->things[0] = thing;
}

static void
used_again(struct shelf *s, void *thing)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->things[i] == thing)
			move_to_front(s, i, thing);
	}
}

void *
shelf_find(struct shelf *s, void *key)
{
	void *things[SHELF_THINGS], *found = NULL;
	size_t count;

	/* Comparing takes time in which others need not wait. */
	pthread_mutex_lock(&s->lock);
	count = s->count;
	memcpy(things, s->things, sizeof(things));
	for (size_t i = 0; i < count; i++)
		shelf_hold(things[i]);
	pthread_mutex_unlock(&s->lock);
	for (size_t i = 0; i < count; i++) {
		if (found == NULL && kind_of(things[i])->same(things[i], key))
			found = things[i];
		else
			shelf_release(things[i]);
	}
	if (found != NULL) {
		pthread_mutex_lock(&s->lock);
		used_again(s, found);
		pthread_mutex_unlock(&s->lock);
	}
	return found;
}

static size_t
size_of(const struct shelf *s)
{
	size_t size = 0;

	for (size_t i = 0; i < s->count; i++)
		size += kind_of(s->things[i])->size(s->things[i]);
	return size;
}

void *
shelf_put(struct shelf *s, void *key, void *thing)
{
	void *kept = NULL;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->count && kept == NULL; i++) {
		if (kind_of(thing)->same(s->things[i], key))
			kept = s->things[i];
	}
	if (kept != NULL) {
		shelf_release(thing);
	} else {
		kept = thing;
		if (s->count == SHELF_THINGS)
			shelf_release(s->things[--s->count]);
		move_to_front(s, s->count++, thing);
		while (s->count > 1 && size_of(s) > s->limit)
			shelf_release(s->things[--s->count]);
	}
	shelf_hold(kept);
	pthread_mutex_unlock(&s->lock);
	return kept;
}

void
shelf_clear(struct shelf *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->count > 0)
		shelf_release(s->things[--s->count]);
	pthread_mutex_unlock(&s->lock);
}

void
shelf_free(struct shelf *s)
{
	shelf_clear(s);
	pthread_mutex_destroy(&s->lock);
}
