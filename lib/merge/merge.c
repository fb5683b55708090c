#include "merge/merge.h"

#include <stdlib.h>

#include "base/error.h"
#include "merge/check.h"
#include "merge/heap.h"
#include "merge/state.h"
#include "merge/worker.h"
#include "model/heap.h"
#include "model/record.h"

void
merge_free(struct merge *m)
{
	if (m == NULL)
		return;
	if (m->heap != NULL)
		merge_heap_free(m->heap);
	if (m->spill != NULL)
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
	return m->head.any;
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
	if (merge_has_spilled(m)) {
		merge_spill_subtract(m, less);
		return PROF_OK;
	}
	for (size_t i = 0; i < m->size; i++)
		merge_subtract_entry(merge_entry_at(m, i), less);
	return PROF_OK;
}

struct merge_check {
	bool ids_first;
	bool begun;			/* the ids of the profile have ended */
	struct heap_refs refs;
};

struct merge_check *
merge_check_new(bool ids_first)
{
	struct merge_check *k = calloc(1, sizeof(*k));

	if (k != NULL)
		k->ids_first = ids_first;
	return k;
}

enum prof_status
merge_check_late_id(struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "a binary id after other records "
	    "comes too late for --group-by");
}

enum prof_status
merge_check_add(struct merge_check *k, const struct prof_record *r,
    struct prof_error *err)
{
	bool late = k->begun && r->kind == PROF_REC_BINARY;

	/* It is not added (merge/worker.c). */
	if (r->kind == PROF_REC_OTHER && is_account_line(r->u.other))
		return PROF_OK;
	if (r->kind == PROF_REC_PROFILE)
		heap_refs_begin(&k->refs, r->u.profile.inputs);
	if (r->kind == PROF_REC_RAW_COUNTERS)
		return record_refuse_counters(err);
	if (heap_refs_check(&k->refs, r, err) != PROF_OK)
		return PROF_FAIL;
	if (r->kind == PROF_REC_PROFILE)
		k->begun = false;
	else if (r->kind != PROF_REC_BINARY)
		k->begun = true;
	return late && k->ids_first ? merge_check_late_id(err) : PROF_OK;
}

void
merge_check_free(struct merge_check *k)
{
	if (k == NULL)
		return;
	heap_refs_free(&k->refs);
	free(k);
}

static enum prof_status
merge_put_binaries(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	size_t n = m->build_ids.size;
	struct prof_span *ids = calloc(n + 1, sizeof(*ids));
	enum prof_status status = PROF_OK;

	if (ids == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		ids[i] = m->build_ids.symbols[i].name;
	prof_span_sort(ids, n);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_BINARY, .u.build_id = ids[i] }, err);
	free(ids);
	return status;
}

static enum prof_status
merge_put_vtables(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	size_t n = m->vtables.size;
	struct prof_symbol *s = calloc(n + 1, sizeof(*s));
	enum prof_status status = PROF_OK;

	if (s == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		s[i] = m->vtables.symbols[i].name.data != NULL ?
		    m->vtables.symbols[i] :
		    merge_symbol(m, m->vtables.symbols[i].guid);
	qsort(s, n, sizeof(*s), merge_compare_symbols);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = merge_put(m, w, &(struct prof_record){
		    .kind = PROF_REC_VTABLE, .u.vtable.symbol = s[i] }, err);
	free(s);
	return status;
}

static enum prof_status
merge_put_traces(const struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct arena a = { 0 };
	struct prof_trace *t = arena_array(&a, m->traces_size, sizeof(*t));
	enum prof_status status = t == NULL ? err_memory(err) : PROF_OK;

	for (size_t i = 0; i < m->traces_size && status == PROF_OK; i++) {
		const struct merge_trace *from = &m->traces[i];
		struct prof_symbol *functions = arena_array(&a, from->size,
		    sizeof(*functions));

		if (functions == NULL) {
			status = err_memory(err);
			break;
		}
		for (size_t k = 0; k < from->size; k++)
			functions[k] = merge_symbol(m, from->guids[k]);
		t[i] = (struct prof_trace){ from->weight, functions,
		    from->size };
	}
	if (status == PROF_OK && merge_sorts_traces(m, o->traces_as_read))
		qsort(t, m->traces_size, sizeof(*t), merge_compare_traces);
	for (size_t i = 0; i < m->traces_size && status == PROF_OK; i++)
		status = merge_put(m, w, &(struct prof_record){
		    .kind = PROF_REC_TRACE, .u.trace = t[i] }, err);
	arena_free(&a);
	return status;
}

/* Names of functions, vtables and targets that no record put has. */
static enum prof_status
merge_put_names(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	struct merge_names *names = m->record_names;
	enum prof_status status = PROF_OK;
	struct prof_span *list;
	size_t n;

	if (names == NULL)
		return PROF_OK;
	list = merge_names_unshown(names, merge_has_spilled(m) ? &names->lost :
	    &m->names, &n);
	if (list == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_NAME, .u.name = list[i] }, err);
	free(list);
	return status;
}

static enum prof_status
merge_put_heap(struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	uint64_t saturated;
	enum prof_status status;

	if (m->heap == NULL)
		return PROF_OK;
	status = merge_heap_write(m->heap, o->heap_as_read, w, &saturated,
	    err);
	m->losses.overflows += saturated;
	if (saturated != 0)
		merge_warn(m, "heap data: blocks with counts at their limits: "
		    "%llu", (unsigned long long)saturated);
	return status;
}

/* Functions and traces; the entries are in the order of the options. */
static enum prof_status
merge_put_sum(struct merge *m, struct merge_entry **sorted,
    const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	struct merge_notes notes = { 0 };
	enum prof_status status = merge_has_spilled(m) ?
	    merge_spill_put_functions(m, o, &notes, w, err) :
	    merge_put_entries(m, sorted, o, w, err);

	if (status == PROF_OK)
		status = merge_put_traces(m, o, w, err);
	if (status == PROF_OK && merge_has_spilled(m))
		merge_report(m, &notes);
	return status;
}

static enum prof_status
merge_put_all(struct merge *m, struct merge_entry **sorted,
    const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE };

	r.u.profile = merge_head_sum(&m->head);
	r.u.profile.folded = merge_heap_is_folded(m->heap, o->heap_as_read);
	return prof_put(w, &r, err) == PROF_OK &&
	    merge_put_binaries(m, w, err) == PROF_OK &&
	    merge_put_vtables(m, w, err) == PROF_OK &&
	    merge_put_sum(m, sorted, o, w, err) == PROF_OK &&
	    merge_put_names(m, w, err) == PROF_OK &&
	    merge_put_heap(m, o, w, err) == PROF_OK ?
	    prof_put(w, &(struct prof_record){ .kind = PROF_REC_END }, err) :
	    PROF_FAIL;
}

/* Whether the sum can be put; what was spilled is made ready for it. */
static enum prof_status
merge_check_output(struct merge *m, struct prof_error *err)
{
	if (!merge_has_profile(m))
		return err_set(err, PROF_E_FORMAT, ERR_NO_PROFILE);
	return merge_has_spilled(m) ? merge_spill_end(m, err) : PROF_OK;
}

/*
 * Whether names may be known that no record of the output has.  What spilled
 * records lose is not known before they are put.
 */
static bool
merge_may_lose_names(const struct merge *m, const struct merge_output *o,
    const struct merge_notes *notes)
{
	bool lost = o->sparse || m->names_came || m->subtracted ||
	    merge_has_spilled(m) || notes->losses.mismatches != 0;

	return lost && !o->targets_by_guid;
}

enum prof_status
merge_write(struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct merge_notes notes = { 0 };
	struct merge_names names = { .lost = { 0 } };
	enum prof_status status;
	struct merge_entry **sorted;
	bool by_guid;			/* names are looked up */

	if (m->sample.limits.sampled) {
		/* Traces that were kept of all are put as others are. */
		if (m->head.sum.trace_stream_size != 0)
			m->head.sum.has_trace_stream_size = true;
		if (!merge_sample_end(&m->sample, &m->traces,
		    &m->traces_size, &m->traces_room))
			return err_memory(err);
	}
	if (merge_check_output(m, err) != PROF_OK)
		return PROF_FAIL;
	/* Vtables and traces are put by names, as are targets mostly. */
	by_guid = m->nameless_came || !o->targets_by_guid ||
	    m->traces_size != 0 || m->vtables.size != 0;
	if (by_guid && !merge_table_list_names(m))
		return err_memory(err);
	if (m->nameless_came)
		merge_table_name_entries(m, &m->names);
	sorted = o->as_arrived ? merge_entries_as_arrived(m) :
	    merge_entries_sorted(m);
	if (sorted == NULL)
		return err_memory(err);
	for (size_t i = 0; i < m->size; i++)
		merge_note(&notes, sorted[i]);
	if (!merge_has_spilled(m))
		merge_report(m, &notes);
	m->settles = m->subtracted || m->head.sum.inputs > 1;
	m->record_names = merge_may_lose_names(m, o, &notes) ? &names : NULL;
	status = merge_put_all(m, sorted, o, w, err);
	m->record_names = NULL;
	merge_names_free(&names);
	free(sorted);
	return status;
}
