#include "merge/core/locks.h"

#include <stdlib.h>

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
	pthread_mutex_init(&s->heap, NULL);
	pthread_mutex_init(&s->blocks, NULL);
	pthread_mutex_init(&s->rest, NULL);
	s->kinds.conflict = UINT64_MAX;
	m->names.lock = &s->names;
	m->shared = s;
	return true;
}

static void
merge_free_workers(struct merge_worker *worker)
{
	while (worker != NULL) {
		struct merge_worker *next = worker->next_worker;

		arena_free(&worker->own_arena);
		arena_free(&worker->own_head_arena);
		arena_free(&worker->own_scratch);
		merge_head_free(&worker->own_head);
		arena_free(&worker->start.arena);
		free(worker->start.ids);
		free(worker);
		worker = next;
	}
}

void
merge_unshare(struct merge *m)
{
	struct merge_shared *s = m->shared;

	if (s == NULL)
		return;
	merge_free_workers(s->workers);
	pthread_rwlock_destroy(&s->table.lock);
	pthread_rwlock_destroy(&s->names.lock);
	for (size_t i = 0; i < MERGE_STRIPES; i++)
		pthread_mutex_destroy(&s->stripes[i]);
	pthread_mutex_destroy(&s->heap);
	pthread_mutex_destroy(&s->blocks);
	pthread_mutex_destroy(&s->rest);
	merge_kinds_free(&s->kinds);
	free(s);
	m->shared = NULL;
}

static uint64_t
merge_stripes_of(size_t entry, size_t count)
{
	size_t last = (entry + count - 1) >> STRIPE_BITS;
	uint64_t stripes = 0;

	for (size_t i = entry >> STRIPE_BITS; i <= last &&
	    stripes != UINT64_MAX; i++)
		stripes |= (uint64_t)1 << i % MERGE_STRIPES;
	return stripes;
}

void
merge_lock_stripes(struct merge_worker *worker, size_t entry, size_t count)
{
	uint64_t stripes = merge_stripes_of(entry, count);

	if ((worker->locked & stripes) == stripes)
		return;
	merge_unlock_entries(worker);
	worker->locked = stripes;
	for (; stripes != 0; stripes &= stripes - 1)
		pthread_mutex_lock(&worker->merge->shared->stripes[
		    __builtin_ctzll(stripes)]);
}

void
merge_unlock_entries(struct merge_worker *worker)
{
	for (; worker->locked != 0; worker->locked &= worker->locked - 1)
		pthread_mutex_unlock(&worker->merge->shared->stripes[
		    __builtin_ctzll(worker->locked)]);
}

void
merge_lock_blocks(struct merge_worker *worker)
{
	if (worker->merge->shared == NULL)
		return;
	merge_unlock_entries(worker);
	pthread_mutex_lock(&worker->merge->shared->blocks);
}

void
merge_unlock_blocks(struct merge_worker *worker)
{
	if (worker->merge->shared == NULL)
		return;
	merge_unlock_entries(worker);
	pthread_mutex_unlock(&worker->merge->shared->blocks);
}

void
merge_lock_rest(struct merge_worker *worker)
{
	if (worker->merge->shared == NULL)
		return;
	merge_unlock_entries(worker);
	pthread_mutex_lock(&worker->merge->shared->rest);
}

void
merge_unlock_rest(struct merge_worker *worker)
{
	if (worker->merge->shared != NULL)
		pthread_mutex_unlock(&worker->merge->shared->rest);
}

void
merge_lock_heap(struct merge_worker *worker)
{
	merge_unlock_entries(worker);
	if (worker->merge->shared != NULL)
		pthread_mutex_lock(&worker->merge->shared->heap);
	worker->heap_locked = true;
}

void
merge_unlock_heap(struct merge_worker *worker)
{
	if (worker->heap_locked && worker->merge->shared != NULL)
		pthread_mutex_unlock(&worker->merge->shared->heap);
	worker->heap_locked = false;
}
