#include "base/lru_cache.h"

#include <string.h>

void
lru_cache_retain(void *entry)
{
	struct lru_entry *t = entry;

	if (t != NULL)
		__atomic_add_fetch(&t->users, 1, __ATOMIC_RELAXED);
}

void
lru_cache_release(void *entry)
{
	struct lru_entry *t = entry;

	if (t != NULL && __atomic_sub_fetch(&t->users, 1, __ATOMIC_ACQ_REL) ==
	    0)
		t->kind->free(t);
}

static const struct lru_entry_ops *
lru_entry_ops_of(const void *entry)
{
	const struct lru_entry *t = entry;

	return t->kind;
}

void
lru_cache_init(struct lru_cache *s, size_t limit)
{
	*s = (struct lru_cache){ .limit = limit };
	pthread_mutex_init(&s->lock, NULL);
}

/* Moves entry i to the front; i == count inserts a new one. */
static void
lru_cache_move_to_front(struct lru_cache *s, size_t i, void *entry)
{
	memmove(s->entries + 1, s->entries, i * sizeof(*s->entries));
	s->entries[0] = entry;
}

void *
lru_cache_find(struct lru_cache *s, void *key)
{
	void *entries[LRU_CACHE_ENTRIES], *found = NULL;
	size_t count;

	/* Comparing takes long: it is done without the lock. */
	pthread_mutex_lock(&s->lock);
	count = s->count;
	memcpy(entries, s->entries, sizeof(entries));
	for (size_t i = 0; i < count; i++)
		lru_cache_retain(entries[i]);
	pthread_mutex_unlock(&s->lock);
	for (size_t i = 0; i < count; i++) {
		if (found == NULL &&
		    lru_entry_ops_of(entries[i])->same(entries[i], key))
			found = entries[i];
		else
			lru_cache_release(entries[i]);
	}
	if (found != NULL) {
		pthread_mutex_lock(&s->lock);
		for (size_t i = 0; i < s->count; i++) {
			if (s->entries[i] == found)
				lru_cache_move_to_front(s, i, found);
		}
		pthread_mutex_unlock(&s->lock);
	}
	return found;
}

bool
lru_cache_note(struct lru_cache *s, uint64_t signature)
{
	size_t count;
	bool known = false, worth;

	pthread_mutex_lock(&s->lock);
	count = s->noted < LRU_CACHE_NOTES ? s->noted : LRU_CACHE_NOTES;
	for (size_t i = 0; i < count && !known; i++)
		known = s->notes[i] == signature;
	worth = known || s->noted == 0;
	if (!known)
		s->notes[s->noted++ % LRU_CACHE_NOTES] = signature;
	pthread_mutex_unlock(&s->lock);
	return worth;
}

static size_t
lru_cache_size(const struct lru_cache *s)
{
	size_t size = 0;

	for (size_t i = 0; i < s->count; i++)
		size += lru_entry_ops_of(s->entries[i])->size(s->entries[i]);
	return size;
}

void *
lru_cache_put(struct lru_cache *s, void *key, void *entry)
{
	const struct lru_entry_ops *ops = lru_entry_ops_of(entry);
	void *kept = NULL;

	/* The key is to describe this entry, unless another is found below. */
	ops->same(entry, key);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->count && kept == NULL; i++) {
		if (ops->same(s->entries[i], key))
			kept = s->entries[i];
	}
	if (kept != NULL) {
		lru_cache_release(entry);
	} else {
		kept = entry;
		if (s->count == LRU_CACHE_ENTRIES)
			lru_cache_release(s->entries[--s->count]);
		lru_cache_move_to_front(s, s->count++, entry);
		while (s->count > 1 && lru_cache_size(s) > s->limit)
			lru_cache_release(s->entries[--s->count]);
	}
	lru_cache_retain(kept);
	pthread_mutex_unlock(&s->lock);
	return kept;
}

void
lru_cache_clear(struct lru_cache *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->count > 0)
		lru_cache_release(s->entries[--s->count]);
	s->noted = 0;
	pthread_mutex_unlock(&s->lock);
}

void
lru_cache_free(struct lru_cache *s)
{
	lru_cache_clear(s);
	pthread_mutex_destroy(&s->lock);
}
