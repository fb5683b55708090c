/* The sections of a block to functions; each count is checked against them. */
#include "format/lprf/v2.h"

#include "base/array.h"
#include "base/error.h"
#include "base/swar.h"
#include "model/guid_cache.h"

enum { AT_ONCE = 8 };			/* counters of a byte in a word */

struct lprf2_decoder {
	const struct lprf2_block *block;
	struct arena *arena;
	struct guid_cache *guids;	/* of targets, or NULL */
	struct cursor n, h, d;
	const struct prof_function *shapes;	/* names, hashes and numbers of
						 * counters: all, or others */
	const uint64_t *counts;			/* of all functions */
	/* All functions; or NULL, and only what has more than counters. */
	struct prof_function *all;
	struct lprf2_data *data;
	/* Functions that are wanted; of others the counters are passed over. */
	size_t from, to;
	bool passes;			/* the function at hand is another */
	struct prof_error *err;
};

static bool
lprf2_is_wanted(const struct lprf2_decoder *r, size_t function)
{
	return function >= r->from && function < r->to;
}

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

/* What bounds numbers of counters: bytes of D, and the limit of zeros. */
struct lprf2_room {
	uint64_t left[2];
};

static struct lprf2_room
lprf2_room_of(const struct lprf2_decoder *r)
{
	return (struct lprf2_room){ { cur_left(&r->d), LPRF2_ZEROS_MAX } };
}

/* Takes the counters of a function from what is left. */
static enum prof_status
lprf2_take_room(struct lprf2_decoder *r, struct lprf2_room *room,
    const uint8_t *zeros, size_t i, uint64_t size)
{
	uint64_t *left = &room->left[lprf2_is_zero(zeros, i)];

	if (size > *left)
		return lprf2_bad(r, "H", i, "more counters than the "
		    "section D holds");
	*left -= size;
	return PROF_OK;
}

static enum prof_status
lprf2_get_shapes(struct lprf2_decoder *r, const uint8_t *zeros)
{
	struct lprf2_room room = lprf2_room_of(r);

	for (size_t i = 0; i < r->block->size; i++) {
		uint64_t size = cur_uleb(&r->h);

		if (r->h.failed)
			return lprf2_bad(r, "H", i, "it exceeds the section");
		if (lprf2_take_room(r, &room, zeros, i, size) != PROF_OK)
			return PROF_FAIL;
		r->all[i].counts_size = (size_t)size;
	}
	if (cur_left(&r->h) != (size_t)r->block->size * 8)
		return lprf2_bad(r, "H", r->block->size - 1u, "the section "
		    "does not end with a hash of each");
	for (size_t i = 0; i < r->block->size; i++)
		r->all[i].hash = cur_u64(&r->h);
	return PROF_OK;
}

/* The bits of a number whose bytes have 7 each, up to eight bytes. */
static inline uint64_t
lprf2_join_groups(uint64_t word)
{
	/* Groups of 7 bits move together, pairs of them, and pairs of pairs. */
	word = (word & 0x007f007f007f007f) |
	    (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) |
	    (word & 0x3fff00003fff0000) >> 2;
	return (word & 0x0fffffff) | (word & 0x0fffffff00000000) >> 4;
}

/*
 * Takes all numbers that end in a word, n at most; returns how many.  *size
 * becomes the number of their bytes.
 */
static inline size_t
lprf2_numbers_of_word(uint64_t word, uint64_t *numbers, size_t n, size_t *size)
{
	uint64_t ends = ~word & SWAR_BYTES(0x80);
	unsigned bits, taken = 0;
	size_t i = 0;

	while (ends != 0 && i < n) {
		bits = (unsigned)__builtin_ctzll(ends) + 1;
		numbers[i++] = lprf2_join_groups(word & (ends ^ (ends - 1)));
		taken += bits;
		word = bits == 64 ? 0 : word >> bits;
		ends = bits == 64 ? 0 : ends >> bits;
	}
	*size = taken / 8;
	return i;
}

/* Eight counters of a byte each are taken at once. */
static void
lprf2_get_counters(struct cursor *c, uint64_t *counts, size_t n)
{
	size_t i = 0, some, size;

	while (i < n && cur_left(c) >= AT_ONCE) {
		const uint8_t *p = c->data + c->pos;
		uint64_t word = swar_load(p);

		if (n - i >= AT_ONCE && (word & SWAR_BYTES(0x80)) == 0) {
			for (size_t k = 0; k < AT_ONCE; k++)
				counts[i++] = p[k];
			c->pos += AT_ONCE;
			continue;
		}
		some = lprf2_numbers_of_word(word, counts + i, n - i, &size);
		c->pos += size;
		i += some;
		if (some == 0)
			counts[i++] = cur_uleb(c);
	}
	while (i < n)
		counts[i++] = cur_uleb(c);
}

/* Passes over n counters, each of which ends with a byte below 0x80. */
static void
lprf2_pass_counters(struct cursor *c, size_t n)
{
	while (n >= AT_ONCE && cur_left(c) >= AT_ONCE) {
		uint64_t word = swar_load(c->data + c->pos);

		/* The sum of all bytes, each of which is 0 or 1. */
		n -= (size_t)((~word >> 7 & SWAR_BYTES(1)) * SWAR_BYTES(1) >>
		    56);
		c->pos += AT_ONCE;
	}
	while (n-- != 0)
		cur_uleb(c);
}

/*
 * The counters of the functions that are wanted, whose numbers are known; the
 * functions get them unless these belong to another block.
 */
static enum prof_status
lprf2_get_counts(struct lprf2_decoder *r, const uint8_t *zeros)
{
	uint64_t *counts;
	size_t sum = 0;

	for (size_t i = r->from; i < r->to; i++)
		sum += r->shapes[i].counts_size;
	counts = arena_array(r->arena, sum, sizeof(*counts));
	if (counts == NULL)
		return err_memory(r->err);
	r->counts = counts;
	for (size_t i = 0; i < r->block->size; i++) {
		size_t n = r->shapes[i].counts_size;

		if (!lprf2_is_wanted(r, i)) {
			if (!lprf2_is_zero(zeros, i))
				lprf2_pass_counters(&r->d, n);
			continue;
		}
		if (lprf2_is_zero(zeros, i))
			memset(counts, 0, n * sizeof(*counts));
		else
			lprf2_get_counters(&r->d, counts, n);
		if (r->d.failed)
			return lprf2_bad(r, "D", i, "a counter exceeds the "
			    "section, or 64 bits");
		if (r->all != NULL)
			r->all[i].counts = counts;
		counts += n;
	}
	return PROF_OK;
}

static bool
lprf2_get_value(struct lprf2_decoder *r, enum prof_value_kind kind,
    struct prof_value *v)
{
	struct cursor *c = &r->d;

	*v = (struct prof_value){ .count = cur_uleb(c) };
	if (kind == PROF_MEM_OP_SIZE) {
		v->value = cur_uleb(c);
		return !c->failed;
	}
	if (!lprf2_get_bytes(c, &v->name))
		return false;
	if (v->name.size != 0) {
		v->value = r->passes ? 0 : r->guids == NULL ?
		    prof_guid(v->name) : guid_cache_of(r->guids, v->name);
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
		if (!lprf2_get_value(r, kind, &values[i]))
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
lprf2_get_uniform(struct lprf2_decoder *r, size_t function,
    struct prof_function *f)
{
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

/* The function that gets members; NULL if out of memory. */
static struct prof_function *
lprf2_function_at(struct lprf2_decoder *r, size_t at)
{
	const struct prof_function *shape = &r->shapes[at];
	struct lprf2_data *d = r->data;

	if (r->all != NULL)
		return &r->all[at];
	if (!ARRAY_ROOM(d->more, d->more_size, d->more_room)) {
		err_memory(r->err);
		return NULL;
	}
	d->more[d->more_size] = (struct prof_function){
	    .symbol = shape->symbol, .hash = shape->hash,
	    .counts = r->counts + (shape->counts - r->shapes[0].counts),
	    .counts_size = shape->counts_size };
	return &d->more[d->more_size++];
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
	f = lprf2_function_at(r, (size_t)at);
	if (f == NULL)
		return PROF_FAIL;
	*next = at + 1;
	r->passes = !lprf2_is_wanted(r, (size_t)at);
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if ((bits >> k & 1) && lprf2_get_sites(r, (size_t)at,
		    (enum prof_value_kind)k, &f->values[k]) != PROF_OK)
			return PROF_FAIL;
	}
	if ((bits & LPRF2_BITMAP) && !lprf2_get_bytes(&r->d, &f->bitmap))
		return lprf2_bad(r, "D", (size_t)at, "its bitmap exceeds the "
		    "section");
	if ((bits & LPRF2_UNIFORM) && lprf2_get_uniform(r, (size_t)at, f) !=
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
lprf2_get_all_members(struct lprf2_decoder *r)
{
	uint64_t next = 0;

	while (cur_left(&r->d) != 0) {
		if (lprf2_get_members(r, &next) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static const uint8_t *
lprf2_get_zeros(struct lprf2_decoder *r)
{
	size_t n = r->block->size;
	const uint8_t *zeros = cur_bytes(&r->d, (n + 7) / 8);

	if (zeros == NULL)
		lprf2_bad(r, "D", n - 1, "no bit says whether it is zero");
	return zeros;
}

/* The first function of the block that is not below the name, or is above. */
static size_t
lprf2_bound(const struct lprf2_decoder *r, struct prof_span name, bool above)
{
	size_t low = 0, high = r->block->size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = prof_span_compare(r->all[middle].symbol.name,
		    name);

		if (order < 0 || (above && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The functions between two names are wanted, if there are names. */
static void
lprf2_set_wanted(struct lprf2_decoder *r, const struct prof_span *names)
{
	r->from = 0;
	r->to = r->block->size;
	if (names == NULL)
		return;
	r->from = lprf2_bound(r, names[0], false);
	r->to = lprf2_bound(r, names[1], true);
}

static enum prof_status
lprf2_decode_all(struct lprf2_decoder *r, const struct prof_span *names)
{
	const uint8_t *zeros = lprf2_get_zeros(r);

	if (zeros == NULL || lprf2_get_symbols(r) != PROF_OK ||
	    lprf2_get_shapes(r, zeros) != PROF_OK ||
	    lprf2_check_order(r) != PROF_OK)
		return PROF_FAIL;
	lprf2_set_wanted(r, names);
	if (lprf2_get_counts(r, zeros) != PROF_OK ||
	    lprf2_get_all_members(r) != PROF_OK)
		return PROF_FAIL;
	return cur_left(&r->n) == 0 ? PROF_OK : lprf2_bad(r, "N",
	    r->block->size - 1u, "bytes follow its name");
}

static struct lprf2_decoder
lprf2_decoder_of(const struct lprf2_block *b, struct arena *arena,
    struct guid_cache *guids, struct prof_error *err)
{
	struct lprf2_decoder r = { .block = b, .arena = arena, .err = err,
	    .guids = guids,
	    .n = { .data = b->sections[LPRF2_N].data,
		.size = b->sections[LPRF2_N].size },
	    .h = { .data = b->sections[LPRF2_H].data,
		.size = b->sections[LPRF2_H].size },
	    .d = { .data = b->sections[LPRF2_D].data,
		.size = b->sections[LPRF2_D].size } };

	return r;
}

/* Functions of the block: all, or r->from to r->to of those between names. */
static struct prof_function *
lprf2_decode_functions(struct lprf2_decoder *r, const struct prof_span *names)
{
	const struct lprf2_block *b = r->block;
	size_t limit = r->h.size / 9;	/* a number and a hash each */

	if (b->size > limit) {
		err_at(r->err, PROF_E_CORRUPT, b->at + 8, "block: %u functions "
		    "exceed the %zu that section H holds", b->size, limit);
		return NULL;
	}
	r->all = arena_array(r->arena, b->size, sizeof(*r->all));
	if (r->all == NULL) {
		err_memory(r->err);
		return NULL;
	}
	memset(r->all, 0, b->size * sizeof(*r->all));
	r->shapes = r->all;
	return lprf2_decode_all(r, names) == PROF_OK ? r->all : NULL;
}

struct prof_function *
lprf2_decode(const struct lprf2_block *b, struct arena *arena,
    struct guid_cache *guids, struct prof_error *err)
{
	struct lprf2_decoder r = lprf2_decoder_of(b, arena, guids, err);

	return lprf2_decode_functions(&r, NULL);
}

struct prof_function *
lprf2_decode_between(const struct lprf2_block *b, struct prof_span first,
    struct prof_span last, size_t *size, struct arena *arena,
    struct prof_error *err)
{
	struct lprf2_decoder r = lprf2_decoder_of(b, arena, NULL, err);
	const struct prof_span names[] = { first, last };
	struct prof_function *all = lprf2_decode_functions(&r, names);

	*size = r.to - r.from;
	return all == NULL ? NULL : all + r.from;
}

/* The numbers of counters are those of the shapes. */
static enum prof_status
lprf2_check_shapes(struct lprf2_decoder *r, const uint8_t *zeros, size_t *sum)
{
	struct lprf2_room room = lprf2_room_of(r);

	*sum = 0;
	for (size_t i = 0; i < r->block->size; i++) {
		size_t n = r->shapes[i].counts_size;

		if (lprf2_take_room(r, &room, zeros, i, n) != PROF_OK)
			return PROF_FAIL;
		*sum += n;
	}
	return PROF_OK;
}

enum prof_status
lprf2_decode_data(const struct lprf2_block *b,
    const struct prof_function *shapes, struct arena *arena,
    struct guid_cache *guids, struct lprf2_data *data, struct prof_error *err)
{
	struct lprf2_decoder r = lprf2_decoder_of(b, arena, guids, err);
	const uint8_t *zeros = lprf2_get_zeros(&r);

	r.shapes = shapes;
	r.to = b->size;
	r.data = data;
	data->more_size = 0;
	if (zeros == NULL ||
	    lprf2_check_shapes(&r, zeros, &data->counts_size) != PROF_OK ||
	    lprf2_get_counts(&r, zeros) != PROF_OK)
		return PROF_FAIL;
	data->counts = (uint64_t *)(uintptr_t)r.counts;
	return lprf2_get_all_members(&r);
}
