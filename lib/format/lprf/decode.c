/* The sections of a block to functions; each count is checked against them. */
#include "format/lprf/v2.h"

#include "base/error.h"

struct lprf2_decoder {
	const struct lprf2_block *block;
	struct arena *arena;
	struct cursor n, h, d;
	size_t zeros_left;		/* see LPRF2_ZEROS_MAX */
	struct prof_error *err;
};

/* What is wrong, at the offset of the block: sections may be inflated. */
static enum prof_status
lprf2_bad(const struct lprf2_decoder *r, const char *what)
{
	return err_at(r->err, PROF_E_CORRUPT, r->block->at, "block: %s", what);
}

/* A count of things that take a byte or more each of the section. */
static bool
lprf2_count(struct cursor *c, size_t *n)
{
	uint64_t count = cur_uleb(c);

	if (c->failed || count > cur_left(c))
		return false;
	*n = (size_t)count;
	return true;
}

static bool
lprf2_get_bytes(struct cursor *c, struct prof_span *s)
{
	if (!lprf2_count(c, &s->size))
		return false;
	s->data = cur_bytes(c, s->size);
	return true;
}

enum prof_status
lprf2_get_front(struct cursor *c, struct arena *arena, struct prof_span last,
    struct prof_span *name)
{
	uint64_t shared = cur_uleb(c);
	struct prof_span suffix = { NULL, 0 };
	uint8_t *p;

	if (!lprf2_get_bytes(c, &suffix) || shared > last.size)
		return PROF_END;
	name->size = (size_t)shared + suffix.size;
	if (name->size == 0)
		return PROF_END;
	if (name->size == last.size && suffix.size == 0) {
		*name = last;
		return PROF_OK;
	}
	p = arena_alloc(arena, name->size);
	if (p == NULL)
		return PROF_FAIL;
	if (shared != 0)
		memcpy(p, last.data, (size_t)shared);
	if (suffix.size != 0)
		memcpy(p + shared, suffix.data, suffix.size);
	name->data = p;
	return PROF_OK;
}

static enum prof_status
lprf2_get_name(struct lprf2_decoder *r, struct prof_span last,
    struct prof_span *name)
{
	enum prof_status status = lprf2_get_front(&r->n, r->arena, last, name);

	if (status == PROF_FAIL)
		return err_memory(r->err);
	return status == PROF_OK ? PROF_OK : lprf2_bad(r, "a name is empty, "
	    "exceeds its section, or shares more than the last one has");
}

/* The counters; a function of zeros stores none, however many it has. */
static enum prof_status
lprf2_get_counts(struct lprf2_decoder *r, struct prof_function *f, bool zero)
{
	uint64_t size = cur_uleb(&r->h);
	uint64_t *counts;

	if (r->h.failed)
		return lprf2_bad(r, "a function exceeds its section");
	if (size > (zero ? r->zeros_left : cur_left(&r->d)))
		return lprf2_bad(r, "more counters than its section holds");
	r->zeros_left -= zero ? (size_t)size : 0;
	counts = arena_array(r->arena, (size_t)size, sizeof(*counts));
	if (counts == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < size; i++)
		counts[i] = zero ? 0 : cur_uleb(&r->d);
	f->counts = counts;
	f->counts_size = (size_t)size;
	return r->d.failed ? lprf2_bad(r, "a counter exceeds its section") :
	    PROF_OK;
}

static bool
lprf2_get_value(struct cursor *c, enum prof_value_kind kind,
    struct prof_value *v)
{
	*v = (struct prof_value){ .count = cur_uleb(c) };
	if (kind == PROF_MEM_OP_SIZE) {
		v->value = cur_uleb(c);
		return !c->failed;
	}
	if (!lprf2_get_bytes(c, &v->name))
		return false;
	if (v->name.size != 0) {
		v->value = prof_guid(v->name);
	} else {
		v->name.data = NULL;
		v->value = cur_u64(c);
	}
	return !c->failed;
}

static enum prof_status
lprf2_get_site(struct lprf2_decoder *r, enum prof_value_kind kind,
    struct prof_site *site)
{
	struct prof_value *values;

	if (!lprf2_count(&r->d, &site->size))
		return lprf2_bad(r, "values exceed their section");
	values = arena_array(r->arena, site->size, sizeof(*values));
	if (values == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < site->size; i++) {
		if (!lprf2_get_value(&r->d, kind, &values[i]))
			return lprf2_bad(r, "a value exceeds its section");
	}
	site->values = values;
	return PROF_OK;
}

static enum prof_status
lprf2_get_sites(struct lprf2_decoder *r, enum prof_value_kind kind,
    struct prof_sites *out)
{
	struct prof_site *sites;

	if (!lprf2_count(&r->d, &out->size))
		return lprf2_bad(r, "value sites exceed their section");
	sites = arena_array(r->arena, out->size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < out->size; i++) {
		if (lprf2_get_site(r, kind, &sites[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->sites = sites;
	return PROF_OK;
}

static enum prof_status
lprf2_get_uniform(struct lprf2_decoder *r, struct prof_function *f)
{
	uint64_t *counts;

	if (!lprf2_count(&r->d, &f->uniform_size))
		return lprf2_bad(r, "uniform counts exceed their section");
	counts = arena_array(r->arena, f->uniform_size, sizeof(*counts));
	if (counts == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < f->uniform_size; i++)
		counts[i] = cur_uleb(&r->d);
	f->uniform_counts = counts;
	return PROF_OK;
}

/* The other members of one function, which comes behind `first`. */
static enum prof_status
lprf2_get_more(struct lprf2_decoder *r, struct prof_function *functions,
    uint64_t *first)
{
	uint64_t at = cur_uleb(&r->d), bits = cur_uleb(&r->d);
	struct prof_function *f;

	if (r->d.failed || at < *first || at >= r->block->size ||
	    bits == 0 || bits > LPRF2_MEMBERS)
		return lprf2_bad(r, "members of no function, or not known");
	f = &functions[at];
	*first = at + 1;
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if ((bits >> k & 1) && lprf2_get_sites(r,
		    (enum prof_value_kind)k, &f->values[k]) != PROF_OK)
			return PROF_FAIL;
	}
	if ((bits & LPRF2_BITMAP) && !lprf2_get_bytes(&r->d, &f->bitmap))
		return lprf2_bad(r, "a bitmap exceeds its section");
	if ((bits & LPRF2_UNIFORM) && lprf2_get_uniform(r, f) != PROF_OK)
		return PROF_FAIL;
	if ((bits & LPRF2_EXTRA) && !lprf2_get_bytes(&r->d, &f->extra))
		return lprf2_bad(r, "unknown keys exceed their section");
	return r->d.failed ? lprf2_bad(r, "members exceed their section") :
	    PROF_OK;
}

static enum prof_status
lprf2_get_function(struct lprf2_decoder *r, struct prof_function *all,
    size_t i, const uint8_t *zeros)
{
	struct prof_function *f = &all[i];

	*f = (struct prof_function){ .hash = cur_u64(&r->h) };
	if (r->block->kind == LPRF2_GUIDS)
		f->symbol.guid = cur_u64(&r->n);
	else if (lprf2_get_name(r, i == 0 ? (struct prof_span){ NULL, 0 } :
	    all[i - 1].symbol.name, &f->symbol.name) != PROF_OK)
		return PROF_FAIL;
	if (r->n.failed || r->h.failed)
		return lprf2_bad(r, "a function exceeds its section");
	if (i != 0 && lprf2_compare(&all[i - 1], f) >= 0)
		return lprf2_bad(r, "functions are not in order");
	return lprf2_get_counts(r, f, zeros[i / 8] >> i % 8 & 1);
}

struct prof_function *
lprf2_decode(const struct lprf2_block *b, struct arena *arena,
    struct prof_error *err)
{
	struct lprf2_decoder r = { .block = b, .arena = arena, .err = err,
	    .zeros_left = LPRF2_ZEROS_MAX,
	    .n = { .data = b->sections[0].data, .size = b->sections[0].size },
	    .h = { .data = b->sections[1].data, .size = b->sections[1].size },
	    .d = { .data = b->sections[2].data, .size = b->sections[2].size } };
	const uint8_t *zeros = cur_bytes(&r.d, ((uint64_t)b->size + 7) / 8);
	struct prof_function *all;
	uint64_t first = 0;

	/* A function takes 9 bytes of H or more. */
	if (zeros == NULL || b->size > r.h.size / 9) {
		lprf2_bad(&r, "more functions than its sections hold");
		return NULL;
	}
	all = arena_array(arena, b->size, sizeof(*all));
	if (all == NULL) {
		err_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < b->size; i++) {
		if (lprf2_get_function(&r, all, i, zeros) != PROF_OK)
			return NULL;
	}
	while (cur_left(&r.d) != 0) {
		if (lprf2_get_more(&r, all, &first) != PROF_OK)
			return NULL;
	}
	if (cur_left(&r.n) == 0 && cur_left(&r.h) == 0)
		return all;
	lprf2_bad(&r, "bytes behind the last function");
	return NULL;
}
