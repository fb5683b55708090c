/* Functions to the sections of a block. */
#include "format/lprf/v2.h"

enum lprf2_kind
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

static bool
lprf2_is_last(const struct lprf2_building *b, struct prof_span name)
{
	return prof_span_equal(name, (struct prof_span){ b->last.data,
	    b->last.size });
}

bool
lprf2_fits(const struct lprf2_building *b, const struct prof_function *f)
{
	struct prof_span name = f->symbol.name;

	return b->size == 0 || (b->size != UINT32_MAX &&
	    b->kind == lprf2_kind_of(&f->symbol) &&
	    (name.size <= LPRF2_NAMES_MAX - b->names ||
	    lprf2_is_last(b, name)));
}

/* The name without the bytes that it shares with the last one. */
static void
lprf2_put_name(struct lprf2_building *b, struct prof_span name)
{
	struct buf *out = &b->sections[LPRF2_N];
	size_t shared = 0;

	while (shared < b->last.size && shared < name.size &&
	    b->last.data[shared] == name.data[shared])
		shared++;
	buf_uleb(out, shared);
	buf_uleb(out, name.size - shared);
	buf_put(out, name.data + shared, name.size - shared);
	if (b->size != 0 && shared != name.size)
		b->names += name.size;
	b->last.size = shared;
	buf_put(&b->last, name.data + shared, name.size - shared);
}

/* A known name stands for the value, which is its guid. */
static void
lprf2_put_value(struct buf *out, const struct prof_value *v,
    enum prof_value_kind kind)
{
	buf_uleb(out, v->count);
	if (kind == PROF_MEM_OP_SIZE) {
		buf_uleb(out, v->value);
		return;
	}
	buf_uleb(out, v->name.size);
	if (v->name.size == 0)
		buf_u64le(out, v->value);
	else
		buf_put(out, v->name.data, v->name.size);
}

static void
lprf2_put_sites(struct buf *out, const struct prof_sites *sites,
    enum prof_value_kind kind)
{
	buf_uleb(out, sites->size);
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *s = &sites->sites[i];

		buf_uleb(out, s->size);
		for (size_t k = 0; k < s->size; k++)
			lprf2_put_value(out, &s->values[k], kind);
	}
}

static void
lprf2_put_bytes(struct buf *out, struct prof_span s)
{
	buf_uleb(out, s.size);
	buf_put(out, s.data, s.size);
}

static unsigned
lprf2_members(const struct prof_function *f)
{
	unsigned bits = 0;

	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size != 0)
			bits |= 1u << k;
	}
	return bits | (f->bitmap.size != 0 ? LPRF2_BITMAP : 0u) |
	    (f->uniform_size != 0 ? LPRF2_UNIFORM : 0u) |
	    (f->extra.size != 0 ? LPRF2_EXTRA : 0u);
}

static void
lprf2_put_more(struct lprf2_building *b, const struct prof_function *f)
{
	unsigned bits = lprf2_members(f);
	struct buf *out = &b->more;

	if (bits == 0)
		return;
	buf_uleb(out, b->size);
	buf_uleb(out, bits);
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (bits >> k & 1)
			lprf2_put_sites(out, &f->values[k],
			    (enum prof_value_kind)k);
	}
	if (bits & LPRF2_BITMAP)
		lprf2_put_bytes(out, f->bitmap);
	if (bits & LPRF2_UNIFORM) {
		buf_uleb(out, f->uniform_size);
		for (size_t i = 0; i < f->uniform_size; i++)
			buf_uleb(out, f->uniform_counts[i]);
	}
	if (bits & LPRF2_EXTRA)
		lprf2_put_bytes(out, f->extra);
}

/*
 * A bit says that all counters are zero, and then none is stored, up to the
 * limit that bounds what a reader allocates.
 */
static void
lprf2_put_counts(struct lprf2_building *b, const struct prof_function *f)
{
	uint64_t any = 0;

	for (size_t i = 0; i < f->counts_size; i++)
		any |= f->counts[i];
	if (b->size % 8 == 0)
		buf_u8(&b->zeros, 0);
	if (any == 0 && f->counts_size <= LPRF2_ZEROS_MAX - b->zero_counts) {
		b->zero_counts += f->counts_size;
		if (!b->zeros.failed)
			b->zeros.data[b->size / 8] |=
			    (uint8_t)(1u << b->size % 8);
		return;
	}
	for (size_t i = 0; i < f->counts_size; i++)
		buf_uleb(&b->sections[LPRF2_D], f->counts[i]);
}

void
lprf2_encode(struct lprf2_building *b, const struct prof_function *f)
{
	b->kind = lprf2_kind_of(&f->symbol);
	if (b->kind == LPRF2_NAMES)
		lprf2_put_name(b, f->symbol.name);
	else
		buf_u64le(&b->sections[LPRF2_N], f->symbol.guid);
	buf_uleb(&b->sections[LPRF2_H], f->counts_size);
	buf_u64le(&b->hashes, f->hash);
	lprf2_put_counts(b, f);
	lprf2_put_more(b, f);
	b->size++;
}
