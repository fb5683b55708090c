/*
 * Value profile data: blocks that are good, and written; walks over value
 * sites.  tests/unit/sweep.c has damaged blocks.
 */
#include "model/value_sites.h"

#include "tests/support/images.h"

/* Words of a block, of 4 bytes; a byte of site counts each is packed. */
struct block {
	struct buf b;
	bool big;
};

static void
u32(struct block *k, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		buf_u8(&k->b, (uint8_t)(v >> 8 * (k->big ? 3 - i : i)));
}

static void
u64(struct block *k, uint64_t v)
{
	u32(k, (uint32_t)(k->big ? v >> 32 : v));
	u32(k, (uint32_t)(k->big ? v : v >> 32));
}

/* Reads a block, with nothing behind the bytes; sites come from the arena. */
static enum prof_status
read_block(const struct block *k, struct arena *a,
    const struct values_resolver *resolver,
    struct prof_sites out[PROF_VALUE_KINDS], size_t *read,
    struct prof_error *err)
{
	uint8_t *copy = malloc(k->b.size);
	struct cursor c = { .data = copy, .size = k->b.size, .big = k->big };
	enum prof_status status;

	if (k->b.size != 0)
		memcpy(copy, k->b.data, k->b.size);
	status = values_read(&c, a, resolver, out, err);
	*read = c.pos;
	free(copy);
	return status;
}

struct resolved {
	enum prof_value_kind kinds[16];
	uint64_t values[16];
	size_t size;
};

/* Notes what comes, and makes another number and a name of it. */
static void
resolve(void *arg, enum prof_value_kind kind, struct prof_value *v)
{
	struct resolved *r = arg;

	if (r->size < COUNT(r->kinds)) {
		r->kinds[r->size] = kind;
		r->values[r->size++] = v->value;
	}
	v->value++;
	if (kind == PROF_INDIRECT_CALL_TARGET)
		v->name = (struct prof_span){ (const uint8_t *)"f", 1 };
}

static void
ignore(void *arg, enum prof_value_kind kind, struct prof_value *v)
{
	(void)arg;
	(void)kind;
	(void)v;
}

static const struct values_resolver ignoring = { ignore, NULL };

/* Two kinds: sites of 2 and 0 values, and one of 1. */
static void
put_sample(struct block *k)
{
	u32(k, 88);
	u32(k, 2);
	u32(k, 0);
	u32(k, 2);
	buf_put(&k->b, "\2\0\0\0\0\0\0\0", 8);
	u64(k, 100);
	u64(k, 7);
	u64(k, UINT64_MAX);
	u64(k, (uint64_t)1 << 40);
	u32(k, 1);
	u32(k, 1);
	buf_put(&k->b, "\1\0\0\0\0\0\0\0", 8);
	u64(k, 8);
	u64(k, 3);
}

static void
test_good(bool big)
{
	const char *order = big ? "big" : "little";
	struct block k = { .big = big };
	struct prof_sites s[PROF_VALUE_KINDS];
	struct resolved r = { .size = 0 };
	struct arena a = { 0 };
	size_t read;

	put_sample(&k);
	buf_put(&k.b, "behind", 6);
	check(read_block(&k, &a, &(struct values_resolver){ resolve, &r }, s,
	    &read, NULL) == PROF_OK &&
	    read == 88, "a block, %s-endian", order);
	check(s[0].size == 2 && s[0].sites[0].size == 2 &&
	    s[0].sites[1].size == 0 && s[1].size == 1 &&
	    s[1].sites[0].size == 1 && s[2].size == 0, "its sites");
	check(r.size == 3 && r.kinds[0] == PROF_INDIRECT_CALL_TARGET &&
	    r.kinds[2] == PROF_MEM_OP_SIZE && r.values[0] == 100 &&
	    r.values[1] == UINT64_MAX && r.values[2] == 8,
	    "values are resolved in order");
	check(s[0].sites[0].values[0].value == 101 &&
	    s[0].sites[0].values[0].count == 7 &&
	    s[0].sites[0].values[0].name.size == 1 &&
	    s[0].sites[0].values[1].value == 0 &&
	    s[0].sites[0].values[1].count == (uint64_t)1 << 40 &&
	    s[1].sites[0].values[0].value == 9 &&
	    s[1].sites[0].values[0].name.data == NULL,
	    "to what resolving makes of them");
	arena_free(&a);
	buf_free(&k.b);
}

static void
test_empty(void)
{
	struct block k = { .big = false };
	struct prof_sites s[PROF_VALUE_KINDS];
	struct arena a = { 0 };
	size_t read;

	u32(&k, 8);
	u32(&k, 0);
	check(read_block(&k, &a, &ignoring, s, &read, NULL) == PROF_OK &&
	    read == 8 && s[0].size == 0 && s[1].size == 0 && s[2].size == 0,
	    "a block of nothing");
	arena_free(&a);
	buf_free(&k.b);
}

static struct prof_site
make_site(struct arena *a, size_t n)
{
	struct prof_value *v = arena_array(a, n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (struct prof_value){ .value = i * i, .count = n - i };
	return (struct prof_site){ v, n };
}

static void
test_writing(bool big)
{
	static const size_t sizes[] = { 0, 3, 255, 256, 300, 1 };
	struct prof_sites in[PROF_VALUE_KINDS], out[PROF_VALUE_KINDS];
	struct prof_site sites[COUNT(sizes)];
	struct block k = { .big = big };
	struct arena a = { 0 };
	uint64_t cut = 5;
	size_t read;
	bool same = true;

	for (size_t i = 0; i < COUNT(sizes); i++)
		sites[i] = make_site(&a, sizes[i]);
	in[0] = (struct prof_sites){ sites, COUNT(sizes) };
	in[1] = (struct prof_sites){ NULL, 0 };
	in[2] = (struct prof_sites){ sites + 1, 1 };
	values_write(&k.b, in, PROF_VALUE_KINDS, big, &cut);
	check(cut == 5 + 1 + 45, "values that do not fit are counted");
	check(read_block(&k, &a, &ignoring, out, &read, NULL) == PROF_OK &&
	    read == k.b.size, "what was written is read");
	check(out[0].size == COUNT(sizes) && out[1].size == 0 &&
	    out[2].size == 1, "its kinds and sites");
	for (size_t i = 0; i < out[0].size; i++) {
		size_t want = sizes[i] < 255 ? sizes[i] : 255;

		same = same && out[0].sites[i].size == want;
		for (size_t n = 0; same && n < want; n++)
			same = out[0].sites[i].values[n].value == n * n &&
			    out[0].sites[i].values[n].count == sizes[i] - n;
	}
	check(same, "and the first values of each");
	buf_free(&k.b);

	cut = 0;
	buf_u8(&k.b, 42);
	values_write(&k.b, in, 2, big, &cut);
	check(k.b.data[0] == 42 && load_u32(k.b.data + 1, big) ==
	    k.b.size - 1 && load_u32(k.b.data + 5, big) == 1,
	    "kinds that a version does not have are left out");
	buf_free(&k.b);
	in[0].size = 0;
	values_write(&k.b, in, 2, big, &cut);
	check(k.b.size == 8 && load_u32(k.b.data, big) == 8 &&
	    load_u32(k.b.data + 4, big) == 0, "nothing takes 8 bytes");
	buf_free(&k.b);
	arena_free(&a);
}

static void
test_empty_sites(void)
{
	struct prof_sites sites = { NULL, 9 };
	struct arena a = { 0 };

	check(value_sites_empty(&a, 0, &sites) && sites.size == 0, "no sites");
	check(value_sites_empty(&a, 2, &sites) && sites.size == 2 &&
	    sites.sites[0].size == 0 && sites.sites[1].size == 0,
	    "sites without values");
	arena_free(&a);
}

/* Every order of empty kinds and empty sites. */
static void
test_walks(void)
{
	enum { KINDS = PROF_VALUE_KINDS, SITES = 2, VALUES = 2 };
	struct prof_value values[KINDS][SITES][VALUES];
	struct prof_site site[KINDS][SITES];
	bool right = true;

	for (unsigned bits = 0; bits < 1 << 2 * KINDS; bits++) {
		struct prof_sites sites[KINDS];
		struct value_walk walk = { .next_site = 0 }, targets = walk;
		const struct prof_site *s;
		const struct prof_value *v;
		size_t count = 0, sum = 0, sizes[KINDS];
		size_t want_targets = 0, got_targets = 0;
		bool any = false;

		for (int k = 0; k < KINDS; k++) {
			/* 0 to 2 sites, of which the last one is empty. */
			size_t n = bits >> 2 * k & 3;

			n = n > SITES ? SITES : n;
			for (size_t i = 0; i < n; i++) {
				site[k][i] = (struct prof_site){
				    values[k][i], i + 1 == n ? 0 : VALUES };
				count++;
				any = any || site[k][i].size != 0;
				if (k != PROF_MEM_OP_SIZE)
					want_targets += site[k][i].size;
			}
			sites[k] = (struct prof_sites){ site[k], n };
		}
		while ((s = value_next_site(&walk, sites)) != NULL)
			sum += s >= site[walk.kind] &&
			    s < site[walk.kind] + SITES;
		while ((v = value_next_target(&targets, sites)) != NULL)
			got_targets += targets.kind != PROF_MEM_OP_SIZE &&
			    v >= &values[targets.kind][0][0];
		value_sites_sizes(sites, sizes);
		right = right && sum == count && got_targets == want_targets &&
		    value_sites_count(sites) == count &&
		    value_sites_have_values(sites) == any &&
		    value_sites_fit(sites, sizes) &&
		    value_next_site(&walk, sites) == NULL &&
		    value_next_target(&targets, sites) == NULL;
	}
	check(right, "all sites, all targets, their numbers");
}

int
main(void)
{
	test_good(false);
	test_good(true);
	test_empty();
	test_writing(false);
	test_writing(true);
	test_walks();
	test_empty_sites();
	return done_testing();
}
