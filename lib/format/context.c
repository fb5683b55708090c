/* Contexts: options of readers, caches shared by inputs, warnings. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "format/program.h"
#include "model/memprof/build.h"
#include "format/codec.h"
#include "format/lprf/v2.h"

/* Of the entries of one cache; a single entry may take more. */
enum { CACHE_BYTES_MAX = 32 << 20 };

struct prof_context *
prof_context_new(prof_warn *warn, void *arg)
{
	struct prof_context *c = calloc(1, sizeof(*c));
	struct context_cache *k;

	if (c == NULL)
		return NULL;
	c->warn = warn;
	c->arg = arg;
	c->cache = k = calloc(1, sizeof(*k));
	if (k == NULL) {
		free(c);
		return NULL;
	}
	k->users = 1;
	lru_cache_init(&k->names, CACHE_BYTES_MAX);
	lru_cache_init(&k->raw, CACHE_BYTES_MAX);
	lru_cache_init(&k->indexed, CACHE_BYTES_MAX);
	return c;
}

struct prof_context *
prof_context_share(const struct prof_context *other, prof_warn *warn,
    void *arg)
{
	struct prof_context *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	*c = *other;
	/* The input that the other context is reading is none of this one's. */
	c->salvaged = false;
	c->origin = c->part = 0;
	c->guids = (struct guid_cache){ 0 };
	c->lprf_packer = NULL;
	c->warn = warn;
	c->arg = arg;
	__atomic_add_fetch(&c->cache->users, 1, __ATOMIC_RELAXED);
	return c;
}

void
prof_context_clear_cache(struct prof_context *c)
{
	lru_cache_clear(&c->cache->names);
	lru_cache_clear(&c->cache->raw);
	lru_cache_clear(&c->cache->indexed);
	guid_cache_free(&c->guids);
}

void
prof_context_on_consumed(struct prof_context *c, prof_consumed *consumed,
    void *arg)
{
	c->consumed = consumed;
	c->consumed_arg = arg;
}

void
prof_context_blocks(struct prof_context *c)
{
	c->blocks = true;
}

void
prof_context_frame_numbers(struct prof_context *c)
{
	c->frame_numbers = true;
}

void
prof_context_without_targets(struct prof_context *c)
{
	c->without_targets = true;
}

void
prof_context_as_llvm(struct prof_context *c)
{
	c->as_llvm = true;
}

void
prof_context_limit_counts(struct prof_context *c, uint64_t of_raw,
    uint64_t of_others)
{
	c->max_raw_count = of_raw;
	c->max_count = of_others;
}

void
prof_context_salvage(struct prof_context *c, bool salvage)
{
	c->salvage = salvage;
}

bool
prof_context_salvaged(const struct prof_context *c)
{
	return c->salvaged;
}

void
prof_context_free(struct prof_context *c)
{
	struct context_cache *k = c == NULL ? NULL : c->cache;

	if (c == NULL)
		return;
	if (__atomic_sub_fetch(&k->users, 1, __ATOMIC_ACQ_REL) == 0) {
		lru_cache_free(&k->names);
		lru_cache_free(&k->raw);
		lru_cache_free(&k->indexed);
		free(k);
	}
	guid_cache_free(&c->guids);
	lprf2_packer_free(c->lprf_packer);
	free(c);
}

void
prof_context_part(struct prof_context *c, uint64_t ordinal)
{
	c->part = ordinal;
}

void
prof_context_thorough(struct prof_context *c, bool thorough)
{
	c->thorough = thorough;
}

void
context_warn(struct prof_context *c, struct prof_error e, const char *format,
    ...)
{
	va_list ap;

	if (c == NULL)
		return;
	if (e.where == PROF_AT_BYTE)
		e.offset += c->origin;
	va_start(ap, format);
	err_report(c->warn, c->arg, e, format, ap);
	va_end(ap);
}

void
memprof_losses_warn(struct prof_context *context,
    const struct memprof_losses *l)
{
	if (l->stacks != 0)
		warn_lost(context, "addresses without a function are left "
		    "out: %llu, in stacks: %llu",
		    (unsigned long long)l->addresses,
		    (unsigned long long)l->stacks);
	if (l->stacks_without_place != 0)
		warn_lost(context, "stacks with frames of neither line nor "
		    "column, which no compiler can match%s: %llu",
		    l->all_without_place ? "" : ", are left out",
		    (unsigned long long)l->stacks_without_place);
	if (l->sites != 0)
		warn_lost(context, "allocations and call sites have no frame "
		    "left: dropped %llu", (unsigned long long)l->sites);
	if (l->saturated != 0)
		warn_set(context, "sums of allocations that are too large, so "
		    "that the largest number is kept: %llu",
		    (unsigned long long)l->saturated);
	if (l->saturated_accesses != 0)
		warn_set(context, "sums of data accesses that are too large, "
		    "so that the largest number is kept: %llu",
		    (unsigned long long)l->saturated_accesses);
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
	arena_free(&n->sections);
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
	n->functions = arena_copy(&n->sections, s->functions);
	n->vtables = arena_copy(&n->sections, s->vtables);
	if (n->functions.data == NULL || n->vtables.data == NULL) {
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
	/* The first image's are kept, and those that another had before. */
	return cache == NULL || !lru_cache_note(cache,
	    hash_span(hash_span(0, s->functions), s->vtables)) ? n :
	    lru_cache_put(cache, &key, n);
}
