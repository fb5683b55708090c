#include "format/name_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/context_cache.h"

static bool
copy_span(struct prof_span from, struct prof_span *to)
{
	uint8_t *p = malloc(from.size + 1);

	if (p == NULL)
		return false;
	if (from.size != 0)
		memcpy(p, from.data, from.size);
	*to = (struct prof_span){ p, from.size };
	return true;
}

struct key {
	struct prof_span functions, vtables;
};

static bool
is_same(const void *thing, void *arg)
{
	const struct names_cache *n = thing;
	const struct key *k = arg;

	return prof_span_equal(n->functions, k->functions) &&
	    prof_span_equal(n->vtables, k->vtables);
}

static size_t
size(const void *thing)
{
	const struct names_cache *n = thing;
	const struct symtab *t = &n->names.table;

	return n->functions.size + n->vtables.size + n->names.inflated +
	    t->room * sizeof(*t->symbols) + t->slot_count * sizeof(*t->slots);
}

static void
free_names(void *thing)
{
	struct names_cache *n = thing;

	names_free(&n->names);
	free((void *)n->functions.data);
	free((void *)n->vtables.data);
	free(n);
}

static const struct lru_entry_ops names_kind = { is_same, size, free_names };

struct names_cache *
names_new(struct prof_error *err)
{
	struct names_cache *n = calloc(1, sizeof(*n));

	if (n == NULL)
		err_memory(err);
	else
		n->shelf = (struct lru_entry){ &names_kind, 1 };
	return n;
}

static struct names_cache *
names_load(struct prof_span functions, uint64_t functions_offset,
    struct prof_span vtables, uint64_t vtables_offset,
    struct names_limit *limit, struct prof_error *err)
{
	struct names_cache *n = names_new(err);

	if (n == NULL)
		return NULL;
	if (!copy_span(functions, &n->functions) ||
	    !copy_span(vtables, &n->vtables)) {
		err_memory(err);
		goto fail;
	}
	if (names_read(&n->names, n->functions, functions_offset, limit, err)
	    != PROF_OK)
		goto fail;
	n->vtable_start = n->names.table.size;
	if (names_read(&n->names, n->vtables, vtables_offset, limit, err)
	    != PROF_OK)
		goto fail;
	return n;
fail:
	lru_cache_release(n);
	return NULL;
}

struct names_cache *
names_get(struct prof_context *context, struct prof_span functions,
    uint64_t functions_offset, struct prof_span vtables,
    uint64_t vtables_offset, struct names_limit *limit,
    struct prof_error *err)
{
	struct lru_cache *kept =
	    context == NULL ? NULL : &context->cache->names;
	struct key key = { functions, vtables };
	struct names_cache *n = NULL;

	if (kept != NULL)
		n = lru_cache_find(kept, &key);
	if (n != NULL)
		return n;
	n = names_load(functions, functions_offset, vtables, vtables_offset,
	    limit, err);
	return n == NULL || kept == NULL ? n : lru_cache_put(kept, &key, n);
}
