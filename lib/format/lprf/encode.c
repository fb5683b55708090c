#include <stdlib.h>

#include "base/arena.h"
#include "base/numbers.h"
#include "format/lprf/v2.h"

/* Functions to the sections of a block. */

static int
lprf2_compare_uses(const void *a, const void *b)
{
	const struct lprf2_use *const *x = a, *const *y = b;

	return prof_span_compare((*x)->name, (*y)->name);
}

/* Numbers the uses in the order of their names, and puts each name once. */
static void
lprf2_number_uses(struct lprf2_building *b, struct lprf2_use **sorted)
{
	const uint8_t *name = b->target_names.data;
	struct buf *out = &b->sections[LPRF2_T];
	size_t number = 0;

	for (size_t i = 0; i < b->uses_size; i++) {
		b->uses[i].name.data = name;
		name += b->uses[i].name.size;
		sorted[i] = &b->uses[i];
	}
	qsort(sorted, b->uses_size, sizeof(*sorted), lprf2_compare_uses);
	for (size_t i = 0; i < b->uses_size; i++) {
		if (i == 0 || !prof_span_equal(sorted[i]->name,
		    sorted[i - 1]->name)) {
			buf_uleb(out, sorted[i]->name.size);
			buf_put(out, sorted[i]->name.data,
			    sorted[i]->name.size);
			number++;
		}
		sorted[i]->number = number;
	}
}

/* Makes the sections T and M, once all functions are known. */
static void
lprf2_put_targets(struct lprf2_building *b)
{
	struct buf *out = &b->sections[LPRF2_M];
	struct lprf2_use **sorted = NULL;
	size_t from = 0;

	if (b->failed || b->target_names.failed || b->more.failed)
		return;
	if (b->uses_size != 0) {
		sorted = malloc(b->uses_size * sizeof(*sorted));
		if (sorted == NULL) {
			b->failed = true;
			return;
		}
		lprf2_number_uses(b, sorted);
		free(sorted);
	}
	for (size_t i = 0; i < b->uses_size; i++) {
		buf_put(out, b->more.data + from, b->uses[i].at - from);
		buf_uleb(out, b->uses[i].number);
		from = b->uses[i].at;
	}
	if (from != b->more.size)
		buf_put(out, b->more.data + from, b->more.size - from);
}

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

bool
lprf2_fits(const struct lprf2_building *b, const struct prof_function *f)
{
	const size_t names_max = b->plain ? LPRF2_NAMES_FULL :
	    LPRF2_NAMES_MAX;
	struct prof_span name = f->symbol.name;

	return b->size == 0 || (b->size != UINT32_MAX &&
	    b->kind == lprf2_kind_of(&f->symbol) &&
	    (name.size <= names_max - b->names ||
	    prof_span_equal(name, buf_span(&b->last))));
}

/* A known name stands for the value, which is its guid. */
static void
lprf2_put_value(struct lprf2_building *b, const struct prof_value *v,
    enum prof_value_kind kind)
{
	struct lprf2_use use;

	buf_uleb(&b->more, v->count);
	if (kind == PROF_MEM_OP_SIZE) {
		buf_uleb(&b->more, v->value);
	} else if (v->name.size != 0) {
		use = (struct lprf2_use){ .name.size = v->name.size,
		    .at = b->more.size };
		buf_put(&b->target_names, v->name.data, v->name.size);
		if (!ARRAY_ADD(b->uses, b->uses_size, b->uses_room, use))
			b->failed = true;
	} else {
		buf_uleb(&b->more, 0);
		buf_u64le(&b->more, v->value);
	}
}

static void
lprf2_put_sites(struct lprf2_building *b, const struct prof_sites *sites,
    enum prof_value_kind kind)
{
	buf_uleb(&b->more, sites->size);
	b->memory += LPRF2_MEMORY_SITE * (uint64_t)sites->size;
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *s = &sites->sites[i];

		buf_uleb(&b->more, s->size);
		b->memory += LPRF2_MEMORY_VALUE * (uint64_t)s->size;
		for (size_t k = 0; k < s->size; k++)
			lprf2_put_value(b, &s->values[k], kind);
	}
}

static void
lprf2_put_bytes(struct buf *out, struct prof_span s)
{
	buf_uleb(out, s.size);
	buf_put(out, s.data, s.size);
}

static void
lprf2_put_more(struct lprf2_building *b, const struct prof_function *f)
{
	unsigned bits = (f->bitmap.size != 0 ? LPRF2_BITMAP : 0u) |
	    (f->uniform_size != 0 ? LPRF2_UNIFORM : 0u) |
	    (f->extra.size != 0 ? LPRF2_EXTRA : 0u);
	struct buf *out = &b->more;

	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++)
		bits |= (f->values[k].size != 0 ? 1u : 0u) << k;
	if (bits == 0)
		return;
	buf_uleb(out, b->size - b->with_more);
	b->with_more = b->size + 1;
	buf_uleb(out, bits);
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (bits >> k & 1)
			lprf2_put_sites(b, &f->values[k],
			    (enum prof_value_kind)k);
	}
	if (bits & LPRF2_BITMAP)
		lprf2_put_bytes(out, f->bitmap);
	if (bits & LPRF2_UNIFORM) {
		buf_uleb(out, f->uniform_size);
		b->memory += LPRF2_MEMORY_COUNTER * (uint64_t)f->uniform_size;
		for (size_t i = 0; i < f->uniform_size; i++)
			buf_uleb(out, f->uniform_counts[i]);
	}
	if (bits & LPRF2_EXTRA)
		lprf2_put_bytes(out, f->extra);
}

/*
 * Counters that are all zero take no bytes, up to the limit that bounds what a
 * reader allocates.
 */
static unsigned
lprf2_width(struct lprf2_building *b, const struct prof_function *f)
{
	uint64_t any = 0;

	for (size_t i = 0; i < f->counts_size; i++)
		any |= f->counts[i];
	if (any != 0)
		return narrow_width(any);
	if (b->plain || f->counts_size > LPRF2_ZEROS_MAX - b->zero_counts)
		return 1;
	b->zero_counts += f->counts_size;
	return 0;
}

static void
lprf2_put_counts(struct lprf2_building *b, const struct prof_function *f)
{
	unsigned width = lprf2_width(b, f);
	struct buf *widths = &b->sections[LPRF2_C];
	size_t size = width * f->counts_size;
	uint8_t *to = buf_reserve(&b->counters, size);

	b->memory += LPRF2_MEMORY_COUNTER * (uint64_t)f->counts_size;
	if (b->size % 2 == 0)
		buf_u8(widths, (uint8_t)width);
	else if (!widths->failed)
		widths->data[b->size / 2] |= (uint8_t)(width << 4);
	if (to == NULL)
		return;
	narrow_store(to, f->counts, f->counts_size, width);
	b->counters.size += size;
}

void
lprf2_encode(struct lprf2_building *b, const struct prof_function *f)
{
	struct buf *names = &b->sections[LPRF2_N];
	struct prof_span name = f->symbol.name;
	size_t shared = 0;

	b->kind = lprf2_kind_of(&f->symbol);
	if (b->kind == LPRF2_NAMES)
		shared = lprf2_put_suffix(names, &b->last, name);
	else
		buf_u64le(names, f->symbol.guid);
	/* A name that is the one before it again takes no memory. */
	if (b->size == 0 || shared != name.size)
		b->memory += name.size;
	if (b->size != 0 && shared != name.size)
		b->names += name.size;
	buf_uleb(&b->sections[LPRF2_H], f->counts_size);
	buf_u64le(&b->hashes, f->hash);
	lprf2_put_counts(b, f);
	lprf2_put_more(b, f);
	b->size++;
}

bool
lprf2_join(struct lprf2_building *b)
{
	bool failed;

	lprf2_put_targets(b);
	failed = b->failed || b->last.failed || b->more.failed ||
	    b->target_names.failed;
	buf_put(&b->sections[LPRF2_H], b->hashes.data, b->hashes.size);
	buf_put(&b->sections[LPRF2_C], b->counters.data, b->counters.size);
	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		failed = failed || b->sections[i].failed;
	return !failed && !b->hashes.failed && !b->counters.failed;
}
