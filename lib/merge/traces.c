#include "merge/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"

/* Compares by name, or by guid if both symbols are without name. */
static int
merge_compare_symbols(const struct prof_symbol *a, const struct prof_symbol *b)
{
	int order = prof_span_compare(a->name, b->name);

	if (order != 0 || a->name.size != 0)
		return order;
	return compare_u64(prof_symbol_guid(a), prof_symbol_guid(b));
}

int
merge_compare_traces(const void *a, const void *b)
{
	const struct prof_trace *x = a, *y = b;

	for (size_t i = 0; i < x->size && i < y->size; i++) {
		int order = merge_compare_symbols(&x->functions[i],
		    &y->functions[i]);

		if (order != 0)
			return order;
	}
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return compare_u64(x->weight, y->weight);
}

int
merge_compare_records(const struct prof_record *a, const struct prof_record *b)
{
	const struct prof_function *f = &a->u.function, *g = &b->u.function;
	int order = (a->kind > b->kind) - (a->kind < b->kind);

	if (order == 0 && a->kind == PROF_REC_FUNCTION)
		order = merge_compare_symbols(&f->symbol, &g->symbol);
	if (order == 0 && a->kind == PROF_REC_FUNCTION)
		order = compare_u64(f->hash, g->hash);
	if (order == 0 && a->kind == PROF_REC_TRACE)
		order = merge_compare_traces(&a->u.trace, &b->u.trace);
	return order;
}

enum { DIGEST = 16 };

struct merge_sampled {
	uint8_t digest[DIGEST];
	struct merge_trace trace;
};

static int
merge_compare_guids(const struct merge_trace *a, const struct merge_trace *b)
{
	int order = compare_u64(a->size, b->size);

	for (size_t i = 0; order == 0 && i < a->size; i++)
		order = compare_u64(a->guids[i], b->guids[i]);
	return order;
}

static int
merge_compare_sampled(const void *a, const void *b)
{
	const struct merge_sampled *x = a, *y = b;
	int order = memcmp(x->digest, y->digest, DIGEST);

	return order != 0 ? order : merge_compare_guids(&x->trace, &y->trace);
}

static const uint64_t *
merge_copy_guids(struct arena *a, const struct merge_trace *t)
{
	uint64_t *copy = arena_array(a, t->size, sizeof(*copy));

	if (copy != NULL && t->size != 0)
		memcpy(copy, t->guids, t->size * sizeof(*copy));
	return copy;
}

/* Moves what is kept to the front, with the weights of equal traces added. */
static void
merge_sample_fold(struct merge_sample *s)
{
	size_t n = 0;

	if (s->size != 0)
		qsort(s->list, s->size, sizeof(*s->list),
		    merge_compare_sampled);
	for (size_t i = 0; i < s->size; i++) {
		uint64_t weight = s->list[i].trace.weight;
		struct merge_sampled *last = n == 0 ? NULL : &s->list[n - 1];

		if (last != NULL &&
		    merge_compare_sampled(last, &s->list[i]) == 0)
			last->trace.weight = saturating_add(
			    last->trace.weight, weight);
		else if (n < s->limits.traces)
			s->list[n++] = s->list[i];
		else
			break;
	}
	s->size = n;
	s->full = n == s->limits.traces;
}

/* Folds the list, and frees the guids of the other traces. */
static bool
merge_sample_shrink(struct merge_sample *s)
{
	struct arena kept = { 0 };

	merge_sample_fold(s);
	for (size_t i = 0; i < s->size; i++) {
		struct merge_trace *t = &s->list[i].trace;
		const uint64_t *guids = merge_copy_guids(&kept, t);

		if (guids == NULL) {
			/* The first ones are in it. */
			s->size = 0;
			arena_free(&kept);
			return false;
		}
		t->guids = guids;
	}
	arena_free(&s->arena);
	s->arena = kept;
	return true;
}

bool
merge_sample_add(struct merge_sample *s, const struct merge_trace *t)
{
	struct merge_sampled new = { .trace = *t };
	size_t most = s->limits.traces;

	s->bytes.size = 0;
	buf_u64le(&s->bytes, t->size);
	for (size_t i = 0; i < t->size; i++)
		buf_u64le(&s->bytes, t->guids[i]);
	if (s->bytes.failed)
		return false;
	md5(s->bytes.data, s->bytes.size, new.digest);
	if (most == 0 || (s->full && memcmp(new.digest,
	    s->list[most - 1].digest, DIGEST) > 0))
		return true;
	new.trace.guids = merge_copy_guids(&s->arena, t);
	return new.trace.guids != NULL &&
	    ARRAY_ADD(s->list, s->size, s->room, new) &&
	    (s->size / 2 < most || merge_sample_shrink(s));
}

bool
merge_sample_end(struct merge_sample *s, struct merge_trace **traces,
    size_t *size, size_t *room)
{
	merge_sample_fold(s);
	if (!array_reserve(traces, *size, s->size, room, sizeof(**traces)))
		return false;
	for (size_t i = 0; i < s->size; i++)
		(*traces)[(*size)++] = s->list[i].trace;
	s->size = 0;
	return true;
}

void
merge_sample_free(struct merge_sample *s)
{
	free(s->list);
	arena_free(&s->arena);
	buf_free(&s->bytes);
}

bool
merge_sorts_traces(const struct merge *m, bool as_read)
{
	return m->profiles_with_traces > 1 || m->sample.limits.sampled ||
	    (!as_read && (m->head.sum.inputs > 1 || m->subtracted));
}
