#include "format/hashtable.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { FIRST_BUCKETS = 64, ID_SIZE = 8 };

/* No item is shorter; it shares the number of its bucket. */
static unsigned
item_min(enum hashtable_keys keys)
{
	return keys == HASHTABLE_NAMES ? HASHTABLE_ITEM + 1 :
	    keys == HASHTABLE_IDS ? HASHTABLE_ITEM + ID_SIZE : HASHTABLE_ITEM;
}

enum prof_status
hashtable_open(struct hashtable *t, struct prof_span image,
    enum hashtable_keys keys, size_t payload, uint64_t head,
    struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size };

	if (head > image.size || image.size - head < HASHTABLE_HEAD)
		return err_at(err, PROF_E_TRUNCATED, image.size, "the hash "
		    "table's head at %llu exceeds the %zu bytes there are",
		    (unsigned long long)head, image.size);
	if (head < payload)
		return err_at(err, PROF_E_CORRUPT, head, "the hash table's "
		    "head at %llu begins before its payload at %zu",
		    (unsigned long long)head, payload);
	if (head % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, head, "the hash table's "
		    "head is not at a multiple of 8");
	c.pos = (size_t)head;
	*t = (struct hashtable){ .image = image, .keys = keys,
	    .payload = payload, .head = c.pos };
	t->buckets = cur_u64(&c);
	t->entries = cur_u64(&c);
	if (t->buckets == 0 || (t->buckets & (t->buckets - 1)) != 0)
		return err_at(err, PROF_E_CORRUPT, head, "NumBuckets %llu is "
		    "no power of two", (unsigned long long)t->buckets);
	if (t->buckets > cur_left(&c) / 8)
		return err_at(err, PROF_E_TRUNCATED, head, "NumBuckets %llu "
		    "exceeds the %zu bytes left",
		    (unsigned long long)t->buckets, cur_left(&c));
	if (t->entries > (head - payload) / item_min(keys))
		return err_at(err, PROF_E_CORRUPT, head + 8, "NumEntries %llu "
		    "exceeds the %llu bytes of payload",
		    (unsigned long long)t->entries,
		    (unsigned long long)(head - payload));
	t->end = c.pos + (size_t)t->buckets * 8;
	return PROF_OK;
}

/* The number of items of the bucket at c. */
static enum prof_status
read_bucket(struct cursor *c, unsigned *count, struct prof_error *err)
{
	size_t at = c->pos;

	*count = cur_u16(c);
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "hash table: a bucket "
		    "runs past the payload's end %zu", c->size);
	if (*count == 0)
		return err_at(err, PROF_E_CORRUPT, at,
		    "hash table: ItemCount is 0");
	return PROF_OK;
}

static enum prof_status
read_item(struct cursor *c, enum hashtable_keys keys,
    struct hashtable_item *item, struct prof_error *err)
{
	uint64_t key_size = ID_SIZE, data_size;
	size_t at = c->pos;

	item->hash = cur_u64(c);
	if (keys != HASHTABLE_BARE_IDS)
		key_size = cur_u64(c);
	data_size = cur_u64(c);
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "hash table: an item "
		    "runs past the payload's end %zu", c->size);
	if (key_size > cur_left(c))
		return err_at(err, PROF_E_CORRUPT, at + 8, "KeyLength %llu "
		    "exceeds the %zu bytes left of the payload",
		    (unsigned long long)key_size, cur_left(c));
	item->key.data = cur_bytes(c, key_size);
	item->key.size = (size_t)key_size;
	if (data_size > cur_left(c))
		return err_at(err, PROF_E_CORRUPT,
		    at + (keys == HASHTABLE_BARE_IDS ? 8 : 16), "DataLength "
		    "%llu exceeds the %zu bytes left of the payload",
		    (unsigned long long)data_size, cur_left(c));
	item->data = c->pos;
	item->data_size = (size_t)data_size;
	cur_bytes(c, data_size);
	return PROF_OK;
}

static struct cursor
payload(const struct hashtable *t, size_t pos)
{
	return (struct cursor){ .data = t->image.data, .size = t->head,
	    .pos = pos };
}

/* Where BucketOffset stands, and what it is. */
static size_t
bucket_at(const struct hashtable *t, uint64_t bucket)
{
	return t->head + HASHTABLE_HEAD + (size_t)bucket * 8;
}

static uint64_t
bucket_offset(const struct hashtable *t, uint64_t bucket)
{
	return load_u64(t->image.data + bucket_at(t, bucket), false);
}

enum prof_status
hashtable_find(const struct hashtable *t, struct prof_span key,
    struct hashtable_item *item, struct prof_error *err)
{
	uint64_t hash = prof_guid(key), bucket = hash & (t->buckets - 1);
	uint64_t offset = bucket_offset(t, bucket);
	struct cursor c;
	unsigned count;

	if (offset == 0)
		return PROF_END;
	if (offset < t->payload || offset >= t->head)
		return err_at(err, PROF_E_CORRUPT, bucket_at(t, bucket),
		    "BucketOffset %llu is not in the payload, %zu to %zu",
		    (unsigned long long)offset, t->payload, t->head);
	c = payload(t, (size_t)offset);
	if (read_bucket(&c, &count, err) != PROF_OK)
		return PROF_FAIL;
	for (; count > 0; count--) {
		if (read_item(&c, t->keys, item, err) != PROF_OK)
			return PROF_FAIL;
		if (item->hash == hash && prof_span_equal(item->key, key))
			return PROF_OK;
	}
	return PROF_END;
}

enum prof_status
hashtable_next(struct hashtable_walk *w, struct hashtable_item *item,
    struct prof_error *err)
{
	const struct hashtable *t = w->table;
	struct cursor c = payload(t, w->pos == 0 ? t->payload : w->pos);

	if (w->seen == t->entries)
		return PROF_END;
	if (w->bucket_left == 0 &&
	    read_bucket(&c, &w->bucket_left, err) != PROF_OK)
		return PROF_FAIL;
	if (read_item(&c, t->keys, item, err) != PROF_OK)
		return PROF_FAIL;
	w->bucket_left--;
	w->seen++;
	w->pos = c.pos;
	return PROF_OK;
}

static int
compare_items(const void *a, const void *b)
{
	const struct hashtable_item *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return prof_span_compare(x->key, y->key);
}

static enum prof_status
check_unique(const struct hashtable *t, struct hashtable_item *items,
    unsigned count, struct prof_error *err)
{
	char name[ERR_NAME_SIZE];

	qsort(items, count, sizeof(*items), compare_items);
	for (unsigned i = 1; i < count; i++) {
		const struct hashtable_item *item = &items[i];
		size_t at = item->data - item->key.size;

		if (compare_items(&items[i - 1], item) != 0)
			continue;
		if (t->keys != HASHTABLE_NAMES)
			return err_at(err, PROF_E_CORRUPT, at, "id 0x%016llx "
			    "stands twice in the hash table",
			    (unsigned long long)item->hash);
		return err_at(err, PROF_E_CORRUPT, at, "name %s stands twice "
		    "in the hash table", err_name(name, item->key));
	}
	return PROF_OK;
}

static enum prof_status
check_id(const struct hashtable_item *item, size_t at, struct prof_error *err)
{
	uint64_t key;

	if (item->key.size != ID_SIZE)
		return err_at(err, PROF_E_CORRUPT, at + 8, "KeyLength %zu is "
		    "not the %d of an id", item->key.size, ID_SIZE);
	key = load_u64(item->key.data, false);
	if (key != item->hash)
		return err_at(err, PROF_E_CORRUPT, at, "item hash 0x%016llx "
		    "is not its key, 0x%016llx",
		    (unsigned long long)item->hash, (unsigned long long)key);
	return PROF_OK;
}

static enum prof_status
check_name(const struct hashtable_item *item, size_t at,
    struct prof_error *err)
{
	uint64_t hash;

	if (item->key.size == 0)
		return err_at(err, PROF_E_CORRUPT, at + 8,
		    "KeyLength is 0: a name is empty");
	hash = prof_guid(item->key);
	if (hash != item->hash)
		return err_at(err, PROF_E_CORRUPT, at, "item hash 0x%016llx "
		    "is not that of its name, 0x%016llx",
		    (unsigned long long)item->hash, (unsigned long long)hash);
	return PROF_OK;
}

/* The bucket at c; *bucket is its number. */
static enum prof_status
check_bucket(const struct hashtable *t, struct cursor *c, struct arena *a,
    uint64_t *bucket, unsigned *count, struct prof_error *err)
{
	struct hashtable_item *items;

	if (read_bucket(c, count, err) != PROF_OK)
		return PROF_FAIL;
	if (*count > cur_left(c) / HASHTABLE_ITEM)
		return err_at(err, PROF_E_CORRUPT, c->pos - HASHTABLE_BUCKET,
		    "ItemCount %u exceeds the %zu bytes left of the payload",
		    *count, cur_left(c));
	arena_reset(a);
	items = arena_array(a, *count, sizeof(*items));
	if (items == NULL)
		return err_memory(err);
	for (unsigned i = 0; i < *count; i++) {
		size_t at = c->pos;
		enum prof_status status;

		if (read_item(c, t->keys, &items[i], err) != PROF_OK)
			return PROF_FAIL;
		status = t->keys == HASHTABLE_NAMES ?
		    check_name(&items[i], at, err) :
		    check_id(&items[i], at, err);
		if (status != PROF_OK)
			return PROF_FAIL;
		if (((items[i].hash ^ items[0].hash) & (t->buckets - 1)) != 0)
			return err_at(err, PROF_E_CORRUPT, at, "hash table: "
			    "an item is not in the bucket of its hash");
	}
	*bucket = items[0].hash & (t->buckets - 1);
	return check_unique(t, items, *count, err);
}

/* The offsets of buckets `from` to `to` are 0, as there were none. */
static enum prof_status
check_empty(const struct hashtable *t, uint64_t from, uint64_t to,
    struct prof_error *err)
{
	for (uint64_t b = from; b < to; b++) {
		if (bucket_offset(t, b) != 0)
			return err_at(err, PROF_E_CORRUPT, bucket_at(t, b),
			    "BucketOffset %llu: no bucket %llu begins there",
			    (unsigned long long)bucket_offset(t, b),
			    (unsigned long long)b);
	}
	return PROF_OK;
}

enum prof_status
hashtable_check(const struct hashtable *t, struct arena *a,
    struct prof_error *err)
{
	struct cursor c = payload(t, t->payload);
	uint64_t next = 0, bucket = 0, seen = 0;
	unsigned count = 0;

	for (; seen < t->entries; seen += count, next = bucket + 1) {
		size_t at = c.pos;

		if (check_bucket(t, &c, a, &bucket, &count, err) != PROF_OK)
			return PROF_FAIL;
		if (bucket < next)
			return err_at(err, PROF_E_CORRUPT, at, "hash table: "
			    "bucket %llu does not stand in ascending order",
			    (unsigned long long)bucket);
		if (check_empty(t, next, bucket, err) != PROF_OK)
			return PROF_FAIL;
		if (bucket_offset(t, bucket) != at)
			return err_at(err, PROF_E_CORRUPT,
			    bucket_at(t, bucket), "BucketOffset %llu: bucket "
			    "%llu is at %zu",
			    (unsigned long long)bucket_offset(t, bucket),
			    (unsigned long long)bucket, at);
	}
	if (seen > t->entries)
		return err_at(err, PROF_E_CORRUPT, t->head + 8, "NumEntries "
		    "%llu is less than the %llu items of the buckets",
		    (unsigned long long)t->entries, (unsigned long long)seen);
	if (c.pos + pad8(c.pos) != t->head)
		return err_at(err, PROF_E_CORRUPT, c.pos, "hash table: the "
		    "%llu items of NumEntries end at %zu, the head begins at "
		    "%zu", (unsigned long long)seen, c.pos, t->head);
	return check_empty(t, next, t->buckets, err);
}

/* Keys move in the order of the chains, each to the front of its new one. */
static bool
rehash(struct hashtable_plan *p, struct arena *a, const uint64_t *hashes,
    uint64_t buckets)
{
	struct hashtable_plan old = *p;

	if (buckets > SIZE_MAX)
		return false;
	p->first = arena_array(a, (size_t)buckets, sizeof(*p->first));
	if (p->first == NULL)
		return false;
	memset(p->first, 0, (size_t)buckets * sizeof(*p->first));
	p->buckets = buckets;
	for (uint64_t b = 0; b < old.buckets; b++) {
		uint32_t next;

		for (uint32_t i = old.first[b]; i != 0; i = next) {
			uint32_t *to =
			    &p->first[hashes[i - 1] & (buckets - 1)];

			next = p->next[i - 1];
			p->next[i - 1] = *to;
			*to = i;
		}
	}
	return true;
}

/* OnDiskChainedHashTableGenerator::Emit: a load of at most three quarters. */
static uint64_t
fitting_buckets(uint64_t n)
{
	uint64_t want = n <= 2 ? 1 : n * 4 / 3 + 1, buckets = 1;

	while (buckets < want)
		buckets *= 2;
	return buckets;
}

bool
hashtable_plan(struct hashtable_plan *p, struct arena *a,
    const uint64_t *hashes, uint32_t n, bool shrink)
{
	*p = (struct hashtable_plan){ .next =
	    arena_array(a, n, sizeof(*p->next)) };
	if (p->next == NULL || !rehash(p, a, hashes, FIRST_BUCKETS))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *to;

		if (((uint64_t)i + 1) * 4 >= p->buckets * 3 &&
		    !rehash(p, a, hashes, p->buckets * 2))
			return false;
		to = &p->first[hashes[i] & (p->buckets - 1)];
		p->next[i] = *to;
		*to = i + 1;
	}
	return !shrink || fitting_buckets(n) == p->buckets ||
	    rehash(p, a, hashes, fitting_buckets(n));
}
