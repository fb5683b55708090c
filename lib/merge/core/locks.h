/*
 * merge/core/locks.h - what several threads share that add to one merge
 *
 * There is one sum, and not one a thread.  With one thread there are no locks:
 * m->shared is NULL, and the functions below do nothing.  Otherwise:
 *
 * - the table of entries has a lock for readers and writers, as have the names;
 * - the contents of entries are guarded by stripes: 1024 neighbouring entries
 *   have one mutex, since a profile goes from one entry to the next, and 64
 *   mutexes serve all entries in turn.  A worker keeps a stripe locked until it
 *   needs another one;
 * - heap data, the layouts of blocks, and all rare records have one mutex each.
 *
 * Deadlocks cannot occur: stripes are locked in ascending order, all at once,
 * and a worker unlocks its stripes before it waits for any other lock, but for
 * that of the names, whose holder waits for nothing.  A worker that adds a new
 * block has the layouts and the table locked, and waits for stripes.
 */
#ifndef MERGE_CORE_LOCKS_H
#define MERGE_CORE_LOCKS_H

#include "base/lock.h"
#include "merge/core/core.h"
#include "merge/core/kinds.h"

enum { MERGE_STRIPES = 64 };

struct merge_shared {
	struct lock table;		/* entries, but not their contents */
	struct lock names;
	pthread_mutex_t stripes[MERGE_STRIPES];	/* contents of entries */
	pthread_mutex_t heap;
	pthread_mutex_t blocks;		/* m->blocks */
	pthread_mutex_t rest;		/* all else, kinds too */
	struct merge_worker *workers;
	struct merge_kinds kinds;
};

/* Gives the merge its locks, unless it has them.  False if out of memory. */
bool merge_share(struct merge *);

/* Frees the locks and the workers. */
void merge_unshare(struct merge *);

/* The lock of the table, or NULL. */
static inline struct lock *
merge_table_lock(const struct merge *m)
{
	return m->shared == NULL ? NULL : &m->shared->table;
}

/* merge_lock_entries for a merge that is shared. */
void merge_lock_stripes(struct merge_worker *, size_t entry, size_t count);

/*
 * Locks the contents of count entries; the worker's locks on other entries may
 * be released.
 */
static inline void
merge_lock_entries(struct merge_worker *worker, size_t entry, size_t count)
{
	if (worker->merge->shared != NULL)
		merge_lock_stripes(worker, entry, count);
}

void merge_unlock_entries(struct merge_worker *);

void merge_lock_blocks(struct merge_worker *);
void merge_unlock_blocks(struct merge_worker *);
void merge_lock_rest(struct merge_worker *);
void merge_unlock_rest(struct merge_worker *);

/* Heap data stays locked up to the end of the profile. */
void merge_lock_heap(struct merge_worker *);
void merge_unlock_heap(struct merge_worker *);

#endif
