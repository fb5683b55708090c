#include "config.h"

#include <stdlib.h>

#include "base/error.h"
#include "plan/plan.h"

static uint64_t
plan_member_number(const struct plan_input *input)
{
	return input->content == NULL ? 0 : input->content->number;
}

static int
compare_plan_inputs(const void *a, const void *b)
{
	const struct plan_input *x = a, *y = b;
	int order = prof_span_compare(x->path, y->path);

	return order != 0 ? order : compare_u64(plan_member_number(x),
	    plan_member_number(y));
}

static int
compare_plan_places(const void *a, const void *b)
{
	return compare_plan_inputs(*(struct plan_input *const *)a,
	    *(struct plan_input *const *)b);
}

/* Moves each input to the place of the pointer to it, cycle by cycle. */
static void
plan_move_inputs(struct plan_input *inputs, struct plan_input **order,
    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct plan_input first = inputs[i];
		size_t to = i, from;

		while ((from = (size_t)(order[to] - inputs)) != i) {
			inputs[to] = inputs[from];
			order[to] = &inputs[to];
			to = from;
		}
		inputs[to] = first;
		order[to] = &inputs[to];
	}
}

/* qsort would take the memory of all inputs once more; pointers are smaller. */
enum prof_status
plan_sort(struct plan_input *inputs, size_t n, size_t *repeated,
    struct prof_error *err)
{
	struct plan_input **order = calloc(n + 1, sizeof(*order));
	size_t i = 1;

	if (order == NULL)
		return err_memory(err);
	for (size_t k = 0; k < n; k++)
		order[k] = &inputs[k];
	qsort(order, n, sizeof(*order), compare_plan_places);
	plan_move_inputs(inputs, order, n);
	free(order);
	while (i < n && compare_plan_inputs(&inputs[i - 1], &inputs[i]) != 0)
		i++;
	*repeated = i < n ? i : n;
	return PROF_OK;
}

/* To open an input takes about as long as to read so many bytes. */
enum { SPLIT_OPENING = 4096 };

static uint64_t
split_weight(const struct plan_input *input)
{
	return input->size < UINT64_MAX - SPLIT_OPENING ?
	    input->size + SPLIT_OPENING : UINT64_MAX;
}

/* The product n * k / of without overflow, for k up to `of`. */
static uint64_t
split_share(uint64_t n, uint64_t k, uint64_t of)
{
	return n / of * k + (uint64_t)((double)(n % of) / (double)of *
	    (double)k);
}

/* Where the shard ends that begins at `from`: its middle input is the limit. */
static size_t
split_end_of_share(const struct plan_input *inputs, size_t from, size_t last,
    uint64_t *seen, uint64_t goal)
{
	size_t i = from;

	while (i < last && (i == from ||
	    *seen + split_weight(&inputs[i]) / 2 <= goal))
		*seen += split_weight(&inputs[i++]);
	return i;
}

static void
split_by_shards(const struct plan_input *inputs, size_t n, size_t shards,
    size_t *ends)
{
	uint64_t all = 0, seen = 0;
	size_t from = 0;

	for (size_t i = 0; i < n; i++)
		all += split_weight(&inputs[i]);
	for (size_t k = 1; k <= shards; k++) {
		/* Each shard behind this one needs an input. */
		from = k == shards ? n : split_end_of_share(inputs, from,
		    n - (shards - k), &seen, split_share(all, k, shards));
		ends[k - 1] = from;
	}
}

static size_t
split_by_limits(const struct plan_input *inputs, size_t n,
    const struct plan_split *how, size_t *ends)
{
	size_t shards = 0, from = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		bool full = how->count != 0 ? i - from == how->count :
		    inputs[i].size > how->bytes ||
		    bytes > how->bytes - inputs[i].size;

		if (i != from && full) {
			ends[shards++] = from = i;
			bytes = 0;
		}
		bytes += inputs[i].size;
	}
	ends[shards++] = n;
	return shards;
}

enum prof_status
plan_split(const struct plan_input *inputs, size_t n,
    const struct plan_split *how, size_t **ends, size_t *shards,
    struct prof_error *err)
{
	uint64_t all = 0;

	if (n == 0)
		return err_set(err, PROF_E_LIMIT, "no input to plan");
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(all, split_weight(&inputs[i]), &all))
			return err_set(err, PROF_E_LIMIT, "the sizes of the "
			    "inputs exceed 64 bits");
	}
	if (how->shards > n)
		return err_set(err, PROF_E_LIMIT, "%llu shards for %zu inputs: "
		    "each shard needs one", ull(how->shards), n);
	*ends = calloc(n, sizeof(**ends));
	if (*ends == NULL)
		return err_memory(err);
	*shards = (size_t)how->shards;
	if (how->shards != 0)
		split_by_shards(inputs, n, *shards, *ends);
	else
		*shards = split_by_limits(inputs, n, how, *ends);
	return PROF_OK;
}
