#include "ops/limit.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Index of the first counter above max, or counts_size. */
static size_t
limit_first_above(const struct prof_function *f, uint64_t max)
{
	size_t i = prof_is_pseudo(f) ? 1 : 0;

	while (i < f->counts_size && f->counts[i] <= max)
		i++;
	return i;
}

static enum prof_status
limit_clamp(struct limit *l, struct prof_function *f, struct prof_error *err)
{
	uint64_t *counts = arena_array(&l->arena, f->counts_size,
	    sizeof(*counts));

	if (counts == NULL)
		return err_memory(err);
	for (size_t i = 0; i < f->counts_size; i++) {
		counts[i] = f->counts[i] < l->max_count ? f->counts[i] :
		    l->max_count;
	}
	if (prof_is_pseudo(f))
		counts[0] = f->counts[0];
	f->counts = counts;
	return PROF_OK;
}

enum prof_status
limit_function(struct limit *l, struct prof_function *f,
    struct prof_error *err)
{
	static const char *const done[] = {
		[LIMIT_DROP] = "dropped", [LIMIT_CLAMP] = "clamped",
		[LIMIT_FAIL] = "not accepted",
	};
	struct prof_error warning = { .code = PROF_E_LIMIT };
	char name[ERR_NAME_SIZE];
	size_t i;

	i = limit_first_above(f, l->max_count);
	if (i == f->counts_size)
		return PROF_OK;
	snprintf(warning.reason, sizeof(warning.reason), "%s, hash 0x%016llx: "
	    "counter %zu is %llu, above %llu: %s",
	    err_name(name, f->symbol.name), (unsigned long long)f->hash, i,
	    (unsigned long long)f->counts[i],
	    (unsigned long long)l->max_count, done[l->action]);
	if (l->action == LIMIT_FAIL)
		return err_repeat(err, &warning);
	if (l->warn != NULL)
		l->warn(l->warn_arg, &warning);
	if (l->action == LIMIT_DROP)
		return PROF_END;
	arena_reset(&l->arena);
	return limit_clamp(l, f, err);
}
