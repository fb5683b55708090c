#include "merge/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"

int
merge_compare_symbols(const void *a, const void *b)
{
	const struct prof_symbol *x = a, *y = b;
	int order = prof_span_compare(x->name, y->name);

	return order != 0 ? order : compare_u64(x->guid, y->guid);
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

enum { DIGEST = 16 };

struct merge_sampled {
	uint8_t digest[DIGEST];
	struct merge_trace trace;	/* whose guids are for free() */
};

static int
merge_compare_sampled(const struct merge_sampled *x,
    const struct merge_sampled *y)
{
	const struct merge_trace *a = &x->trace, *b = &y->trace;
	int order = memcmp(x->digest, y->digest, DIGEST);

	if (order == 0)
		order = compare_u64(a->size, b->size);
	for (size_t i = 0; order == 0 && i < a->size; i++)
		order = compare_u64(a->guids[i], b->guids[i]);
	return order;
}

/* The place of a trace in the list, or where it is to be inserted. */
static size_t
merge_sample_place(const struct merge_sample *s,
    const struct merge_sampled *t)
{
	size_t low = 0, high = s->size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (merge_compare_sampled(&s->list[middle], t) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
merge_sample_add(struct merge_sample *s, const struct merge_trace *t)
{
	struct merge_sampled new = { .trace = *t };
	struct merge_trace *known;
	uint64_t *guids;
	size_t at;

	s->bytes.size = 0;
	buf_u64le(&s->bytes, t->size);
	for (size_t i = 0; i < t->size; i++)
		buf_u64le(&s->bytes, t->guids[i]);
	if (s->bytes.failed)
		return false;
	md5(s->bytes.data, s->bytes.size, new.digest);
	at = merge_sample_place(s, &new);
	if (at == s->limits.traces)
		return true;
	known = at == s->size ? NULL : &s->list[at].trace;
	if (known != NULL && merge_compare_sampled(&s->list[at], &new) == 0) {
		known->weight = saturating_add(known->weight, t->weight);
		return true;
	}
	if (!ARRAY_ROOM(s->list, s->size, s->room) ||
	    (guids = calloc(t->size + 1, sizeof(*guids))) == NULL)
		return false;
	if (t->size != 0)
		memcpy(guids, t->guids, t->size * sizeof(*guids));
	new.trace.guids = guids;
	if (s->size == s->limits.traces)
		free((void *)(uintptr_t)s->list[--s->size].trace.guids);
	memmove(&s->list[at + 1], &s->list[at],
	    (s->size++ - at) * sizeof(*s->list));
	s->list[at] = new;
	return true;
}

bool
merge_sample_end(const struct merge_sample *s, struct merge_trace **traces,
    size_t *size, size_t *room)
{
	if (!array_reserve(traces, *size, s->size, room, sizeof(**traces)))
		return false;
	for (size_t i = 0; i < s->size; i++)
		(*traces)[(*size)++] = s->list[i].trace;
	return true;
}

void
merge_sample_free(struct merge_sample *s)
{
	for (size_t i = 0; i < s->size; i++)
		free((void *)(uintptr_t)s->list[i].trace.guids);
	free(s->list);
	buf_free(&s->bytes);
}

bool
merge_sorts_traces(const struct merge *m, bool as_read)
{
	return m->profiles_with_traces > 1 || m->sample.limits.sampled ||
	    (!as_read && (m->head.sum.inputs > 1 || m->subtracted));
}
