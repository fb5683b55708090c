/* base/lock.h - a lock for many readers or one writer, which may be absent */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <pthread.h>
#include <stddef.h>

struct lock {
	pthread_rwlock_t lock;
};

/* NULL stands for data that only one thread uses: nothing is locked. */
static inline void
lock_for_reading(struct lock *l)
{
	if (l != NULL)
		pthread_rwlock_rdlock(&l->lock);
}

static inline void
lock_for_writing(struct lock *l)
{
	if (l != NULL)
		pthread_rwlock_wrlock(&l->lock);
}

static inline void
lock_release(struct lock *l)
{
	if (l != NULL)
		pthread_rwlock_unlock(&l->lock);
}

#endif
