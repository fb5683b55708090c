/* Finds names that are missing in one run and are in another. */
#include "base/error.h"
#include "merge/core/table.h"
#include "merge/spill/state.h"
#include "model/value_sites.h"

/* Names a wanted guid, unless it has a name. */
static enum prof_status
merge_supply_name(struct merge_spill *s, uint64_t guid, struct prof_span name,
    struct prof_error *err)
{
	struct prof_span *to;
	size_t i;

	if (name.size == 0 || s->unnamed == 0)
		return PROF_OK;
	i = symtab_find(&s->wanted, guid, NULL);
	if (i == SYMTAB_NONE)
		return PROF_OK;
	to = &s->wanted.symbols[i].name;
	if (to->data != NULL)
		return PROF_OK;
	*to = arena_copy(&s->arena, name);
	s->unnamed--;
	return to->data == NULL ? err_memory(err) : PROF_OK;
}

static enum prof_status
merge_supply_names(struct merge_spill *s, const struct prof_symbol *symbols,
    size_t n, struct prof_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (merge_supply_name(s, prof_symbol_guid(&symbols[i]),
		    symbols[i].name, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
merge_supply_targets(struct merge_spill *s, const struct prof_function *f,
    struct prof_error *err)
{
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	while ((v = value_next_target(&walk, f->values)) != NULL) {
		if (merge_supply_name(s, v->value, v->name, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
merge_search_record(struct merge_spill *s, const struct prof_record *r,
    struct prof_error *err)
{
	const struct prof_function *f = &r->u.function;
	struct prof_symbol symbol;

	if (r->kind == PROF_REC_TRACE)
		return merge_supply_names(s, r->u.trace.functions,
		    r->u.trace.size, err);
	if (r->kind == PROF_REC_VTABLE)
		return merge_supply_names(s, &r->u.vtable.symbol, 1, err);
	if (r->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	symbol = f->symbol;
	symbol.guid = prof_symbol_guid(&symbol);
	return merge_supply_names(s, &symbol, 1, err) == PROF_OK ?
	    merge_supply_targets(s, f, err) : PROF_FAIL;
}

static enum prof_status
merge_search_run(struct merge_spill *s, struct merge_run *run,
    struct prof_error *err)
{
	enum prof_status status;

	if (run == NULL || s->unnamed == 0)
		return PROF_OK;
	if (merge_run_open(run, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = merge_run_next(run, err)) == PROF_OK) {
		if (merge_search_record(s, &run->now, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

enum prof_status
merge_spill_names(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	const struct symtab *nameless = &s->nameless->names;

	if (merge_supply_names(s, m->vtables.symbols, m->vtables.size, err)
	    != PROF_OK || merge_supply_names(s, nameless->symbols,
	    nameless->size, err) != PROF_OK ||
	    merge_search_run(s, s->traces, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < s->functions.size; i++) {
		if (merge_search_run(s, s->functions.runs[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	merge_table_name_entries(s->nameless, &s->wanted);
	return PROF_OK;
}
