#include "format/name_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "format/context_cache.h"

static bool
cached_names_copy_span(struct prof_span from, struct prof_span *to)
{
	uint8_t *p = malloc(from.size + 1);

	if (p == NULL)
		return false;
	if (from.size != 0)
		memcpy(p, from.data, from.size);
	*to = (struct prof_span){ p, from.size };
	return true;
}

/* The key is a struct name_sections. */
static bool
cached_names_equal(const void *entry, void *key)
{
	const struct cached_names *n = entry;
	const struct name_sections *s = key;

	return prof_span_equal(n->functions, s->functions) &&
	    prof_span_equal(n->vtables, s->vtables);
}

static size_t
cached_names_size(const void *entry)
{
	const struct cached_names *n = entry;

	return n->functions.size + n->vtables.size + n->names.inflated +
	    symtab_memory(&n->names.table);
}

static void
cached_names_free(void *entry)
{
	struct cached_names *n = entry;

	names_free(&n->names);
	free((void *)n->functions.data);
	free((void *)n->vtables.data);
	free(n);
}

static const struct lru_entry_ops cached_names_kind = {
	cached_names_equal, cached_names_size, cached_names_free
};

struct cached_names *
name_cache_new(struct prof_error *err)
{
	struct cached_names *n = calloc(1, sizeof(*n));

	if (n == NULL)
		err_memory(err);
	else
		n->entry = (struct lru_entry){ &cached_names_kind, 1 };
	return n;
}

/* What the names take is not yet taken off the limit of the caller. */
static struct cached_names *
cached_names_load(const struct name_sections *s, struct names_limit limit,
    struct prof_error *err)
{
	struct cached_names *n = name_cache_new(err);

	if (n == NULL)
		return NULL;
	if (!cached_names_copy_span(s->functions, &n->functions) ||
	    !cached_names_copy_span(s->vtables, &n->vtables)) {
		err_memory(err);
		goto fail;
	}
	if (names_read(&n->names, n->functions, s->functions_offset, &limit,
	    err) != PROF_OK)
		goto fail;
	n->vtable_start = n->names.table.size;
	if (names_read(&n->names, n->vtables, s->vtables_offset, &limit, err)
	    != PROF_OK)
		goto fail;
	return n;
fail:
	lru_cache_release(n);
	return NULL;
}

/*
 * Notes sections that are not in the cache.  True if they are worth keeping:
 * those of the first image, and those that another image had before.
 */
static bool
name_cache_is_worthwhile(struct lru_cache *cache,
    const struct name_sections *s)
{
	return lru_cache_note(cache, hash_span(hash_span(0, s->functions),
	    s->vtables));
}

struct cached_names *
name_cache_get(struct prof_context *context, const struct name_sections *s,
    struct names_limit *limit, struct prof_error *err)
{
	struct lru_cache *cache =
	    context == NULL ? NULL : &context->cache->names;
	struct name_sections key = *s;
	struct cached_names *n = NULL;

	if (cache != NULL)
		n = lru_cache_find(cache, &key);
	if (n != NULL && names_limit_take(limit, &n->names.taken))
		return n;
	/* Names that exceed the limit are read again, up to the chunk. */
	lru_cache_release(n);
	n = cached_names_load(s, *limit, err);
	if (n == NULL)
		return NULL;
	names_limit_take(limit, &n->names.taken);
	return cache == NULL || !name_cache_is_worthwhile(cache, s) ? n :
	    lru_cache_put(cache, &key, n);
}
