#include <stdlib.h>

#include "base/arena.h"
#include "base/numbers.h"
#include "format/lprf/v2.h"
#include "model/value_sites.h"

/* Functions to the sections of a block. */

/* The kind of block that a function stands in. */
static enum lprf2_kind
lprf2_kind_of(const struct prof_symbol *s)
{
	return s->name.size != 0 ? LPRF2_NAMES : LPRF2_GUIDS;
}

int
lprf2_compare_symbols(const struct prof_symbol *a, const struct prof_symbol *b)
{
	int order = prof_span_compare(a->name, b->name);

	return order != 0 || a->name.size != 0 ? order :
	    compare_u64(a->guid, b->guid);
}

int
lprf2_compare(const struct prof_function *a, const struct prof_function *b)
{
	int order = lprf2_compare_symbols(&a->symbol, &b->symbol);

	return order != 0 ? order : compare_u64(a->hash, b->hash);
}

bool
lprf2_fits(const struct lprf2_building *b, const struct prof_function *f)
{
	const size_t names_max = b->plain ? LPRF2_NAMES_FULL :
	    LPRF2_NAMES_MAX;
	struct prof_span name = f->symbol.name;

	return b->size == 0 || (b->size != UINT32_MAX &&
	    b->kind == lprf2_kind_of(&f->symbol) &&
	    (name.size <= names_max - b->names ||
	    prof_span_equal(name, b->functions[b->size - 1].symbol.name)));
}

void
lprf2_encode(struct lprf2_building *b, const struct prof_function *f)
{
	struct buf *names = &b->sections[LPRF2_N];
	struct prof_span name = f->symbol.name, last = { NULL, 0 };
	size_t shared = 0;

	b->kind = lprf2_kind_of(&f->symbol);
	if (b->size != 0)
		last = b->functions[b->size - 1].symbol.name;
	if (b->kind == LPRF2_NAMES)
		shared = lprf2_put_suffix(names, last, name);
	else
		buf_u64le(names, f->symbol.guid);
	/* A name that is the one before it again takes no memory. */
	if (b->size == 0 || shared != name.size)
		b->memory += name.size;
	if (b->size != 0 && shared != name.size)
		b->names += name.size;
	buf_uleb(&b->sections[LPRF2_H], f->counts_size);
	if (!ARRAY_ADD(b->functions, b->functions_size, b->functions_room, *f))
		b->failed = true;
	else
		b->size++;
}

/*
 * The width of counters.  Those that are all zero take no bytes, up to the
 * limit that bounds what a reader allocates.
 */
static unsigned
lprf2_width(const struct lprf2_building *b, const struct prof_function *f,
    size_t *zeros)
{
	uint64_t any = 0;

	for (size_t i = 0; i < f->counts_size; i++)
		any |= f->counts[i];
	if (any != 0)
		return narrow_width(any);
	if (b->plain || f->counts_size > LPRF2_ZEROS_MAX - *zeros)
		return 1;
	*zeros += f->counts_size;
	return 0;
}

/* Section C: the widths, two a byte, and the counters. */
static void
lprf2_put_counters(struct lprf2_building *b)
{
	struct buf *out = &b->sections[LPRF2_C];
	size_t zeros = 0;

	buf_zeros(out, (b->size + (size_t)1) / 2);
	for (size_t i = 0; i < b->size; i++) {
		const struct prof_function *f = &b->functions[i];
		unsigned width = lprf2_width(b, f, &zeros);
		size_t size = width * f->counts_size;
		uint8_t *to = buf_reserve(out, size);

		b->memory += LPRF2_MEMORY_COUNTER * (uint64_t)f->counts_size;
		if (to == NULL)
			return;
		out->data[i / 2] |= (uint8_t)(width << 4 * (i % 2));
		narrow_store(to, f->counts, f->counts_size, width);
		out->size += size;
	}
}

static void
lprf2_put_bytes(struct buf *out, struct prof_span s)
{
	buf_uleb(out, s.size);
	buf_put(out, s.data, s.size);
}

static int
lprf2_compare_names(const void *a, const void *b)
{
	const struct prof_span *x = a, *y = b;

	return prof_span_compare(*x, *y);
}

/*
 * Section T: each name of a target once, in order.  *names becomes an array of
 * them, and their number is returned.
 */
static size_t
lprf2_put_targets(struct lprf2_building *b, struct prof_span **names)
{
	struct prof_span *all = NULL;
	size_t n = 0, room = 0, size = 0;

	for (size_t i = 0; i < b->size; i++) {
		struct value_walk walk = { 0 };
		const struct prof_value *v;

		while ((v = value_next_target(&walk,
		    b->functions[i].values)) != NULL) {
			if (v->name.size != 0 &&
			    !ARRAY_ADD(all, n, room, v->name))
				b->failed = true;
		}
	}
	if (n != 0)
		qsort(all, n, sizeof(*all), lprf2_compare_names);
	for (size_t i = 0; i < n; i++) {
		if (size != 0 && prof_span_equal(all[i], all[size - 1]))
			continue;
		all[size++] = all[i];
		lprf2_put_bytes(&b->sections[LPRF2_T], all[i]);
	}
	*names = all;
	return size;
}

/* The sites of a kind; a known name stands for the value, which is its guid. */
static void
lprf2_put_sites(struct lprf2_building *b, const struct prof_sites *sites,
    enum prof_value_kind kind, const struct prof_span *names, size_t n)
{
	struct buf *out = &b->sections[LPRF2_M];

	buf_uleb(out, sites->size);
	b->memory += LPRF2_MEMORY_SITE * (uint64_t)sites->size;
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *s = &sites->sites[i];

		buf_uleb(out, s->size);
		b->memory += LPRF2_MEMORY_VALUE * (uint64_t)s->size;
		for (size_t k = 0; k < s->size; k++) {
			const struct prof_value *v = &s->values[k];
			const struct prof_span *name;

			buf_uleb(out, v->count);
			if (kind == PROF_MEM_OP_SIZE) {
				buf_uleb(out, v->value);
			} else if (v->name.size != 0) {
				name = bsearch(&v->name, names, n,
				    sizeof(*names), lprf2_compare_names);
				buf_uleb(out, (uint64_t)(name - names) + 1);
			} else {
				buf_uleb(out, 0);
				buf_u64le(out, v->value);
			}
		}
	}
}

/* Sections T and M: the members of functions that have any. */
static void
lprf2_put_members(struct lprf2_building *b)
{
	struct buf *out = &b->sections[LPRF2_M];
	struct prof_span *names;
	size_t n = lprf2_put_targets(b, &names), next = 0;

	for (size_t i = 0; i < b->size && !b->failed; i++) {
		const struct prof_function *f = &b->functions[i];
		unsigned bits = (f->bitmap.size != 0 ? LPRF2_BITMAP : 0u) |
		    (f->uniform_size != 0 ? LPRF2_UNIFORM : 0u) |
		    (f->extra.size != 0 ? LPRF2_EXTRA : 0u);

		for (unsigned k = 0; k < PROF_VALUE_KINDS; k++)
			bits |= (f->values[k].size != 0 ? 1u : 0u) << k;
		if (bits == 0)
			continue;
		buf_uleb(out, i - next);
		next = i + 1;
		buf_uleb(out, bits);
		for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
			if (bits >> k & 1)
				lprf2_put_sites(b, &f->values[k],
				    (enum prof_value_kind)k, names, n);
		}
		if (bits & LPRF2_BITMAP)
			lprf2_put_bytes(out, f->bitmap);
		if (bits & LPRF2_UNIFORM)
			buf_uleb(out, f->uniform_size);
		b->memory += LPRF2_MEMORY_COUNTER * (uint64_t)f->uniform_size;
		for (size_t k = 0; k < f->uniform_size; k++)
			buf_uleb(out, f->uniform_counts[k]);
		if (bits & LPRF2_EXTRA)
			lprf2_put_bytes(out, f->extra);
	}
	free(names);
}

bool
lprf2_join(struct lprf2_building *b)
{
	bool failed;

	for (size_t i = 0; i < b->functions_size; i++)
		buf_u64le(&b->sections[LPRF2_H], b->functions[i].hash);
	if (b->functions_size != 0) {
		lprf2_put_counters(b);
		lprf2_put_members(b);
	}
	failed = b->failed;
	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		failed = failed || b->sections[i].failed;
	return !failed;
}
