/* Names that one run lacks and another one has. */
#include "base/error.h"
#include "merge/spill/engine.h"

static enum prof_status
learn(struct merge_spill *s, uint64_t guid, struct prof_span name,
    struct prof_error *err)
{
	struct prof_span *to;
	size_t i;

	if (name.size == 0 || s->unknown == 0)
		return PROF_OK;
	i = symtab_find(&s->wanted, guid, NULL);
	if (i == SYMTAB_NONE)
		return PROF_OK;
	to = &s->wanted.symbols[i].name;
	if (to->data != NULL)
		return PROF_OK;
	*to = arena_copy(&s->arena, name);
	s->unknown--;
	return to->data == NULL ? err_memory(err) : PROF_OK;
}

static enum prof_status
learn_all(struct merge_spill *s, const struct prof_symbol *symbols, size_t n,
    struct prof_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (learn(s, prof_symbol_guid(&symbols[i]), symbols[i].name,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
learn_sites(struct merge_spill *s, const struct prof_sites *sites,
    struct prof_error *err)
{
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *site = &sites->sites[i];

		for (size_t k = 0; k < site->size; k++) {
			if (learn(s, site->values[k].value,
			    site->values[k].name, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

/* A function that had no name in one run may have one in another. */
static enum prof_status
name_function(struct merge_spill *s, const struct prof_function *f,
    uint64_t guid, struct prof_error *err)
{
	struct merge_entry *e = merge_find(s->nameless, guid, f->hash);

	if (e == NULL || e->name.size != 0)
		return PROF_OK;
	e->name = arena_copy(&s->arena, f->symbol.name);
	return e->name.data == NULL ? err_memory(err) : PROF_OK;
}

static enum prof_status
learn_record(struct merge_spill *s, const struct prof_record *r,
    struct prof_error *err)
{
	const struct prof_function *f = &r->u.function;
	struct prof_symbol symbol;

	if (r->kind == PROF_REC_TRACE)
		return learn_all(s, r->u.trace.functions, r->u.trace.size,
		    err);
	if (r->kind == PROF_REC_VTABLE)
		return learn_all(s, &r->u.vtable.symbol, 1, err);
	if (r->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	symbol = f->symbol;
	symbol.guid = prof_symbol_guid(&symbol);
	if (name_function(s, f, symbol.guid, err) != PROF_OK ||
	    learn_all(s, &symbol, 1, err) != PROF_OK)
		return PROF_FAIL;
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (k != PROF_MEM_OP_SIZE &&
		    learn_sites(s, &f->values[k], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static bool
is_done(const struct merge_spill *s)
{
	return s->unknown == 0 && s->nameless->size == 0;
}

static enum prof_status
learn_run(struct merge_spill *s, struct merge_run *run, struct prof_error *err)
{
	enum prof_status status;

	if (run == NULL || is_done(s))
		return PROF_OK;
	if (merge_run_open(run, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = merge_run_next(run, err)) == PROF_OK) {
		if (learn_record(s, &run->now, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

enum prof_status
merge_spill_names(struct merge *m, struct prof_error *err)
{
	struct merge_spill *s = m->spill;
	const struct symtab *held = &s->nameless->names;

	if (learn_all(s, m->vtables.symbols, m->vtables.size, err)
	    != PROF_OK || learn_all(s, held->symbols, held->size, err)
	    != PROF_OK || learn_run(s, s->traces, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < s->functions.size; i++) {
		if (learn_run(s, s->functions.runs[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}
