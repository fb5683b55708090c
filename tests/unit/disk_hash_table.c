/* The on-disk hash table: built, found, walked, and damaged. */
#include "model/disk_hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/images.h"

enum { MAX_HASHES = 8 };

/* Where items go. */
static const struct {
	const char *name;
	bool shrink;
	uint32_t n;
	uint64_t hashes[MAX_HASHES];
	uint64_t buckets;
	const char *layout;	/* items of the buckets that are not empty */
} plans[] = {
	{ "none", true, 0, { 0 }, 1, "" },
	{ "none, unfitted", false, 0, { 0 }, 64, "" },
	{ "two", true, 2, { 5, 9 }, 1, "10" },
	{ "two, unfitted", false, 2, { 9, 5 }, 64, "1 0" },
	{ "a chain grows at its head", false, 3, { 3, 67, 131 }, 64, "210" },
	{ "fitting turns it round", true, 3, { 3, 67, 131 }, 8, "012" },
	{ "old buckets in ascending order", true, 4, { 8, 0, 16, 24 }, 8,
	    "3201" },
	{ "buckets in ascending order", true, 3, { 7, 6, 1 }, 8, "2 1 0" },
	{ "upper halves are of no interest", true, 3,
	    { 0x700000001, 0x100000002, 0x300000001 }, 8, "02 1" },
};

static void
describe(const struct disk_hash_plan *p, char *out)
{
	char *start = out;

	for (uint64_t b = 0; b < p->buckets; b++) {
		if (p->first[b] != 0 && out != start)
			*out++ = ' ';
		for (uint32_t i = p->first[b]; i != 0; i = p->next[i - 1])
			*out++ = (char)('0' + i - 1);
	}
	*out = '\0';
}

static void
test_plans(void)
{
	for (size_t i = 0; i < COUNT(plans); i++) {
		struct arena a = { 0 };
		struct disk_hash_plan p;
		char layout[2 * MAX_HASHES + 1];

		if (!disk_hash_plan(&p, &a, plans[i].hashes, plans[i].n,
		    plans[i].shrink))
			skip_all("out of memory");
		describe(&p, layout);
		check(p.buckets == plans[i].buckets && strcmp(layout,
		    plans[i].layout) == 0, "plan: %s: \"%s\" in %llu",
		    plans[i].name, layout, ull(p.buckets));
		arena_free(&a);
	}
}

/*
 * A table of these names, each with its own name for data, behind 16 bytes
 * that are not its.  One bucket of 8 at least holds two.
 */
static const char *const names[] = { "main", "foo", "bar", "_Z1xv", "a.c;f" };

enum { PAYLOAD = 16, NAMES = COUNT(names) };

static void
put_bucket(struct buf *b, const struct disk_hash_plan *p, uint32_t first)
{
	uint16_t n = 0;

	for (uint32_t i = first; i != 0; i = p->next[i - 1])
		n++;
	buf_u16le(b, n);
	for (uint32_t i = first; i != 0; i = p->next[i - 1]) {
		struct prof_span name = span(names[i - 1]);

		buf_u64le(b, prof_guid(name));
		buf_u64le(b, name.size);
		buf_u64le(b, name.size);
		buf_put(b, name.data, name.size);
		buf_put(b, name.data, name.size);
	}
}

static size_t
put_table(struct buf *b)
{
	struct arena a = { 0 };
	struct disk_hash_plan p;
	uint64_t hashes[NAMES], offsets[64] = { 0 };
	size_t head;

	for (size_t i = 0; i < NAMES; i++)
		hashes[i] = prof_guid(span(names[i]));
	if (!disk_hash_plan(&p, &a, hashes, NAMES, true))
		skip_all("out of memory");
	buf_zeros(b, PAYLOAD);
	for (size_t i = 0; i < p.buckets; i++) {
		if (p.first[i] == 0)
			continue;
		offsets[i] = b->size;
		put_bucket(b, &p, p.first[i]);
	}
	buf_pad8(b);
	head = b->size;
	buf_u64le(b, p.buckets);
	buf_u64le(b, NAMES);
	for (size_t i = 0; i < p.buckets; i++)
		buf_u64le(b, offsets[i]);
	arena_free(&a);
	if (b->failed)
		skip_all("out of memory");
	return head;
}

/* The table in b, whose head is not read yet. */
static struct disk_hash
names_table(const struct buf *b)
{
	return (struct disk_hash){ .image = { b->data, b->size },
	    .keys = DISK_HASH_NAMES, .payload = PAYLOAD };
}

static bool
is_item(const struct disk_hash *t, const struct disk_hash_item *item,
    struct prof_span name)
{
	struct prof_span data = { t->image.data + item->data,
	    item->data_size };

	return prof_span_equal(item->key, name) &&
	    prof_span_equal(data, name) && item->hash == prof_guid(name);
}

static void
test_table(void)
{
	struct prof_error err = { 0 };
	struct arena a = { 0 };
	struct buf b = { 0 };
	size_t head = put_table(&b), seen = 0;
	struct disk_hash_item item;
	struct disk_hash t = names_table(&b);
	struct disk_hash_walk walk = { .table = &t };

	check(disk_hash_open(&t, head, &err) == PROF_OK && t.end == b.size,
	    "open: %s", err.reason);
	check(disk_hash_check(&t, &a, &err) == PROF_OK, "check: %s",
	    err.reason);
	for (size_t i = 0; i < NAMES; i++)
		check(disk_hash_find(&t, span(names[i]), &item, &err) ==
		    PROF_OK && is_item(&t, &item, span(names[i])), "find %s",
		    names[i]);
	check(disk_hash_find(&t, span("mai"), &item, &err) == PROF_END,
	    "find what is not there");
	while (disk_hash_next(&walk, &item, &err) == PROF_OK)
		seen += is_item(&t, &item, item.key);
	check(seen == NAMES && err.code == PROF_E_NONE, "walk: %zu items",
	    seen);
	arena_free(&a);
	buf_free(&b);
}

/* What no change of a bit or byte makes (tests/unit/sweep.c). */
static const struct {
	bool in_head;			/* else in the payload */
	size_t at;
	uint64_t value;
	enum prof_code code;
	const char *reason;
} damages[] = {
	{ false, 10, 0, PROF_E_CORRUPT, "KeyLength is 0" },
	{ false, 10, UINT64_MAX - 25, PROF_E_CORRUPT, "KeyLength 18" },
	{ false, 18, UINT64_MAX, PROF_E_CORRUPT, "DataLength 18" },
	{ true, 0, 0, PROF_E_CORRUPT, "NumBuckets 0" },
	{ true, 0, (uint64_t)1 << 61, PROF_E_TRUNCATED, "NumBuckets "
	    "2305843009213693952" },
	{ true, 8, 0, PROF_E_CORRUPT, "0 items of NumEntries" },
	{ true, 8, NAMES - 1, PROF_E_CORRUPT, "NumEntries" },
	{ true, 8, NAMES + 1, PROF_E_CORRUPT, "hash table" },
	{ true, 8, UINT64_MAX, PROF_E_CORRUPT, "NumEntries 18" },
};

static void
test_damage(void)
{
	for (size_t i = 0; i < COUNT(damages); i++) {
		struct prof_error err = { 0 };
		struct arena a = { 0 };
		struct buf b = { 0 };
		size_t head = put_table(&b);
		struct disk_hash t = names_table(&b);
		bool failed;

		buf_set_u64le(&b, damages[i].at + (damages[i].in_head ? head :
		    PAYLOAD), damages[i].value);
		failed = disk_hash_open(&t, head, &err) != PROF_OK ||
		    disk_hash_check(&t, &a, &err) != PROF_OK;
		check(failed && err.code == damages[i].code && err.where ==
		    PROF_AT_BYTE && err.offset <= b.size && strstr(err.reason,
		    damages[i].reason) != NULL, "damage %zu: 0x%llx: %s", i,
		    ull(err.offset), err.reason);
		arena_free(&a);
		buf_free(&b);
	}
}

/* A bucket that leads astray is an error of the look-up too. */
static void
test_lost(void)
{
	static const uint64_t offsets[] = { 1, PAYLOAD - 1, 100000,
	    UINT64_MAX };
	struct buf b = { 0 };
	size_t head = put_table(&b);

	for (size_t i = 0; i < COUNT(offsets); i++) {
		struct prof_error err = { 0 };
		struct disk_hash t = names_table(&b);
		struct disk_hash_item item;

		for (size_t at = head + DISK_HASH_HEAD; at < b.size; at += 8)
			buf_set_u64le(&b, at, offsets[i]);
		check(disk_hash_open(&t, head, &err) == PROF_OK &&
		    disk_hash_find(&t, span("main"), &item, &err) == PROF_FAIL
		    && err.code == PROF_E_CORRUPT, "lost at %llu: %s",
		    ull(offsets[i]), err.reason);
	}
	buf_free(&b);
}

int
main(void)
{
	test_plans();
	test_table();
	test_damage();
	test_lost();
	return done_testing();
}
