/*
 * base/lru_cache.h - a cache of the few entries that were used last
 *
 * Entries are counted references, shared by threads.  An entry lives until the
 * last user releases it, even after the cache has evicted it.
 *
 * Which entry a caller gets depends on what other threads have put.  So facts
 * about the caller's input do not come from the making of an entry: `same`
 * stores them in the key when it has compared the input with the entry that the
 * caller gets.
 */
#ifndef BASE_LRU_CACHE_H
#define BASE_LRU_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lru_entry_ops {
	/*
	 * Whether the entry is that of the key.  If so, members of the key may
	 * be set to what relates the input to this entry; if not, none is.
	 */
	bool (*same)(const void *entry, void *key);
	size_t (*size)(const void *entry);	/* bytes that it uses */
	void (*free)(void *entry);
};

/* The first member of an entry. */
struct lru_entry {
	const struct lru_entry_ops *kind;
	unsigned users;
};

enum { LRU_CACHE_ENTRIES = 4, LRU_CACHE_NOTES = 64 };

struct lru_cache {
	size_t limit;			/* bytes; one entry always fits */
	pthread_mutex_t lock;
	size_t count;
	void *entries[LRU_CACHE_ENTRIES];	/* last used first */
	uint64_t notes[LRU_CACHE_NOTES];	/* the oldest is replaced */
	size_t noted;
};

/* One user more, and one less, in any thread.  NULL is fine. */
void lru_cache_retain(void *entry);
void lru_cache_release(void *entry);

/* All entries of a cache have the same operations. */
void lru_cache_init(struct lru_cache *, size_t limit);

/*
 * Notes the signature of a key that has no entry.  True if an entry is worth
 * making: the signature is the first of all, or among the last LRU_CACHE_NOTES
 * that were noted.
 */
bool lru_cache_note(struct lru_cache *, uint64_t signature);

/*
 * The entry of the key, to be released by the caller; or NULL.  The last call
 * of `same` that was true was for the entry that is returned.
 */
void *lru_cache_find(struct lru_cache *, void *key);

/*
 * Adds an entry, which is that of the key, and returns it; or, if another
 * thread has added one of the same key, releases this one and returns the
 * other.  To be released by the caller.  `same` was called as by
 * lru_cache_find.
 */
void *lru_cache_put(struct lru_cache *, void *key, void *entry);

void lru_cache_clear(struct lru_cache *);
void lru_cache_free(struct lru_cache *);

#endif
