/* The sections of a block to functions; each count is checked against them. */
#include "format/lprf/v2.h"

#include "base/error.h"

struct lprf2_decoder {
	const struct lprf2_block *block;
	struct arena *arena;
	struct cursor n, h, d;
	struct prof_function *all;
	struct prof_error *err;
};

/* The place of an error is the block: its sections may be inflated. */
static enum prof_status
lprf2_bad(const struct lprf2_decoder *r, const char *section, size_t function,
    const char *what)
{
	return err_at(r->err, PROF_E_CORRUPT, r->block->at, "block: section "
	    "%s: function %zu of %u: %s", section, function + 1,
	    r->block->size, what);
}

/* The number of things that take a byte or more each of the section. */
static bool
lprf2_get_count(struct cursor *c, size_t *n)
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
	if (!lprf2_get_count(c, &s->size))
		return false;
	s->data = cur_bytes(c, s->size);
	return true;
}

/* The name with the bytes that it shares with the last one. */
static enum prof_status
lprf2_join_name(struct lprf2_decoder *r, struct prof_span last, size_t shared,
    struct prof_span suffix, struct prof_span *name)
{
	uint8_t *p = arena_alloc(r->arena, shared + suffix.size);

	if (p == NULL)
		return err_memory(r->err);
	if (shared != 0)
		memcpy(p, last.data, shared);
	memcpy(p + shared, suffix.data, suffix.size);
	*name = (struct prof_span){ p, shared + suffix.size };
	return PROF_OK;
}

static enum prof_status
lprf2_get_names(struct lprf2_decoder *r)
{
	struct prof_span last = { NULL, 0 }, suffix = { NULL, 0 };
	size_t left = LPRF2_NAMES_MAX;

	for (size_t i = 0; i < r->block->size; i++) {
		struct prof_span *name = &r->all[i].symbol.name;
		uint64_t shared = cur_uleb(&r->n);

		if (!lprf2_get_bytes(&r->n, &suffix))
			return lprf2_bad(r, "N", i, "its name exceeds the "
			    "section");
		if (shared > last.size || shared + suffix.size == 0)
			return lprf2_bad(r, "N", i, "its name is empty, or "
			    "shares more than the one before it has");
		*name = last;
		if (shared == last.size && suffix.size == 0)
			continue;
		if (i != 0 && shared + suffix.size > left)
			return lprf2_bad(r, "N", i, "the names behind the "
			    "first take more than 1048576 bytes");
		left -= i == 0 ? 0 : (size_t)shared + suffix.size;
		if (lprf2_join_name(r, last, (size_t)shared, suffix, name) !=
		    PROF_OK)
			return PROF_FAIL;
		last = *name;
	}
	return PROF_OK;
}

static enum prof_status
lprf2_get_symbols(struct lprf2_decoder *r)
{
	if (r->block->kind == LPRF2_NAMES)
		return lprf2_get_names(r);
	for (size_t i = 0; i < r->block->size; i++)
		r->all[i].symbol.guid = cur_u64(&r->n);
	return r->n.failed ? lprf2_bad(r, "N", r->n.size / 8, "its guid "
	    "exceeds the section") : PROF_OK;
}

static bool
lprf2_is_zero(const uint8_t *zeros, size_t i)
{
	return zeros[i / 8] >> i % 8 & 1;
}

/* Numbers of counters, whose sum is bounded by D and the limit of zeros. */
static enum prof_status
lprf2_get_shapes(struct lprf2_decoder *r, const uint8_t *zeros, size_t *sum)
{
	size_t left[2] = { cur_left(&r->d), LPRF2_ZEROS_MAX };

	*sum = 0;
	for (size_t i = 0; i < r->block->size; i++) {
		size_t *limit = &left[lprf2_is_zero(zeros, i)];
		uint64_t size = cur_uleb(&r->h);

		if (r->h.failed)
			return lprf2_bad(r, "H", i, "it exceeds the section");
		if (size > *limit)
			return lprf2_bad(r, "H", i, "more counters than the "
			    "section D holds");
		*limit -= (size_t)size;
		*sum += (size_t)size;
		r->all[i].counts_size = (size_t)size;
	}
	if (cur_left(&r->h) != (size_t)r->block->size * 8)
		return lprf2_bad(r, "H", r->block->size - 1u, "the section "
		    "does not end with a hash of each");
	for (size_t i = 0; i < r->block->size; i++)
		r->all[i].hash = cur_u64(&r->h);
	return PROF_OK;
}

static inline uint64_t
lprf2_get_counter(struct cursor *c)
{
	if (c->pos < c->size && c->data[c->pos] < 0x80)
		return c->data[c->pos++];
	return cur_uleb(c);
}

static enum prof_status
lprf2_get_counts(struct lprf2_decoder *r, const uint8_t *zeros, size_t sum)
{
	uint64_t *counts = arena_array(r->arena, sum, sizeof(*counts));

	if (counts == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < r->block->size; i++) {
		struct prof_function *f = &r->all[i];

		f->counts = counts;
		if (lprf2_is_zero(zeros, i))
			memset(counts, 0, f->counts_size * sizeof(*counts));
		else
			for (size_t k = 0; k < f->counts_size; k++)
				counts[k] = lprf2_get_counter(&r->d);
		if (r->d.failed)
			return lprf2_bad(r, "D", i, "a counter exceeds the "
			    "section, or 64 bits");
		counts += f->counts_size;
	}
	return PROF_OK;
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
lprf2_get_site(struct lprf2_decoder *r, size_t function,
    enum prof_value_kind kind, struct prof_site *site)
{
	struct prof_value *values;

	if (!lprf2_get_count(&r->d, &site->size))
		return lprf2_bad(r, "D", function,
		    "the values of a site exceed the section");
	values = arena_array(r->arena, site->size, sizeof(*values));
	if (values == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < site->size; i++) {
		if (!lprf2_get_value(&r->d, kind, &values[i]))
			return lprf2_bad(r, "D", function,
			    "a value exceeds the section");
	}
	site->values = values;
	return PROF_OK;
}

static enum prof_status
lprf2_get_sites(struct lprf2_decoder *r, size_t function,
    enum prof_value_kind kind, struct prof_sites *out)
{
	struct prof_site *sites;

	if (!lprf2_get_count(&r->d, &out->size))
		return lprf2_bad(r, "D", function,
		    "its value sites exceed the section");
	sites = arena_array(r->arena, out->size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < out->size; i++) {
		if (lprf2_get_site(r, function, kind, &sites[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->sites = sites;
	return PROF_OK;
}

static enum prof_status
lprf2_get_uniform(struct lprf2_decoder *r, size_t function)
{
	struct prof_function *f = &r->all[function];
	uint64_t *counts;

	if (!lprf2_get_count(&r->d, &f->uniform_size))
		return lprf2_bad(r, "D", function,
		    "its uniform counts exceed the section");
	counts = arena_array(r->arena, f->uniform_size, sizeof(*counts));
	if (counts == NULL)
		return err_memory(r->err);
	for (size_t i = 0; i < f->uniform_size; i++)
		counts[i] = cur_uleb(&r->d);
	f->uniform_counts = counts;
	return PROF_OK;
}

/* The members of one function, which stands at *next or behind. */
static enum prof_status
lprf2_get_members(struct lprf2_decoder *r, uint64_t *next)
{
	uint64_t at = cur_uleb(&r->d), bits = cur_uleb(&r->d);
	struct prof_function *f;

	if (r->d.failed || at < *next || at >= r->block->size ||
	    bits == 0 || bits > LPRF2_MEMBERS)
		return lprf2_bad(r, "D", (size_t)*next, "the members behind "
		    "the counters are of no function, or unknown");
	f = &r->all[at];
	*next = at + 1;
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if ((bits >> k & 1) && lprf2_get_sites(r, (size_t)at,
		    (enum prof_value_kind)k, &f->values[k]) != PROF_OK)
			return PROF_FAIL;
	}
	if ((bits & LPRF2_BITMAP) && !lprf2_get_bytes(&r->d, &f->bitmap))
		return lprf2_bad(r, "D", (size_t)at, "its bitmap exceeds the "
		    "section");
	if ((bits & LPRF2_UNIFORM) && lprf2_get_uniform(r, (size_t)at) !=
	    PROF_OK)
		return PROF_FAIL;
	if ((bits & LPRF2_EXTRA) && !lprf2_get_bytes(&r->d, &f->extra))
		return lprf2_bad(r, "D", (size_t)at, "its unknown keys exceed "
		    "the section");
	return r->d.failed ? lprf2_bad(r, "D", (size_t)at, "its members "
	    "exceed the section") : PROF_OK;
}

static enum prof_status
lprf2_check_order(const struct lprf2_decoder *r)
{
	for (size_t i = 1; i < r->block->size; i++) {
		if (lprf2_compare(&r->all[i - 1], &r->all[i]) >= 0)
			return lprf2_bad(r, "N", i,
			    "it does not come behind the one before it");
	}
	return PROF_OK;
}

static enum prof_status
lprf2_decode_all(struct lprf2_decoder *r)
{
	size_t n = r->block->size, sum;
	const uint8_t *zeros = cur_bytes(&r->d, (n + 7) / 8);
	uint64_t next = 0;

	if (zeros == NULL)
		return lprf2_bad(r, "D", n - 1, "no bit says whether it is "
		    "zero");
	if (lprf2_get_symbols(r) != PROF_OK ||
	    lprf2_get_shapes(r, zeros, &sum) != PROF_OK ||
	    lprf2_get_counts(r, zeros, sum) != PROF_OK ||
	    lprf2_check_order(r) != PROF_OK)
		return PROF_FAIL;
	while (cur_left(&r->d) != 0) {
		if (lprf2_get_members(r, &next) != PROF_OK)
			return PROF_FAIL;
	}
	return cur_left(&r->n) == 0 ? PROF_OK : lprf2_bad(r, "N", n - 1,
	    "bytes follow its name");
}

struct prof_function *
lprf2_decode(const struct lprf2_block *b, struct arena *arena,
    struct prof_error *err)
{
	struct lprf2_decoder r = { .block = b, .arena = arena, .err = err,
	    .n = { .data = b->sections[LPRF2_N].data,
		.size = b->sections[LPRF2_N].size },
	    .h = { .data = b->sections[LPRF2_H].data,
		.size = b->sections[LPRF2_H].size },
	    .d = { .data = b->sections[LPRF2_D].data,
		.size = b->sections[LPRF2_D].size } };
	size_t limit = r.h.size / 9;	/* a number and a hash each */

	if (b->size > limit) {
		err_at(err, PROF_E_CORRUPT, b->at + 8, "block: %u functions "
		    "exceed the %zu that section H holds", b->size, limit);
		return NULL;
	}
	r.all = arena_array(arena, b->size, sizeof(*r.all));
	if (r.all == NULL) {
		err_memory(err);
		return NULL;
	}
	memset(r.all, 0, b->size * sizeof(*r.all));
	return lprf2_decode_all(&r) == PROF_OK ? r.all : NULL;
}
