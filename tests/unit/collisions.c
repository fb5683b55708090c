/*
 * Keys that a file can choose so that they meet in one slot of a hash table
 * whose function has no secret: tables with a seed spread them.
 */
#include <string.h>

#include "base/bytes.h"
#include "format/raw/raw.h"
#include "merge/state.h"
#include "merge/merge.h"
#include "model/symtab.h"
#include "tests/support/test.h"

/*
 * In tables of twice as many slots, runs of slots in use have about 30 slots,
 * and KEYS slots if all keys meet.
 */
enum { KEYS = 1000, LONGEST = KEYS / 4 };

/* A factor of hash functions, and the number whose product with it is 1. */
#define FACTOR	UINT64_C(0x9E3779B97F4A7C15)
#define INVERSE	UINT64_C(0xF1DE83E19937733D)

/* Key i of a family is (i + 1) * factor + more, never 0. */
struct family {
	const char *name;
	uint64_t factor, more;
};

static const struct family families[] = {
	{ "keys with small products", INVERSE, 0 },
	{ "keys that differ in their high bits", (uint64_t)1 << 48, 0 },
	{ "keys that differ in the middle", (uint64_t)1 << 32, 0 },
	{ "aligned addresses", 16, 0x400000 },
};

static uint64_t
key_of(const struct family *f, uint64_t i)
{
	return (i + 1) * f->factor + f->more;
}

/* The longest run of slots in use. */
struct runs {
	size_t longest, now;
};

static void
runs_add(struct runs *r, bool used)
{
	r->now = used ? r->now + 1 : 0;
	if (r->now > r->longest)
		r->longest = r->now;
}

static void
test_symbols(const struct family *f)
{
	struct symtab t = { 0 };
	struct runs r = { 0 };
	bool fits = true;

	for (uint64_t i = 0; i < KEYS; i++)
		fits = fits && symtab_add(&t,
		    (struct prof_span){ NULL, 0 }, key_of(f, i));
	for (size_t i = 0; i < t.index.slot_count; i++)
		runs_add(&r, t.index.slots[i].item != 0);
	check(fits && t.size == KEYS && r.longest < LONGEST,
	    "symbols: %s: runs of %zu slots", f->name, r.longest);
	symtab_free(&t);
}

/* A raw profile of version 4 whose functions have these addresses. */
static void
put_image(struct buf *b, const struct family *f)
{
	const uint64_t head[] = { 0xff6c70726f667281, 4 | (uint64_t)1 << 56,
	    KEYS, KEYS, 0, 0x4000, 0x8000, 1 };

	for (size_t i = 0; i < COUNT(head); i++)
		buf_u64le(b, head[i]);
	for (uint64_t i = 0; i < KEYS; i++) {
		buf_u64le(b, i + 1);
		buf_u64le(b, 0);
		buf_u64le(b, 0x4000 + 8 * i);
		buf_u64le(b, key_of(f, i));
		buf_u64le(b, 0);
		buf_u64le(b, 1);	/* NumCounters, and no value sites */
	}
	for (uint64_t i = 0; i < KEYS; i++)
		buf_u64le(b, 1);
}

static void
test_addresses(const struct family *f)
{
	struct raw_addresses a = { 0 };
	struct prof_error err = { 0 };
	struct raw_image im;
	struct runs r = { 0 };
	struct buf b = { 0 };
	bool found;

	put_image(&b, f);
	found = raw_image_open(&im, buf_span(&b), 0, &err) == PROF_OK &&
	    raw_addresses_load(&a, &im);
	for (uint64_t i = 0; found && i < KEYS; i++)
		found = raw_function_at(&a, key_of(f, i)) == i + 1;
	for (size_t i = 0; i < a.function_slots; i++)
		runs_add(&r, a.functions[i].address != 0);
	if (!check(found && r.longest < LONGEST,
	    "addresses: %s: runs of %zu slots", f->name, r.longest))
		printf("# %s\n", err.reason);
	raw_addresses_free(&a);
	buf_free(&b);
}

/* Of function i, the guid is guid ^ (i + 1) * guid_factor. */
struct functions {
	const char *name;
	uint64_t guid, guid_factor, hash, hash_factor;
};

static const struct functions functions[] = {
	{ "the hash undoes the guid", 0x1234567890ABCDEF, FACTOR << 40, 0,
	    (uint64_t)1 << 40 },
	{ "hashes that differ in their high bits", 1, 0, 0,
	    (uint64_t)1 << 48 },
	{ "guids that differ in their high bits", 0, (uint64_t)1 << 48, 1, 0 },
	{ "hashes with small products", 1, 0, 0, INVERSE },
};

static enum prof_status
add_functions(struct merge *m, const struct functions *f,
    struct prof_error *err)
{
	const uint64_t count = 1;
	struct prof_record r = { .kind = PROF_REC_PROFILE };
	enum prof_status status;

	r.u.profile.level = PROF_LEVEL_IR;
	status = merge_add(m, &r, NULL, err);
	for (uint64_t i = 0; status == PROF_OK && i < KEYS; i++) {
		r = (struct prof_record){ .kind = PROF_REC_FUNCTION };
		r.u.function = (struct prof_function){
		    .symbol.guid = f->guid ^ (i + 1) * f->guid_factor,
		    .hash = f->hash ^ (i + 1) * f->hash_factor,
		    .counts = &count, .counts_size = 1 };
		status = merge_add(m, &r, NULL, err);
	}
	return status;
}

static void
test_merge(const struct functions *f)
{
	struct merge *m = merge_new(NULL, NULL);
	struct prof_error err = { 0 };
	struct runs r = { 0 };
	bool added = m != NULL && add_functions(m, f, &err) == PROF_OK;

	for (size_t i = 0; added && i < m->index.slot_count; i++)
		runs_add(&r, m->index.slots[i].item != 0);
	if (!check(added && m->index.size == KEYS && r.longest < LONGEST,
	    "functions of a merge: %s: runs of %zu slots", f->name,
	    r.longest))
		printf("# %s\n", err.reason);
	merge_free(m);
}

int
main(void)
{
	check(FACTOR * INVERSE == 1, "the inverse is one");
	for (size_t i = 0; i < COUNT(families); i++) {
		test_symbols(&families[i]);
		test_addresses(&families[i]);
	}
	for (size_t i = 0; i < COUNT(functions); i++)
		test_merge(&functions[i]);
	return done_testing();
}
