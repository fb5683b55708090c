/*
 * The functions of a sum in the order in which their names first came, and
 * those of a name in the order in which they did: LLVM's indexed files follow
 * it where they follow hash maps.
 */
#include <stdlib.h>

#include "merge/engine.h"

/* How many records each name has, by when the name came. */
static bool
count_names(const struct merge *m, struct symtab *names, size_t *starts)
{
	for (size_t i = 0; i < m->size; i++) {
		uint64_t guid = merge_entry_at(m, i)->guid;

		if (!symtab_add(names, (struct prof_span){ NULL, 0 }, guid))
			return false;
		starts[symtab_find(names, guid, NULL) + 1]++;
	}
	return true;
}

struct merge_entry **
merge_arrived(const struct merge *m)
{
	struct merge_entry **order = calloc(m->size + 1, sizeof(*order));
	size_t *starts = calloc(m->size + 2, sizeof(*starts));
	struct symtab names = { 0 };

	if (order == NULL || starts == NULL ||
	    !count_names(m, &names, starts)) {
		free(order);
		order = NULL;
	}
	for (size_t i = 0; order != NULL && i < m->size; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; order != NULL && i < m->size; i++) {
		struct merge_entry *e = merge_entry_at(m, i);

		order[starts[symtab_find(&names, e->guid, NULL)]++] = e;
	}
	symtab_free(&names);
	free(starts);
	return order;
}
