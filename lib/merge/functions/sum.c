#include "merge/functions/sum.h"

#include <stdlib.h>

#include "base/error.h"
#include "merge/core/correlated.h"
#include "merge/core/locks.h"
#include "merge/core/table.h"
#include "merge/functions/block.h"

struct merge *
merge_sum_new(prof_warn *warn, void *warn_arg)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->warn = warn;
	m->warn_arg = warn_arg;
	m->main_worker = (struct merge_worker){ .merge = m, .head = &m->head,
	    .arena = &m->arena, .head_arena = &m->head_arena,
	    .scratch = &m->scratch };
	return m;
}

struct merge *
merge_sum_of_functions(struct prof_error *err)
{
	static const struct prof_header head;
	struct merge *m = merge_sum_new(NULL, NULL);

	if (m == NULL)
		err_memory(err);
	else if (merge_head_begin(&m->head, &m->head_arena, &head, err)
	    == PROF_OK)
		return m;
	merge_sum_free(m);
	return NULL;
}

size_t
merge_sum_memory(const struct merge *m)
{
	return arena_size(&m->arena) +
	    m->size * (sizeof(struct merge_entry) +
	    sizeof(struct merge_entry *)) +
	    m->index.slot_count * sizeof(*m->index.slots) +
	    symtab_memory(&m->names) + m->traces_size * sizeof(*m->traces);
}

void
merge_sum_clear(struct merge *m)
{
	struct lock *lock = m->names.lock;

	merge_table_free(m);
	free(m->traces);
	merge_blocks_free(m->blocks);
	arena_free(&m->arena);
	symtab_free(&m->names);
	m->names.lock = lock;
	m->traces_size = m->traces_room = 0;
	m->traces = NULL;
	m->blocks = NULL;
	m->main_worker.next = 0;
	m->names_unlisted = m->names_came = false;
}

void
merge_sum_free(struct merge *m)
{
	if (m == NULL)
		return;
	merge_unshare(m);
	merge_sum_clear(m);
	merge_correlated_free(m);
	merge_sample_free(&m->sample);
	arena_free(&m->head_arena);
	arena_free(&m->scratch);
	merge_head_free(&m->head);
	symtab_free(&m->build_ids);
	symtab_free(&m->vtables);
	free(m);
}
