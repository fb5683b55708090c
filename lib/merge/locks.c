#include "merge/state.h"

#include <stdlib.h>

#include "base/arena.h"
#include "merge/worker.h"

enum { STRIPE_BITS = 10 };		/* 1024 entries in a row */

bool
merge_share(struct merge *m)
{
	struct merge_shared *s = m->shared;

	if (s != NULL)
		return true;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return false;
	pthread_rwlock_init(&s->table.lock, NULL);
	pthread_rwlock_init(&s->names.lock, NULL);
	for (size_t i = 0; i < MERGE_STRIPES; i++)
		pthread_mutex_init(&s->stripes[i], NULL);
	for (size_t i = 0; i < MERGE_MUTEXES; i++)
		pthread_mutex_init(&s->mutexes[i], NULL);
	m->names.lock = &s->names;
	m->shared = s;
	return true;
}

void
merge_unshare(struct merge *m)
{
	struct merge_shared *s = m->shared;

	if (s == NULL)
		return;
	for (struct merge_worker *worker = s->workers, *next; worker != NULL;
	    worker = next) {
		next = worker->next_worker;
		arena_free(&worker->own_arena);
		arena_free(&worker->own_scratch);
		arena_free(&worker->profile.label_arena);
		free(worker);
	}
	pthread_rwlock_destroy(&s->table.lock);
	pthread_rwlock_destroy(&s->names.lock);
	for (size_t i = 0; i < MERGE_STRIPES; i++)
		pthread_mutex_destroy(&s->stripes[i]);
	for (size_t i = 0; i < MERGE_MUTEXES; i++)
		pthread_mutex_destroy(&s->mutexes[i]);
	free(s);
	m->shared = NULL;
}

void
merge_lock_stripes(struct merge_worker *worker, size_t entry, size_t count)
{
	size_t last = (entry + count - 1) >> STRIPE_BITS;
	uint64_t stripes = 0;

	for (size_t i = entry >> STRIPE_BITS; i <= last &&
	    stripes != UINT64_MAX; i++)
		stripes |= (uint64_t)1 << i % MERGE_STRIPES;
	if ((worker->locked & stripes) == stripes)
		return;
	merge_worker_release(worker);
	worker->locked = stripes;
	for (; stripes != 0; stripes &= stripes - 1)
		pthread_mutex_lock(&worker->merge->shared->stripes[
		    __builtin_ctzll(stripes)]);
}

void
merge_worker_release(struct merge_worker *worker)
{
	for (; worker->locked != 0; worker->locked &= worker->locked - 1)
		pthread_mutex_unlock(&worker->merge->shared->stripes[
		    __builtin_ctzll(worker->locked)]);
}

void
merge_lock(struct merge_worker *worker, enum merge_mutex which)
{
	merge_worker_release(worker);
	if (worker->merge->shared != NULL)
		pthread_mutex_lock(&worker->merge->shared->mutexes[which]);
}

void
merge_unlock(struct merge_worker *worker, enum merge_mutex which)
{
	merge_worker_release(worker);
	if (worker->merge->shared != NULL)
		pthread_mutex_unlock(&worker->merge->shared->mutexes[which]);
}

enum prof_status
merge_note_function(struct merge_worker *worker, struct prof_error *err)
{
	struct merge_profile *p = &worker->profile;
	struct merge *m = worker->merge;
	enum prof_status status;

	if (p->functions)
		return PROF_OK;
	p->functions = true;
	merge_lock(worker, MERGE_REST);
	status = merge_head_function(&m->head, &m->head_arena, p,
	    worker->number, err);
	merge_unlock(worker, MERGE_REST);
	return status;
}
