/* Temporal traces: a reservoir as that of InstrProfWriter.cpp. */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { DEFAULT_SEED = 5489 };

void
traces_start(struct trace_reservoir *r, uint64_t size, uint64_t max_length)
{
	*r = (struct trace_reservoir){ .size = size,
	    .max_length = max_length };
	mt19937_seed(&r->random, DEFAULT_SEED);
}

static bool
trace_set_append(struct trace_set *s, struct prof_trace t)
{
	return ARRAY_ADD(s->traces, s->size, s->room, t);
}

bool
traces_add(struct trace_reservoir *r, const struct prof_trace *t,
    uint64_t weight)
{
	size_t size = t->size > r->max_length ? (size_t)r->max_length :
	    t->size;
	struct prof_symbol *copy = arena_array(&r->arena, size,
	    sizeof(*copy));

	if (copy == NULL)
		return false;
	if (size == 0)
		return true;
	for (size_t i = 0; i < size; i++) {
		copy[i] = t->functions[i];
		if (copy[i].name.data == NULL)
			continue;
		copy[i].name = arena_copy(&r->arena, copy[i].name);
		if (copy[i].name.data == NULL)
			return false;
	}
	return trace_set_append(&r->source, (struct prof_trace){ weight, copy,
	    size });
}

/*
 * A number from 0 to max: std::uniform_int_distribution of libstdc++ over a
 * generator of 32 bits.  A larger max is that of a damaged profile: the result
 * is then past the sample, which stays as it is.
 */
static uint64_t
reservoir_draw(struct trace_reservoir *r, uint64_t max)
{
	uint32_t range = (uint32_t)max + 1;
	uint64_t product;

	if (max >= UINT32_MAX)
		return max;
	product = (uint64_t)mt19937_next(&r->random) * range;
	if ((uint32_t)product < range) {
		uint32_t least = -range % range;

		while ((uint32_t)product < least)
			product = (uint64_t)mt19937_next(&r->random) * range;
	}
	return product >> 32;
}

/* llvm::shuffle. */
static void
reservoir_shuffle(struct trace_reservoir *r, struct prof_trace *t, size_t size)
{
	for (; size > 1; t++, size--) {
		size_t other = mt19937_next(&r->random) % size;
		struct prof_trace first = t[0];

		t[0] = t[other];
		t[other] = first;
	}
}

/* Samples as if this stream alone had filled the reservoir. */
static bool
reservoir_sample_source(struct trace_reservoir *r)
{
	struct trace_set *from = &r->source, *to = &r->sample;
	size_t i = 0;

	if (to->size > r->size)
		to->size = (size_t)r->size;
	while (to->size < r->size && i < from->size) {
		if (!trace_set_append(to, from->traces[i++]))
			return false;
	}
	reservoir_shuffle(r, from->traces + i, from->size - i);
	for (uint64_t k = to->size; k < from->seen && i < from->size; k++) {
		uint64_t place = reservoir_draw(r, k);

		if (place < to->size)
			to->traces[place] = from->traces[i++];
	}
	to->seen += from->seen;
	return true;
}

bool
traces_end(struct trace_reservoir *r, uint64_t seen)
{
	/* No stream has as many traces: a larger number is damage. */
	enum { MOST = 1 << 26 };
	bool done;

	if (r->source.size == 0)
		return true;
	r->source.seen = seen > MOST ? MOST : seen;
	done = reservoir_sample_source(r);
	r->source.size = 0;
	return done;
}

void
traces_free(struct trace_reservoir *r)
{
	arena_free(&r->arena);
	free(r->sample.traces);
	free(r->source.traces);
}
