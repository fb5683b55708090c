#include "merge/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
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
	s->kinds.conflict = UINT64_MAX;
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
		arena_free(&worker->own_head_arena);
		arena_free(&worker->own_scratch);
		merge_head_free(&worker->own_head);
		arena_free(&worker->start.arena);
		free(worker->start.ids);
		free(worker);
	}
	pthread_rwlock_destroy(&s->table.lock);
	pthread_rwlock_destroy(&s->names.lock);
	for (size_t i = 0; i < MERGE_STRIPES; i++)
		pthread_mutex_destroy(&s->stripes[i]);
	for (size_t i = 0; i < MERGE_MUTEXES; i++)
		pthread_mutex_destroy(&s->mutexes[i]);
	arena_free(&s->kinds.arena);
	free(s->kinds.kinds);
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

static bool
merge_same_constraints(const struct merge_constraints *a,
    const struct merge_constraints *b)
{
	return a->level.label == b->level.label &&
	    a->coverage.label == b->coverage.label &&
	    a->hash_rule == b->hash_rule &&
	    a->frontend_first == b->frontend_first &&
	    a->frontend_last == b->frontend_last;
}

/* Inserts a kind whose label is the caller's.  False if out of memory. */
static bool
merge_insert_kind(struct merge_kinds *kinds, size_t at,
    const struct prof_header *h, const char *label, uint64_t number)
{
	struct prof_span copy = arena_copy(&kinds->arena, (struct prof_span){
	    (const uint8_t *)label, strlen(label) + 1 });
	struct merge_kind *place;

	if (copy.data == NULL ||
	    !ARRAY_ROOM(kinds->kinds, kinds->size, kinds->room))
		return false;
	place = &kinds->kinds[at];
	memmove(place + 1, place, (kinds->size++ - at) * sizeof(*place));
	*place = (struct merge_kind){ .head = { .level = h->level,
	    .flags = h->flags & PROF_BYTE_COVERAGE,
	    .frontend_first = h->frontend_first,
	    .frontend_last = h->frontend_last },
	    .label = (const char *)copy.data, .number = number };
	return true;
}

/*
 * Updates the constraints of the kinds from `at` on.  If one conflicts, the
 * kinds behind it do not matter, because their inputs are refused, too.
 */
static void
merge_follow_kinds(struct merge_kinds *kinds, size_t at)
{
	struct merge_constraints all = { .frontend_first = 0 };
	struct prof_error reason = { 0 };

	if (at != 0)
		all = kinds->kinds[at - 1].all;
	for (; at < kinds->size; at++) {
		struct merge_kind *k = &kinds->kinds[at];

		if (merge_constrain(&all, &k->head, k->label, &reason) !=
		    PROF_OK) {
			kinds->conflict = k->number;
			kinds->reason = reason;
			kinds->size = at + 1;
			return;
		}
		k->all = all;
	}
}

/*
 * Notes a kind of an input before the one that is refused, unless the inputs
 * before it have the same constraints.
 */
static enum prof_status
merge_add_kind(struct merge_kinds *kinds, const struct prof_header *h,
    const char *label, uint64_t number, struct prof_error *err)
{
	struct merge_constraints all = { .frontend_first = 0 }, before;
	struct prof_error conflict = { 0 };
	size_t at = kinds->size;

	/* Inputs come nearly in order. */
	while (at != 0 && kinds->kinds[at - 1].number > number)
		at--;
	if (at != 0)
		all = kinds->kinds[at - 1].all;
	before = all;
	if (merge_constrain(&all, h, label, &conflict) == PROF_OK &&
	    merge_same_constraints(&all, &before))
		return PROF_OK;
	if (!merge_insert_kind(kinds, at, h, label, number))
		return err_memory(err);
	merge_follow_kinds(kinds, at);
	return PROF_OK;
}

enum prof_status
merge_note_function(struct merge_worker *worker, struct prof_error *err)
{
	struct merge_head *head = worker->head;
	struct prof_error own = { 0 };
	enum prof_status status = PROF_OK;
	struct merge_kinds *kinds;

	if (head->own_functions)
		return PROF_OK;
	if (worker->merge->shared == NULL)
		return merge_head_function(head, err);
	/* A conflict in this worker's head is found among all kinds, too. */
	merge_head_function(head, &own);
	if (own.code == PROF_E_MEMORY)
		return err_memory(err);
	kinds = &worker->merge->shared->kinds;
	merge_lock(worker, MERGE_REST);
	if (worker->number < kinds->conflict)
		status = merge_add_kind(kinds, &head->own, head->label,
		    worker->number, err);
	if (status == PROF_OK && kinds->conflict <= worker->number) {
		*err = kinds->reason;
		status = PROF_FAIL;
	}
	merge_unlock(worker, MERGE_REST);
	return status;
}
