#include "merge/worker.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "merge/heap.h"
#include "merge/state.h"
#include "model/record.h"

struct merge *
merge_new(prof_warn *warn, void *warn_arg)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->warn = warn;
	m->warn_arg = warn_arg;
	m->main_worker = (struct merge_worker){ .merge = m,
	    .arena = &m->arena, .scratch = &m->scratch };
	return m;
}

struct merge *
merge_sum_of_functions(struct prof_error *err)
{
	static const struct prof_header head;
	struct merge *m = merge_new(NULL, NULL);

	if (m == NULL)
		err_memory(err);
	else if (merge_head_begin(&m->head, &m->head_arena,
	    &m->main_worker.profile, &head, err) == PROF_OK)
		return m;
	merge_sum_free(m);
	return NULL;
}

size_t
merge_sum_memory(const struct merge *m)
{
	return arena_size(&m->arena) +
	    m->size * (sizeof(struct merge_entry) +
	    sizeof(struct merge_entry *)) +
	    m->index.slot_count * sizeof(*m->index.slots) +
	    symtab_memory(&m->names);
}

void
merge_sum_clear(struct merge *m)
{
	struct lock *lock = m->names.lock;

	merge_table_free(m);
	merge_blocks_free(m->blocks);
	arena_free(&m->arena);
	symtab_free(&m->names);
	m->names.lock = lock;
	m->blocks = NULL;
	m->main_worker.next = 0;
	m->names_unlisted = m->names_came = false;
}

void
merge_sum_free(struct merge *m)
{
	if (m == NULL)
		return;
	if (m->sample.limits.sampled)
		merge_sample_free(&m->sample);
	merge_unshare(m);
	merge_sum_clear(m);
	free(m->traces);
	arena_free(&m->head_arena);
	arena_free(&m->scratch);
	free(m->head.kinds);
	arena_free(&m->main_worker.profile.label_arena);
	symtab_free(&m->build_ids);
	symtab_free(&m->vtables);
	free(m);
}

struct merge_worker *
merge_worker_new(struct merge *m)
{
	bool shared = merge_share(m);
	struct merge_worker *worker = calloc(1, sizeof(*worker));

	if (!shared || worker == NULL) {
		free(worker);
		return NULL;
	}
	worker->merge = m;
	worker->arena = &worker->own_arena;
	worker->scratch = &worker->own_scratch;
	worker->next_worker = m->shared->workers;
	m->shared->workers = worker;
	return worker;
}

void
merge_worker_begin(struct merge_worker *worker, uint64_t number)
{
	worker->number = number;
}

void
merge_worker_end(struct merge_worker *worker)
{
	merge_worker_release(worker);
	if (worker->heap_locked)
		merge_unlock(worker, MERGE_HEAP);
	worker->heap_locked = false;
}

uint64_t
merge_first_refused(struct merge *m, struct prof_error *why)
{
	struct merge_shared *s = m->shared;
	uint64_t refused;

	if (s == NULL)
		return UINT64_MAX;
	pthread_mutex_lock(&s->mutexes[MERGE_REST]);
	refused = merge_head_refused(&m->head);
	*why = m->head.reason;
	pthread_mutex_unlock(&s->mutexes[MERGE_REST]);
	return refused;
}

/* Addresses belong to one run of the program and are dropped. */
static bool
merge_add_vtable(struct merge_worker *worker, const struct prof_vtable *v)
{
	struct merge *m = worker->merge;
	uint64_t guid = prof_symbol_guid(&v->symbol);
	struct prof_symbol *s;
	bool listed;

	/* Without a name, guid 0 stands for that of the empty name. */
	if (guid == 0)
		guid = prof_guid((struct prof_span){ NULL, 0 });
	if (!symtab_add(&m->vtables, (struct prof_span){ NULL, 0 }, guid))
		return false;
	s = &m->vtables.symbols[symtab_find(&m->vtables, guid, NULL)];
	if (s->name.data == NULL && v->symbol.name.data != NULL) {
		s->name = arena_copy(&m->head_arena, v->symbol.name);
		if (s->name.data == NULL)
			return false;
	}
	lock_for_writing(m->names.lock);
	listed = s->name.data == NULL || symtab_add(&m->names, s->name, guid);
	lock_release(m->names.lock);
	return listed;
}

/*
 * Names of functions that limits take from the traces stay known, as those of
 * records `name` do: other profiles may have their guids only.
 */
static bool
merge_add_trace(struct merge_worker *worker, const struct prof_trace *t,
    const struct merge_factor *w)
{
	struct merge *m = worker->merge;
	const struct merge_trace_limits *limits = &m->sample.limits;
	struct arena *a = limits->sampled ? worker->scratch : &m->head_arena;
	struct merge_trace new = { .weight = merge_weigh(w, t->weight),
	    .size = limits->length != 0 && limits->length < t->size ?
	    (size_t)limits->length : t->size };
	uint64_t *guids;

	if (limits->sampled)
		arena_reset(a);
	guids = arena_array(a, t->size, sizeof(*guids));
	if (guids == NULL)
		return false;
	for (size_t i = 0; i < t->size; i++) {
		guids[i] = prof_symbol_guid(&t->functions[i]);
		if (!merge_add_name(&m->names, worker->arena,
		    t->functions[i].name, guids[i], NULL))
			return false;
	}
	if (worker->profile.traces++ == 0)
		m->profiles_with_traces++;
	if (limits->sampled || new.size < t->size)
		m->names_came = true;
	new.guids = guids;
	return limits->sampled ? merge_sample_add(&m->sample, &new) :
	    ARRAY_ADD(m->traces, m->traces_size, m->traces_room, new);
}

/* Records so few that one mutex for all of them delays nobody. */
static enum prof_status
merge_add_rare_record(struct merge_worker *worker, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	struct merge *m = worker->merge;
	bool added = true;

	merge_lock(worker, MERGE_REST);
	switch (r->kind) {
	case PROF_REC_BINARY:
		added = merge_add_name(&m->build_ids, &m->head_arena,
		    r->u.build_id, prof_guid(r->u.build_id), NULL);
		break;
	case PROF_REC_VTABLE:
		added = merge_add_vtable(worker, &r->u.vtable);
		break;
	case PROF_REC_TRACE:
		added = merge_add_trace(worker, &r->u.trace, w);
		break;
	case PROF_REC_NAME:
		/* The name of a guid that other records may have. */
		m->names_came = true;
		added = merge_add_name(&m->names, worker->arena, r->u.name,
		    prof_guid(r->u.name), NULL);
		break;
	default:
		m->unknown_records++;
	}
	merge_unlock(worker, MERGE_REST);
	return added ? PROF_OK : err_memory(err);
}

/*
 * Contexts are too many and too small for locks of their own: a worker has all
 * heap data for itself from the first such record of a profile to its end.
 */
static enum prof_status
merge_add_heap_record(struct merge_worker *worker, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	struct merge *m = worker->merge;

	if (!worker->heap_locked) {
		merge_lock(worker, MERGE_HEAP);
		worker->heap_locked = true;
		if (m->heap == NULL)
			m->heap = merge_heap_new();
		if (m->heap == NULL)
			return err_memory(err);
		merge_heap_begin(m->heap, &worker->profile.head);
	}
	return merge_heap_add(m->heap, r, w, err);
}

static enum prof_status
merge_begin_profile(struct merge_worker *worker, const struct prof_header *h,
    struct prof_error *err)
{
	struct merge *m = worker->merge;
	enum prof_status status;

	worker->next = 0;
	merge_worker_end(worker);
	merge_lock(worker, MERGE_REST);
	status = merge_head_begin(&m->head, &m->head_arena, &worker->profile,
	    h, err);
	merge_unlock(worker, MERGE_REST);
	return status;
}

enum prof_status
merge_worker_add(struct merge_worker *worker, const struct prof_record *r,
    const struct merge_factor *weight, struct prof_error *err)
{
	const struct merge_factor *w = weight == NULL ? &merge_unscaled :
	    weight;

	/* The account of a part is not that of a sum. */
	if (r->kind == PROF_REC_OTHER && is_account_line(r->u.other))
		return PROF_OK;
	switch (r->kind) {
	case PROF_REC_PROFILE:
		return merge_begin_profile(worker, &r->u.profile, err);
	case PROF_REC_RAW_COUNTERS:
		return record_refuse_counters(err);
	case PROF_REC_FUNCTION:
		return merge_add_function(worker, &r->u.function, w, err);
	case PROF_REC_BLOCK:
		return merge_add_block(worker, &r->u.block, w, err);
	case PROF_REC_END:
		merge_lock(worker, MERGE_REST);
		merge_head_end(&worker->merge->head, &worker->profile);
		merge_unlock(worker, MERGE_REST);
		if (worker->heap_locked)
			merge_heap_end(worker->merge->heap);
		merge_worker_end(worker);
		return PROF_OK;
	default:
		return heap_has_kind(r->kind) ?
		    merge_add_heap_record(worker, r, w, err) :
		    merge_add_rare_record(worker, r, w, err);
	}
}
