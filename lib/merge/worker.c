#include "merge/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "merge/engine.h"
#include "merge/heap/heap.h"

/* Neighbours have one lock: a profile goes from one to the next. */
enum { STRIPES = 64, STRIPE_BITS = 10 };

/* What an input says of its kind, and the first that says so. */
struct claim {
	struct prof_header head;
	uint64_t number;
};

struct merge_share {
	struct lock table;		/* of entries, but not what they hold */
	struct lock names;
	pthread_mutex_t stripes[STRIPES];	/* what entries hold */
	pthread_mutex_t heap;
	pthread_mutex_t blocks;		/* where they are kept */
	pthread_mutex_t rest;		/* all else */
	struct merge_worker *feeds;
	struct claim *claims;		/* by number */
	size_t claims_size, claims_room;
	uint64_t refused;		/* UINT64_MAX: none */
	struct prof_error why;
	struct arena arena;		/* of claims */
};

static struct merge_share *
share_of(struct merge *m)
{
	struct merge_share *s = m->share;

	if (s != NULL || (s = calloc(1, sizeof(*s))) == NULL)
		return s;
	pthread_rwlock_init(&s->table.lock, NULL);
	pthread_rwlock_init(&s->names.lock, NULL);
	for (size_t i = 0; i < STRIPES; i++)
		pthread_mutex_init(&s->stripes[i], NULL);
	pthread_mutex_init(&s->heap, NULL);
	pthread_mutex_init(&s->blocks, NULL);
	pthread_mutex_init(&s->rest, NULL);
	s->refused = UINT64_MAX;
	m->names.lock = &s->names;
	m->share = s;
	return s;
}

struct merge_worker *
merge_worker_new(struct merge *m)
{
	struct merge_share *s = share_of(m);
	struct merge_worker *d = calloc(1, sizeof(*d));

	if (s == NULL || d == NULL) {
		free(d);
		return NULL;
	}
	d->merge = m;
	d->head = &d->own_head;
	d->arena = &d->own;
	d->kept = &d->own_kept;
	d->scratch = &d->own_scratch;
	d->following = s->feeds;
	s->feeds = d;
	return d;
}

void
merge_worker_begin(struct merge_worker *d, uint64_t number)
{
	d->number = number;
}

struct lock *
merge_worker_table(const struct merge *m)
{
	return m->share == NULL ? NULL : &m->share->table;
}

static uint64_t
stripes_of(size_t entry, size_t count)
{
	size_t last = (entry + count - 1) >> STRIPE_BITS;
	uint64_t stripes = 0;

	for (size_t i = entry >> STRIPE_BITS; i <= last &&
	    stripes != UINT64_MAX; i++)
		stripes |= (uint64_t)1 << i % STRIPES;
	return stripes;
}

/* In their order, so that no two threads wait for each other. */
void
merge_worker_take(struct merge_worker *d, size_t entry, size_t count)
{
	uint64_t stripes = stripes_of(entry, count);

	if ((d->held & stripes) == stripes)
		return;
	merge_worker_rest(d);
	d->held = stripes;
	for (; stripes != 0; stripes &= stripes - 1)
		pthread_mutex_lock(&d->merge->share->stripes[
		    __builtin_ctzll(stripes)]);
}

void
merge_worker_rest(struct merge_worker *d)
{
	for (; d->held != 0; d->held &= d->held - 1)
		pthread_mutex_unlock(&d->merge->share->stripes[
		    __builtin_ctzll(d->held)]);
}

void
merge_worker_lock_blocks(struct merge_worker *d)
{
	if (d->merge->share == NULL)
		return;
	merge_worker_rest(d);
	pthread_mutex_lock(&d->merge->share->blocks);
}

void
merge_worker_unlock_blocks(struct merge_worker *d)
{
	if (d->merge->share == NULL)
		return;
	merge_worker_rest(d);
	pthread_mutex_unlock(&d->merge->share->blocks);
}

void
merge_worker_lock(struct merge_worker *d)
{
	if (d->merge->share == NULL)
		return;
	merge_worker_rest(d);
	pthread_mutex_lock(&d->merge->share->rest);
}

void
merge_worker_unlock(struct merge_worker *d)
{
	if (d->merge->share != NULL)
		pthread_mutex_unlock(&d->merge->share->rest);
}

/* Contexts are too many and too small to be locked one by one. */
void
merge_worker_take_heap(struct merge_worker *d)
{
	if (d->heap)
		return;
	merge_worker_rest(d);
	if (d->merge->share != NULL)
		pthread_mutex_lock(&d->merge->share->heap);
	d->heap = true;
	merge_heap_begin(d->merge->heap, &d->head->own);
}

void
merge_worker_end(struct merge_worker *d)
{
	merge_worker_rest(d);
	if (d->heap && d->merge->share != NULL)
		pthread_mutex_unlock(&d->merge->share->heap);
	d->heap = false;
}

/* The first claim that does not mix with those before it. */
static size_t
first_misfit(const struct merge_share *s, struct prof_error *err)
{
	struct merge_head head = { 0 };
	struct arena labels = { 0 };
	size_t i = 0;

	for (; i < s->claims_size; i++) {
		if (merge_head_begin(&head, &labels, &s->claims[i].head, err)
		    != PROF_OK || merge_head_function(&head, err) != PROF_OK)
			break;
	}
	merge_head_free(&head);
	arena_free(&labels);
	return i;
}

static bool
same_claim(const struct prof_header *a, const struct prof_header *b)
{
	return a->level == b->level && a->flags == b->flags &&
	    a->frontend_first == b->frontend_first &&
	    a->frontend_last == b->frontend_last;
}

/* What of a head decides, and who it is. */
static enum prof_status
copy_head(struct merge_share *s, const struct prof_header *h,
    struct prof_header *out, struct prof_error *err)
{
	struct prof_source *to = &out->source;

	*out = (struct prof_header){ .level = h->level,
	    .flags = h->flags & PROF_BYTE_COVERAGE,
	    .frontend_first = h->frontend_first,
	    .frontend_last = h->frontend_last };
	if (h->source.file.data != NULL)
		to->file = arena_copy(&s->arena, h->source.file);
	if (h->source.member.data != NULL)
		to->member = arena_copy(&s->arena, h->source.member);
	return (h->source.file.data != NULL && to->file.data == NULL) ||
	    (h->source.member.data != NULL && to->member.data == NULL) ?
	    err_memory(err) : PROF_OK;
}

/* Puts a claim to its place; *added is false if an earlier input made it. */
static enum prof_status
add_claim(struct merge_share *s, const struct prof_header *h, uint64_t number,
    bool *added, struct prof_error *err)
{
	struct claim *claims = array_room(s->claims, s->claims_size,
	    &s->claims_room, sizeof(*claims)), own = { .number = number };
	size_t i = 0, end;

	if (claims == NULL)
		return err_memory(err);
	s->claims = claims;
	own.head = *h;
	own.head.flags &= PROF_BYTE_COVERAGE;
	while (i < s->claims_size && !same_claim(&claims[i].head, &own.head))
		i++;
	*added = i == s->claims_size || claims[i].number > number;
	if (!*added)
		return PROF_OK;
	if (copy_head(s, h, &own.head, err) != PROF_OK)
		return PROF_FAIL;
	end = i == s->claims_size ? s->claims_size++ : i;
	for (; end > 0 && claims[end - 1].number > number; end--)
		claims[end] = claims[end - 1];
	claims[end] = own;
	return PROF_OK;
}

/* A profile with functions: what does not mix from here on is known. */
static enum prof_status
note_head(struct merge_worker *d, struct prof_error *err)
{
	struct merge_share *s = d->merge->share;
	struct prof_header head = d->head->own;
	enum prof_status status;
	struct prof_error why = { 0 };
	bool added = false;
	size_t misfit;

	/* The reader has forgotten the names of the source; the label stays. */
	head.source = (struct prof_source){ .file = {
	    (const uint8_t *)d->head->current, strlen(d->head->current) } };
	merge_worker_lock(d);
	status = add_claim(s, &head, d->number, &added, err);
	if (status == PROF_OK && added) {
		misfit = first_misfit(s, &why);
		if (misfit < s->claims_size) {
			s->refused = s->claims[misfit].number;
			s->why = why;
		}
	}
	if (status == PROF_OK && s->refused <= d->number) {
		*err = s->why;
		status = PROF_FAIL;
	}
	merge_worker_unlock(d);
	return status;
}

static enum prof_status
first_function(struct merge_worker *d, struct prof_error *err)
{
	struct prof_error own = { 0 };

	if (d->merge->share == NULL)
		return merge_head_function(d->head, err);
	/* A misfit is one of all inputs, not only of this thread's. */
	merge_head_function(d->head, &own);
	if (own.code == PROF_E_MEMORY)
		return err_memory(err);
	return note_head(d, err);
}

enum prof_status
merge_worker_header(struct merge_worker *d, struct prof_error *err)
{
	return d->head->own_functions ? PROF_OK : first_function(d, err);
}

static void
remove_claim(struct merge_share *s, uint64_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->claims_size; i++) {
		if (s->claims[i].number != number)
			s->claims[kept++] = s->claims[i];
	}
	s->claims_size = kept;
}

enum prof_status
merge_worker_claim(struct merge_worker *d, const struct prof_header *h,
    bool functions, struct prof_error *err)
{
	struct merge_share *s = d->merge->share;
	enum prof_status status;
	bool added = false;

	if (!functions)
		return PROF_OK;
	merge_worker_lock(d);
	status = add_claim(s, h, d->number, &added, err);
	if (status == PROF_OK && added &&
	    first_misfit(s, err) < s->claims_size) {
		remove_claim(s, d->number);
		status = PROF_FAIL;
	}
	merge_worker_unlock(d);
	return status;
}

uint64_t
merge_worker_refused(struct merge *m, struct prof_error *why)
{
	struct merge_share *s = m->share;
	uint64_t refused;

	if (s == NULL)
		return UINT64_MAX;
	pthread_mutex_lock(&s->rest);
	refused = s->refused;
	*why = s->why;
	pthread_mutex_unlock(&s->rest);
	return refused;
}

enum prof_status
merge_worker_join(struct merge *m, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct merge_worker *d = m->share == NULL ? NULL : m->share->feeds;

	for (; d != NULL && status == PROF_OK; d = d->following) {
		status = merge_head_join(&m->head, &m->kept, d->head, err);
		arena_free(d->scratch);
	}
	return status;
}

void
merge_worker_free(struct merge *m)
{
	struct merge_share *s = m->share;
	struct merge_worker *d, *next;

	if (s == NULL)
		return;
	for (d = s->feeds; d != NULL; d = next) {
		next = d->following;
		arena_free(&d->own);
		arena_free(&d->own_kept);
		arena_free(&d->own_scratch);
		merge_head_free(&d->own_head);
		free(d);
	}
	pthread_rwlock_destroy(&s->table.lock);
	pthread_rwlock_destroy(&s->names.lock);
	for (size_t i = 0; i < STRIPES; i++)
		pthread_mutex_destroy(&s->stripes[i]);
	pthread_mutex_destroy(&s->heap);
	pthread_mutex_destroy(&s->blocks);
	pthread_mutex_destroy(&s->rest);
	arena_free(&s->arena);
	free(s->claims);
	free(s);
	m->share = NULL;
}
