#include "model/value_sites.h"

#include "base/error.h"

const struct prof_site *
value_next_site(struct value_walk *w,
    const struct prof_sites sites[PROF_VALUE_KINDS])
{
	while (w->next_site >= sites[w->kind].size) {
		if (w->kind + 1 == PROF_VALUE_KINDS)
			return NULL;
		w->kind++;
		w->next_site = 0;
	}
	return &sites[w->kind].sites[w->next_site++];
}

const struct prof_value *
value_next_target(struct value_walk *w,
    const struct prof_sites sites[PROF_VALUE_KINDS])
{
	while (w->site == NULL || w->kind == PROF_MEM_OP_SIZE ||
	    w->next_value == w->site->size) {
		w->site = value_next_site(w, sites);
		w->next_value = 0;
		if (w->site == NULL)
			return NULL;
	}
	return &w->site->values[w->next_value++];
}

int
value_kinds_count(const struct prof_sites sites[PROF_VALUE_KINDS])
{
	int n = 0;

	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		n += sites[k].size != 0;
	return n;
}

bool
value_sites_have_values(const struct prof_sites sites[PROF_VALUE_KINDS])
{
	struct value_walk walk = { 0 };
	const struct prof_site *site;

	while ((site = value_next_site(&walk, sites)) != NULL) {
		if (site->size != 0)
			return true;
	}
	return false;
}

bool
value_sites_empty(struct arena *a, size_t n, struct prof_sites *out)
{
	struct prof_site *sites = arena_array(a, n, sizeof(*sites));

	if (sites == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		sites[i] = (struct prof_site){ NULL, 0 };
	*out = (struct prof_sites){ sites, n };
	return true;
}

enum { BLOCK_HEAD = 8, RECORD_HEAD = 8, PAIR = 16 };

/* One kind's record: site counts, padding, then the pairs of all sites. */
static enum prof_status
values_read_kind(struct cursor *c, struct arena *a,
    const struct values_resolver *resolver,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	uint64_t at = c->pos, total = 0;
	uint32_t kind = cur_u32(c), count = cur_u32(c);
	const uint8_t *sizes, *pairs;
	struct prof_site *sites;
	struct prof_value *v;

	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "value data: a record "
		    "head runs past the block's TotalSize");
	if (kind >= PROF_VALUE_KINDS)
		return err_at(err, PROF_E_UNSUPPORTED, at,
		    "value data: Kind %u is not one of the %d known", kind,
		    PROF_VALUE_KINDS);
	if (out[kind].size != 0)
		return err_at(err, PROF_E_CORRUPT, at, "value data: Kind %u "
		    "occurs twice in a block", kind);
	if (count == 0)
		return err_at(err, PROF_E_CORRUPT, at,
		    "value data: NumValueSites is 0 for Kind %u", kind);
	sizes = cur_bytes(c, count);
	if (sizes == NULL || cur_bytes(c, pad8(RECORD_HEAD + count)) == NULL)
		return err_at(err, PROF_E_CORRUPT, at, "value data: "
		    "NumValueSites %u exceeds the %zu bytes left of the block",
		    count, cur_left(c));
	for (uint32_t i = 0; i < count; i++)
		total += sizes[i];
	if (total > cur_left(c) / PAIR)
		return err_at(err, PROF_E_CORRUPT, at, "value data: %llu "
		    "values of Kind %u exceed the %zu bytes left of the block",
		    (unsigned long long)total, kind, cur_left(c));
	pairs = cur_bytes(c, total * PAIR);
	sites = arena_array(a, count, sizeof(*sites));
	v = arena_array(a, (size_t)total, sizeof(*v));
	if (sites == NULL || v == NULL)
		return err_memory(err);
	out[kind] = (struct prof_sites){ sites, count };
	for (uint32_t i = 0; i < count; i++) {
		sites[i] = (struct prof_site){ v, sizes[i] };
		for (unsigned k = 0; k < sizes[i]; k++, v++, pairs += PAIR) {
			*v = (struct prof_value){ load_u64(pairs, c->big),
			    load_u64(pairs + 8, c->big), { NULL, 0 } };
			if (resolver != NULL)
				resolver->resolve(resolver->arg,
				    (enum prof_value_kind)kind, v);
		}
	}
	return PROF_OK;
}

enum prof_status
values_read(struct cursor *c, struct arena *a,
    const struct values_resolver *resolver,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	uint64_t at = c->pos;
	uint32_t total = cur_u32(c), kinds = cur_u32(c);
	struct cursor block = *c;

	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		out[k] = (struct prof_sites){ NULL, 0 };
	if (c->failed)
		return err_at(err, PROF_E_TRUNCATED, at, "value data: 8 bytes "
		    "of a block head exceed the %zu left", c->size - c->pos);
	/* Most functions have no sites. */
	if (total == BLOCK_HEAD && kinds == 0)
		return PROF_OK;
	if (total < BLOCK_HEAD || total % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, at, "value data: TotalSize "
		    "%u is not a positive multiple of 8", total);
	if (cur_bytes(c, total - BLOCK_HEAD) == NULL)
		return err_at(err, PROF_E_TRUNCATED, at, "value data: "
		    "TotalSize %u exceeds the %zu bytes left", total,
		    cur_left(c) + BLOCK_HEAD);
	if (kinds > PROF_VALUE_KINDS)
		return err_at(err, PROF_E_CORRUPT, at + 4, "value data: "
		    "NumValueKinds %u exceeds the %d known", kinds,
		    PROF_VALUE_KINDS);
	block.size = c->pos;
	for (uint32_t i = 0; i < kinds; i++) {
		if (values_read_kind(&block, a, resolver, out, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (cur_left(&block) != 0)
		return err_at(err, PROF_E_CORRUPT, block.pos,
		    "value data: %zu bytes of TotalSize %u are left over",
		    cur_left(&block), total);
	return PROF_OK;
}

/* Values of a site that are written. */
static size_t
values_stored(const struct prof_site *s)
{
	return s->size < VALUES_SITE_MAX ? s->size : VALUES_SITE_MAX;
}

/* A number of 64 bits, or two of 32, for buf_u64le to write in an order. */
static uint64_t
values_u64(uint64_t v, bool big)
{
	return big ? __builtin_bswap64(v) : v;
}

static uint64_t
values_u32_pair(uint64_t first, uint64_t second, bool big)
{
	return big ? __builtin_bswap64(first << 32 | (uint32_t)second) :
	    second << 32 | (uint32_t)first;
}

static void
values_write_kind(struct buf *b, uint32_t kind, const struct prof_sites *sites,
    bool big, uint64_t *cut)
{
	buf_u64le(b, values_u32_pair(kind, sites->size, big));
	for (size_t i = 0; i < sites->size; i++)
		buf_u8(b, (uint8_t)values_stored(&sites->sites[i]));
	buf_zeros(b, (size_t)pad8(RECORD_HEAD + sites->size));
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *s = &sites->sites[i];

		*cut += s->size - values_stored(s);
		for (size_t k = 0; k < values_stored(s); k++) {
			buf_u64le(b, values_u64(s->values[k].value, big));
			buf_u64le(b, values_u64(s->values[k].count, big));
		}
	}
}

void
values_write(struct buf *b, const struct prof_sites sites[PROF_VALUE_KINDS],
    unsigned kinds, bool big, uint64_t *cut)
{
	size_t start = b->size;
	uint32_t used = 0;

	buf_u64le(b, 0);
	for (uint32_t k = 0; k < kinds; k++) {
		if (sites[k].size == 0)
			continue;
		values_write_kind(b, k, &sites[k], big, cut);
		used++;
	}
	buf_set_u64le(b, start, values_u32_pair(b->size - start, used, big));
}
