#include "merge/core/names.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "model/value_sites.h"

static bool
merge_note_symbol(struct merge_names *names, const struct prof_symbol *s)
{
	return s->name.size == 0 || number_set_add(&names->shown,
	    &names->arena, prof_symbol_guid(s));
}

static bool
merge_note_targets(struct merge_names *names, const struct prof_function *f)
{
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	while ((v = value_next_target(&walk, f->values)) != NULL) {
		if (v->name.size != 0 && !number_set_add(&names->shown,
		    &names->arena, v->value))
			return false;
	}
	return true;
}

/* Notes the names of a record that is put.  False if out of memory. */
static bool
merge_names_note(struct merge_names *names, const struct prof_record *r)
{
	bool noted = true;

	if (r->kind == PROF_REC_VTABLE)
		return merge_note_symbol(names, &r->u.vtable.symbol);
	if (r->kind == PROF_REC_FUNCTION)
		return merge_note_symbol(names, &r->u.function.symbol) &&
		    merge_note_targets(names, &r->u.function);
	if (r->kind != PROF_REC_TRACE)
		return true;
	for (size_t i = 0; i < r->u.trace.size && noted; i++)
		noted = merge_note_symbol(names, &r->u.trace.functions[i]);
	return noted;
}

enum prof_status
merge_put(const struct merge *m, struct prof_writer *w,
    const struct prof_record *r, struct prof_error *err)
{
	if (m->record_names != NULL && !merge_names_note(m->record_names, r))
		return err_memory(err);
	return prof_put(w, r, err);
}

bool
merge_names_lose(struct merge_names *names, const struct prof_symbol *s)
{
	uint64_t guid = prof_symbol_guid(s);

	return s->name.size == 0 ||
	    symtab_keep(&names->lost, &names->arena, s->name, guid);
}

struct prof_span *
merge_names_unshown(struct merge_names *names, const struct symtab *known,
    size_t *n)
{
	struct prof_span *list = calloc(known->size + 1, sizeof(*list));

	*n = 0;
	number_set_sort(&names->shown);
	for (size_t i = 0; list != NULL && i < known->size; i++) {
		const struct prof_symbol *s = &known->symbols[i];

		if (s->name.size != 0 &&
		    !number_set_has(&names->shown, s->guid))
			list[(*n)++] = s->name;
	}
	if (list != NULL)
		prof_span_sort(list, *n);
	return list;
}

void
merge_names_free(struct merge_names *names)
{
	symtab_free(&names->lost);
	arena_free(&names->arena);
}
