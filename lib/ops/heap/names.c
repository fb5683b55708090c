#include "ops/heap/view.h"

#include "model/heap.h"
#include "model/symtab.h"

bool
heap_names_add(struct heap_names *n, struct prof_span name)
{
	const uint8_t *at = name.data == NULL ? NULL :
	    local_name_separator(name);

	if (at != NULL) {
		name.size -= (size_t)(at + 1 - name.data);
		name.data = at + 1;
	}
	return name.size == 0 || symtab_keep(&n->table, &n->arena, name,
	    memprof_guid(name));
}

bool
heap_names_add_record(struct heap_names *n, const struct prof_record *r)
{
	const struct prof_stack *stack = &r->u.stack;

	if (r->kind == PROF_REC_FUNCTION)
		return heap_names_add(n, r->u.function.symbol.name);
	if (r->kind == PROF_REC_MEMPROF_FUNCTION)
		return heap_names_add(n, r->u.memprof_function.symbol.name);
	for (size_t i = 0; r->kind == PROF_REC_STACK &&
	    i < stack->frames_size; i++) {
		if (!heap_names_add(n, stack->frames[i].function.name))
			return false;
	}
	return true;
}

struct prof_span
heap_names_find(const struct heap_names *n, const struct prof_frame *f)
{
	const struct prof_span none = { NULL, 0 };

	return f->function.name.size != 0 || f->function.guid == 0 ? none :
	    symtab_name(&n->table, f->function.guid);
}

void
heap_names_free(struct heap_names *n)
{
	symtab_free(&n->table);
	arena_free(&n->arena);
}
