/*
 * Sums of correlated profiles.
 *
 * The counters of a correlated profile have no functions before prof-symbolize
 * finds these in the binary.  Profiles of the same binaries, by their ids, have
 * the same counters in the same order, and are added up; the sums of other
 * binaries stay apart, each a profile of its own.  So do those of the same ids
 * whose numbers of counters or attributes differ, or formats: prof-symbolize
 * reads the records of a binary as the version of the raw profile says.
 *
 * Counters saturate as those of functions do.  The bytes of byte coverage are 0
 * where code was executed, so that the smaller of two stays (compiler-rt,
 * InstrProfilingMerge.c); a weight changes no such byte.
 */
#include "merge/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/record.h"

enum { CORRELATED = PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED };

enum prof_status
merge_correlated_check(struct merge_profile_state *s,
    const struct prof_record *r, struct prof_error *err)
{
	if (r->kind == PROF_REC_PROFILE) {
		*s = (struct merge_profile_state){
		    .waits = (r->u.profile.flags & CORRELATED) != 0,
		    .temporal = (r->u.profile.flags & PROF_TEMPORAL) != 0 };
		return PROF_OK;
	}
	if (r->kind == PROF_REC_RAW_COUNTERS) {
		if (!s->waits)
			return err_set(err, PROF_E_CORRUPT, "raw counters "
			    "after other records, or of a profile that is not "
			    "correlated");
		if (!s->has_id || s->temporal)
			return err_set(err, PROF_E_UNSUPPORTED, "a correlated "
			    "profile with%s cannot be added: run "
			    "prof-symbolize first",
			    !s->has_id ? "out binary id" : " time stamps");
		s->waits = false;
		s->ended = true;
		return PROF_OK;
	}
	if (s->ended)
		return r->kind == PROF_REC_END ? PROF_OK : err_set(err,
		    PROF_E_UNSUPPORTED, "a correlated profile with other "
		    "records: run prof-symbolize first");
	s->has_id = r->kind == PROF_REC_BINARY;
	s->waits = s->waits && s->has_id;
	return PROF_OK;
}

enum { WORDS = 10 };

/* What a sum has in common with its profiles, but for ids and format. */
static void
correlated_words(const struct merge_correlated *s, uint64_t words[WORDS])
{
	const struct prof_header *h = &s->kind;
	const uint64_t own[WORDS] = { s->ids_size, h->level, h->flags,
	    h->frontend_first, h->frontend_last, h->source.version,
	    h->source.endian, h->source.pointer_bits, s->counts_size,
	    s->bitmap_size };

	memcpy(words, own, sizeof(own));
}

/* The order of sums; 0 if they are of the same binaries, kind and size. */
static int
correlated_compare(const struct merge_correlated *a,
    const struct merge_correlated *b)
{
	uint64_t x[WORDS], y[WORDS];
	int order = prof_span_compare(span_of_text(a->kind.source.format),
	    span_of_text(b->kind.source.format));

	correlated_words(a, x);
	correlated_words(b, y);
	for (size_t i = 0; order == 0 && i < a->ids_size && i < b->ids_size;
	    i++)
		order = prof_span_compare(a->ids[i], b->ids[i]);
	for (size_t i = 0; i < WORDS && order == 0; i++)
		order = compare_u64(x[i], y[i]);
	return order;
}

static int
correlated_compare_places(const void *a, const void *b)
{
	const struct merge_correlated *const *x = a, *const *y = b;

	return correlated_compare(*x, *y);
}

static uint64_t
correlated_hash(const struct merge_correlated *s, uint64_t seed)
{
	uint64_t hash = hash_span(seed, span_of_text(s->kind.source.format));
	uint64_t words[WORDS];

	correlated_words(s, words);
	for (size_t i = 0; i < WORDS; i++)
		hash = hash_mix(hash, words[i]);
	for (size_t i = 0; i < s->ids_size; i++)
		hash = hash_span(hash, s->ids[i]);
	return hash;
}

struct correlated_lookup {
	const struct merge *m;
	const struct merge_correlated *key;
};

static bool
correlated_same(const void *arg, uint32_t item)
{
	const struct correlated_lookup *l = arg;

	return correlated_compare(l->m->correlated[item], l->key) == 0;
}

/* A sum of nothing, like `key`; NULL if out of memory. */
static struct merge_correlated *
correlated_new(const struct merge_correlated *key, struct arena *a)
{
	struct merge_correlated *s = calloc(1, sizeof(*s));
	bool covered = key->kind.flags & PROF_BYTE_COVERAGE;

	if (s == NULL)
		return NULL;
	*s = *key;
	s->ids = arena_array(a, key->ids_size, sizeof(*s->ids));
	s->counts = arena_array(a, key->counts_size, sizeof(*s->counts));
	s->bitmap = arena_array(a, key->bitmap_size, 1);
	for (size_t i = 0; s->ids != NULL && i < key->ids_size; i++) {
		s->ids[i] = arena_copy(a, key->ids[i]);
		if (s->ids[i].data == NULL)
			s->ids = NULL;
	}
	if (s->ids == NULL || s->counts == NULL || s->bitmap == NULL) {
		free(s);
		return NULL;
	}
	memset(s->bitmap, 0, key->bitmap_size);
	for (size_t i = 0; i < key->counts_size; i++)
		s->counts[i] = covered ? UINT64_MAX : 0;
	return s;
}

/* The sum that the profile is to be added to; NULL if out of memory. */
static struct merge_correlated *
correlated_sum(struct merge *m, const struct merge_profile_start *p,
    const struct prof_raw_counters *c)
{
	const struct prof_header *h = &p->header;
	/* What profiles of one sum share: how binaries are read, too. */
	struct merge_correlated key = { .kind = { .level = h->level,
	    .flags = h->flags & ~(unsigned)PROF_SALVAGED,
	    .frontend_first = h->frontend_first,
	    .frontend_last = h->frontend_last,
	    .source = { .format = prof_format_name(h->source.format),
		.version = h->source.version, .endian = h->source.endian,
		.pointer_bits = h->source.pointer_bits } },
	    .ids = p->ids, .ids_size = p->ids_size,
	    .counts_size = c->counts_size, .bitmap_size = c->bitmap.size };
	struct hash_index *index = &m->correlated_index;
	struct hash_index_slot *slot;
	struct merge_correlated *s;
	uint64_t hash;

	if (!ARRAY_ROOM(m->correlated, m->correlated_size,
	    m->correlated_room) ||
	    !hash_index_reserve(index, m->correlated_size + 1))
		return NULL;
	hash = correlated_hash(&key, index->seed);
	slot = hash_index_slot(index, hash, correlated_same,
	    &(struct correlated_lookup){ m, &key });
	if (slot->item != 0)
		return m->correlated[slot->item - 1];
	s = correlated_new(&key, &m->head_arena);
	if (s == NULL)
		return NULL;
	hash_index_fill(index, slot, hash);
	m->correlated[m->correlated_size++] = s;
	return s;
}

static void
correlated_add_counts(struct merge_correlated *s,
    const struct prof_raw_counters *c, const struct merge_factor *w)
{
	bool covered = s->kind.flags & PROF_BYTE_COVERAGE;

	for (size_t i = 0; i < c->counts_size; i++) {
		uint64_t sum = saturating_add(s->counts[i],
		    merge_weigh(w, c->counts[i]));

		if (covered)
			sum = c->counts[i] < s->counts[i] ? c->counts[i] :
			    s->counts[i];
		else if (sum > PROF_COUNT_MAX) {
			sum = PROF_COUNT_MAX;
			s->saturated = true;
		}
		s->counts[i] = sum;
	}
	for (size_t i = 0; i < c->bitmap.size; i++)
		s->bitmap[i] |= c->bitmap.data[i];
}

static enum prof_status
correlated_add(struct merge_worker *worker, const struct prof_raw_counters *c,
    const struct merge_factor *w, struct prof_error *err)
{
	struct merge_profile_start *p = &worker->start;
	struct merge *m = worker->merge;
	struct merge_correlated *s;
	enum prof_status status;

	p->ids_size = prof_span_unique(p->ids, p->ids_size);
	merge_lock(worker, MERGE_REST);
	s = correlated_sum(m, p, c);
	status = s == NULL ? err_memory(err) : merge_head_begin(&s->head,
	    &m->head_arena, &worker->profile, &p->header, err);
	if (status == PROF_OK)
		status = merge_head_function(&s->head, &m->head_arena,
		    &worker->profile, worker->number, err);
	if (status == PROF_OK)
		correlated_add_counts(s, c, w);
	merge_unlock(worker, MERGE_REST);
	return status;
}

enum prof_status
merge_correlated_take(struct merge_worker *worker, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	struct merge_profile_start *p = &worker->start;
	bool waited = p->state.waits;
	struct prof_span id;

	p->late = false;
	if (merge_correlated_check(&p->state, r, err) != PROF_OK)
		return PROF_FAIL;
	if (r->kind == PROF_REC_PROFILE) {
		arena_reset(&p->arena);
		p->ids_size = 0;
		p->correlated = p->state.waits;
		if (!p->correlated)
			return PROF_END;
		/* Whether there are raw counters is not known yet. */
		p->header = r->u.profile;
		return record_copy(&p->arena, PROF_REC_PROFILE, &p->header) ?
		    PROF_OK : err_memory(err);
	}
	if (r->kind == PROF_REC_RAW_COUNTERS)
		return correlated_add(worker, &r->u.raw_counters, w, err);
	if (p->state.ended)
		return PROF_OK;
	if (p->state.waits) {
		id = arena_copy(&p->arena, r->u.build_id);
		return id.data != NULL && ARRAY_ADD(p->ids, p->ids_size,
		    p->ids_room, id) ? PROF_OK : err_memory(err);
	}
	p->late = waited;
	p->correlated = false;
	return PROF_END;
}

void
merge_correlated_subtract(struct merge *m, const struct merge *less)
{
	const struct hash_index *index = &less->correlated_index;
	struct prof_error none = { 0 };

	for (size_t k = 0; k < m->correlated_size; k++) {
		struct merge_correlated *s = m->correlated[k];
		const struct merge_correlated *l;
		uint32_t found = hash_index_find(index,
		    correlated_hash(s, index->seed), correlated_same,
		    &(struct correlated_lookup){ less, s });

		if (found == INDEX_NONE)
			continue;
		l = less->correlated[found];
		if (merge_head_subtract(&s->head, &l->head, 1, &none) !=
		    PROF_OK || s->kind.flags & PROF_BYTE_COVERAGE)
			continue;
		for (size_t i = 0; i < s->counts_size; i++)
			s->counts[i] -= l->counts[i] < s->counts[i] ?
			    l->counts[i] : s->counts[i];
	}
}

static enum prof_status
correlated_put(const struct merge_correlated *s, struct prof_writer *w,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE };

	r.u.profile = merge_head_sum(&s->head);
	r.u.profile.source = s->kind.source;
	if (prof_put(w, &r, err) != PROF_OK)
		return PROF_FAIL;
	r.kind = PROF_REC_BINARY;
	for (size_t i = 0; i < s->ids_size; i++) {
		r.u.build_id = s->ids[i];
		if (prof_put(w, &r, err) != PROF_OK)
			return PROF_FAIL;
	}
	r.kind = PROF_REC_RAW_COUNTERS;
	r.u.raw_counters = (struct prof_raw_counters){ s->counts,
	    s->counts_size, { s->bitmap, s->bitmap_size } };
	if (prof_put(w, &r, err) != PROF_OK)
		return PROF_FAIL;
	r.kind = PROF_REC_END;
	return prof_put(w, &r, err);
}

/* Sorts the sums; none is looked up any more. */
static void
correlated_sort(struct merge *m)
{
	hash_index_seal(&m->correlated_index);
	if (m->correlated_size != 0)
		qsort(m->correlated, m->correlated_size,
		    sizeof(*m->correlated), correlated_compare_places);
}

const char *
merge_correlated_label(struct merge *m)
{
	correlated_sort(m);
	return m->correlated[0]->head.kinds[0].label;
}

enum prof_status
merge_correlated_put(struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	uint64_t saturated = 0;

	correlated_sort(m);
	for (size_t i = 0; i < m->correlated_size && status == PROF_OK; i++) {
		saturated += m->correlated[i]->saturated;
		status = correlated_put(m->correlated[i], w, err);
	}
	m->losses.overflows += saturated;
	if (saturated != 0)
		merge_warn(m, "in %llu correlated profiles, counters are at "
		    "their limit", (unsigned long long)saturated);
	return status;
}

void
merge_correlated_free(struct merge *m)
{
	arena_free(&m->main_worker.start.arena);
	free(m->main_worker.start.ids);
	for (size_t i = 0; i < m->correlated_size; i++) {
		free(m->correlated[i]->head.kinds);
		free(m->correlated[i]);
	}
	free(m->correlated);
	hash_index_free(&m->correlated_index);
}
