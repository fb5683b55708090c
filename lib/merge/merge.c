#include "merge/merge.h"

#include "base/error.h"
#include "merge/core/core.h"
#include "merge/core/correlated.h"
#include "merge/functions/function.h"
#include "merge/functions/sum.h"
#include "merge/heap/heap.h"
#include "merge/spill/spill.h"
#include "merge/worker.h"

struct merge *
merge_new(prof_warn *warn, void *warn_arg)
{
	struct merge *m = merge_sum_new(warn, warn_arg);

	if (m == NULL)
		return NULL;
	m->heap = merge_heap_new();
	if (m->heap != NULL)
		return m;
	merge_sum_free(m);
	return NULL;
}

void
merge_free(struct merge *m)
{
	if (m == NULL)
		return;
	merge_heap_free(m->heap);
	merge_spill_free(m->spill);
	merge_sum_free(m);
}

enum prof_status
merge_add(struct merge *m, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	if (merge_worker_add(&m->main_worker, r, w, err) != PROF_OK)
		return PROF_FAIL;
	return m->spill == NULL ? PROF_OK : merge_spill_check(m, err);
}

enum prof_status
merge_mixes(const struct merge *m, const struct prof_header *h,
    bool functions, struct prof_error *err)
{
	return merge_head_mixes(&m->head, h, functions, err);
}

void
merge_values_as_arrived(struct merge *m, enum value_sort sort)
{
	m->value_sort = sort;
}

void
merge_limit_traces(struct merge *m, const struct merge_trace_limits *limits)
{
	m->sample.limits = *limits;
}

struct merge_losses
merge_losses(const struct merge *m)
{
	return m->losses;
}

bool
merge_has_profile(const struct merge *m)
{
	return m->head.any || m->correlated_size != 0;
}

void
merge_next_input(struct merge *m)
{
	m->input++;
}

enum prof_status
merge_spill_to(struct merge *m, size_t bytes, const struct merge_files *files,
    struct prof_error *err)
{
	return merge_spill_begin(m, bytes, files, err);
}

enum prof_status
merge_subtract(struct merge *m, struct merge *less, struct prof_error *err)
{
	/* Heap data of several inputs has no absolute addresses. */
	uint64_t least = merge_heap_profiles(m->heap) != 0 ? 2 : 1;

	if (merge_head_subtract(&m->head, &less->head, least, err) != PROF_OK)
		return PROF_FAIL;
	if (merge_heap_profiles(less->heap) != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "heap data cannot be "
		    "subtracted: its minima and maxima would not change");
	m->subtracted = true;
	merge_correlated_subtract(m, less);
	if (merge_has_spilled(m)) {
		merge_spill_subtract(m, less);
		return PROF_OK;
	}
	for (size_t i = 0; i < m->size; i++)
		merge_subtract_entry(merge_entry_at(m, i), less);
	return PROF_OK;
}
