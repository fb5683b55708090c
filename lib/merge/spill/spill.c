#include "merge/spill/spill.h"

#include <stdlib.h>

#include "base/error.h"
#include "merge/core/table.h"
#include "merge/functions/class.h"
#include "merge/functions/entries.h"
#include "merge/functions/sum.h"
#include "merge/spill/batch.h"
#include "merge/spill/state.h"
#include "model/value_sites.h"

enum prof_status
merge_spill_begin(struct merge *m, size_t bytes,
    const struct merge_files *files, struct prof_error *err)
{
	struct merge_spill *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return err_memory(err);
	s->files = files;
	s->limit = bytes;
	s->nameless = merge_sum_of_functions(err);
	s->functions = (struct merge_runs){ .files = files,
	    .functions = true, .fold = merge_batch_fold, .arg = m };
	m->spill = s;
	return s->nameless == NULL ? PROF_FAIL : PROF_OK;
}

void
merge_spill_free(struct merge_spill *s)
{
	if (s == NULL)
		return;
	merge_runs_free(&s->functions);
	merge_run_free(s->traces);
	merge_sum_free(s->nameless);
	symtab_free(&s->wanted);
	arena_free(&s->arena);
	free(s);
}

bool
merge_has_spilled(const struct merge *m)
{
	return m->spill != NULL && m->spill->any;
}

void
merge_spill_subtract(struct merge *m, struct merge *less)
{
	m->spill->less = less;
}

static bool
merge_want_name(struct merge_spill *s, uint64_t guid)
{
	static const struct prof_span unknown = { NULL, 0 };
	size_t before = s->wanted.size;

	if (guid == 0)
		return true;
	if (!symtab_add(&s->wanted, unknown, guid))
		return false;
	s->unnamed += s->wanted.size - before;
	return true;
}

/* Targets without name, whose names may be in another run. */
static bool
merge_want_targets(struct merge_spill *s, const struct prof_function *f)
{
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	while ((v = value_next_target(&walk, f->values)) != NULL) {
		if (v->name.data == NULL && !merge_want_name(s, v->value))
			return false;
	}
	return true;
}

/*
 * The place of a function without name in the order of names is not known yet:
 * the function stays in memory.
 */
static enum prof_status
merge_keep_nameless(struct merge_spill *s, const struct merge_entry *e,
    const struct prof_record *r, struct prof_error *err)
{
	struct merge_entry *sum;

	if (!merge_want_name(s, e->guid))
		return err_memory(err);
	if (merge_batch_add(s->nameless, &r->u.function, err) != PROF_OK)
		return PROF_FAIL;
	sum = merge_table_find(s->nameless, e->guid, e->hash);
	sum->conflict = sum->conflict || e->conflict;
	if (e->saturated && merge_entry_fits(sum, &r->u.function))
		sum->saturated = true;
	return PROF_OK;
}

static enum prof_status
merge_spill_entry(struct merge *m, const struct merge_entry *e,
    struct merge_run *run, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct prof_record r;

	if (merge_entry_record(m, e, &r, err) != PROF_OK)
		return PROF_FAIL;
	if (!merge_want_targets(s, &r.u.function))
		return err_memory(err);
	return e->name.size == 0 ? merge_keep_nameless(s, e, &r, err) :
	    merge_batch_put(run, e, &r, err);
}

/*
 * Whether records were dropped, or names came alone: names that other runs may
 * want are in no record of this run.
 */
static bool
merge_lost_names(const struct merge *m)
{
	if (m->names_came)
		return true;
	for (size_t i = 0; i < m->size; i++) {
		if (merge_entry_at(m, i)->conflict)
			return true;
	}
	return false;
}

/* Ends a run and adds it; frees it on failure, also on an earlier one. */
static enum prof_status
merge_end_run(struct merge_spill *s, struct merge_run *run,
    enum prof_status status, struct prof_error *err)
{
	if (status == PROF_OK && merge_run_end(run, err) == PROF_OK)
		return merge_runs_add(&s->functions, run, err);
	merge_run_free(run);
	return PROF_FAIL;
}

static enum prof_status
merge_spill_functions(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct merge_entry **sorted = merge_entries_sorted(m);
	struct merge_run *run = NULL;
	enum prof_status status = PROF_OK;

	if (sorted == NULL)
		return err_memory(err);
	run = merge_run_new(s->files, true, err);
	if (run == NULL)
		status = PROF_FAIL;
	for (size_t i = 0; i < m->size && status == PROF_OK; i++)
		status = merge_spill_entry(m, sorted[i], run, err);
	if (status == PROF_OK && merge_lost_names(m))
		status = merge_batch_put_names(run, &m->names, err);
	free(sorted);
	return merge_end_run(s, run, status, err);
}

static enum prof_status
merge_spill_trace(struct merge *m, const struct merge_trace *t,
    struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct prof_record r = { .kind = PROF_REC_TRACE };
	struct prof_symbol *functions;

	arena_reset(&m->scratch);
	functions = arena_array(&m->scratch, t->size, sizeof(*functions));
	if (functions == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->size; i++) {
		functions[i] = merge_symbol(m, t->guids[i]);
		if (functions[i].name.data == NULL &&
		    !merge_want_name(s, t->guids[i]))
			return err_memory(err);
	}
	r.u.trace = (struct prof_trace){ t->weight, functions, t->size };
	return merge_run_put(s->traces, &r, err);
}

/*
 * Traces are spilled in the order they came: their canonical order is that of
 * names, which may not be known yet.
 */
static enum prof_status
merge_spill_traces(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;

	if (m->traces_size != 0 && s->traces == NULL)
		s->traces = merge_run_new(s->files, false, err);
	if (m->traces_size != 0 && s->traces == NULL)
		return PROF_FAIL;
	for (size_t i = 0; i < m->traces_size; i++) {
		if (merge_spill_trace(m, &m->traces[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
merge_spill_all(struct merge *m, struct prof_error *err)
{
	m->spill->any = true;
	if (!merge_table_list_names(m))
		return err_memory(err);
	if (merge_spill_traces(m, err) != PROF_OK ||
	    ((m->size != 0 || m->names_came) &&
	    merge_spill_functions(m, err) != PROF_OK))
		return PROF_FAIL;
	merge_sum_clear(m);
	return PROF_OK;
}

enum prof_status
merge_spill_check(struct merge *m, struct prof_error *err)
{
	return merge_sum_memory(m) <= m->spill->limit ? PROF_OK :
	    merge_spill_all(m, err);
}

/*
 * Functions whose names were found come in the order of names, the others
 * before all names.
 */
static enum prof_status
merge_spill_nameless(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	struct merge_run *run = merge_run_new(s->files, true, err);
	enum prof_status status;

	if (run == NULL)
		return PROF_FAIL;
	status = merge_batch_spill(s->nameless, run, err);
	return merge_end_run(s, run, status, err);
}

enum prof_status
merge_spill_end(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;

	if (merge_spill_all(m, err) != PROF_OK ||
	    (s->traces != NULL && merge_run_end(s->traces, err) != PROF_OK))
		return PROF_FAIL;
	for (size_t i = 0; i < m->vtables.size; i++) {
		if (m->vtables.symbols[i].name.data == NULL &&
		    !merge_want_name(s, m->vtables.symbols[i].guid))
			return err_memory(err);
	}
	if (merge_spill_names(m, err) != PROF_OK ||
	    (s->nameless->size != 0 && merge_spill_nameless(m, err) != PROF_OK))
		return PROF_FAIL;
	m->spilled_names = &s->wanted;
	return merge_runs_narrow(&s->functions, err);
}
