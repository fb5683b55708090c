#include "format/names_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

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

struct names_cache *
names_new(struct prof_error *err)
{
	struct names_cache *n = calloc(1, sizeof(*n));

	if (n == NULL)
		err_memory(err);
	else
		n->users = 1;
	return n;
}

struct names_cache *
names_get(struct prof_context *context, struct prof_span functions,
    uint64_t functions_offset, struct prof_span vtables,
    uint64_t vtables_offset, struct names_limit *limit,
    struct prof_error *err)
{
	struct names_cache *n = context == NULL ? NULL : context->names;

	if (n != NULL && prof_span_equal(n->functions, functions) &&
	    prof_span_equal(n->vtables, vtables)) {
		n->users++;
		return n;
	}
	n = names_new(err);
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
	if (context != NULL) {
		names_release(context->names);
		context->names = n;
		n->users++;
	}
	return n;
fail:
	names_release(n);
	return NULL;
}

void
names_release(struct names_cache *n)
{
	if (n == NULL || --n->users > 0)
		return;
	names_free(&n->names);
	free((void *)n->functions.data);
	free((void *)n->vtables.data);
	free(n);
}
