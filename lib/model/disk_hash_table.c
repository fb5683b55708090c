#include "model/disk_hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/digests.h"
#include "base/error.h"

enum { ID_SIZE = 8 };

/*
 * GUIDS_AT_ONCE: names whose guids are computed together.  USUAL_ITEMS: items
 * that most buckets have at most.  LONG_BUCKET: more items than any bucket of
 * LLVM has.
 */
enum { GUIDS_AT_ONCE = 256, USUAL_ITEMS = 8, LONG_BUCKET = 64 };

/* Prefetch distance in bytes: some items. */
enum { AHEAD = 2048 };

enum prof_status
disk_hash_open(struct disk_hash *t, uint64_t head, struct prof_error *err)
{
	struct prof_span image = t->image;
	size_t payload = t->payload;
	struct cursor c = { .data = image.data, .size = image.size };
	const unsigned least_key = t->keys == DISK_HASH_NAMES ? 1 :
	    t->keys == DISK_HASH_IDS ? ID_SIZE : 0;

	if (head > image.size || image.size - head < DISK_HASH_HEAD)
		return err_at(err, PROF_E_TRUNCATED, image.size, "the hash "
		    "table's head at %llu exceeds the %zu bytes available",
		    (unsigned long long)head, image.size);
	if (head < payload)
		return err_at(err, PROF_E_CORRUPT, head, "the hash table's "
		    "head at %llu begins before its payload at %zu",
		    (unsigned long long)head, payload);
	if (head % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, head, "the hash table's "
		    "head is not at a multiple of 8");
	c.pos = (size_t)head;
	t->head = c.pos;
	t->buckets = cur_u64(&c);
	t->entries = cur_u64(&c);
	if (t->buckets == 0 || (t->buckets & (t->buckets - 1)) != 0)
		return err_at(err, PROF_E_CORRUPT, head, "NumBuckets %llu is "
		    "not a power of two", (unsigned long long)t->buckets);
	if (t->buckets > cur_left(&c) / 8)
		return err_at(err, PROF_E_TRUNCATED, head, "NumBuckets %llu "
		    "exceeds the %zu bytes left",
		    (unsigned long long)t->buckets, cur_left(&c));
	if (t->entries > (head - payload) / (DISK_HASH_ITEM + least_key))
		return err_at(err, PROF_E_CORRUPT, head + 8, "NumEntries %llu "
		    "exceeds the %llu bytes of payload",
		    (unsigned long long)t->entries,
		    (unsigned long long)(head - payload));
	t->end = c.pos + (size_t)t->buckets * 8;
	return PROF_OK;
}

/* Reads the number of items of the bucket at c. */
static enum prof_status
disk_hash_read_bucket(struct cursor *c, unsigned *count, struct prof_error *err)
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
disk_hash_read_item(struct cursor *c, enum disk_hash_keys keys,
    struct disk_hash_item *item, struct prof_error *err)
{
	uint64_t key_size = ID_SIZE, data_size;
	size_t at = c->pos;

	item->hash = cur_u64(c);
	if (keys != DISK_HASH_UNSIZED_IDS)
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
		    at + (keys == DISK_HASH_UNSIZED_IDS ? 8 : 16), "DataLength "
		    "%llu exceeds the %zu bytes left of the payload",
		    (unsigned long long)data_size, cur_left(c));
	item->data = c->pos;
	item->data_size = (size_t)data_size;
	cur_bytes(c, data_size);
	return PROF_OK;
}

static struct cursor
disk_hash_cursor(const struct disk_hash *t, size_t pos)
{
	return (struct cursor){ .data = t->image.data, .size = t->head,
	    .pos = pos };
}

/* The offset of BucketOffset of a bucket. */
static size_t
table_bucket_offset(const struct disk_hash *t, uint64_t bucket)
{
	return t->head + DISK_HASH_HEAD + (size_t)bucket * 8;
}

/* Moves c to the items of the bucket of a hash; PROF_END if it is empty. */
static enum prof_status
disk_hash_open_bucket(const struct disk_hash *t, uint64_t hash, struct cursor
    *c, unsigned *count, struct prof_error *err)
{
	uint64_t bucket = hash & (t->buckets - 1);
	uint64_t offset = disk_hash_bucket(t, bucket);

	if (offset == 0)
		return PROF_END;
	if (offset < t->payload || offset >= t->head)
		return err_at(err, PROF_E_CORRUPT, table_bucket_offset(t,
		    bucket),
		    "BucketOffset %llu is not in the payload, %zu to %zu",
		    (unsigned long long)offset, t->payload, t->head);
	*c = disk_hash_cursor(t, (size_t)offset);
	return disk_hash_read_bucket(c, count, err);
}

/*
 * The item of a hash and key.  Without a key, any item of that hash is found,
 * but not in a bucket that is longer than LLVM's.
 */
static enum prof_status
disk_hash_search(const struct disk_hash *t, uint64_t hash,
    const struct prof_span *key, struct disk_hash_item *item,
    struct prof_error *err)
{
	struct cursor c;
	unsigned count;
	enum prof_status status = disk_hash_open_bucket(t, hash, &c, &count,
	    err);

	if (status != PROF_OK)
		return status;
	if (key == NULL && count > LONG_BUCKET)
		return PROF_FAIL;
	for (; count > 0; count--) {
		if (disk_hash_read_item(&c, t->keys, item, err) != PROF_OK)
			return PROF_FAIL;
		if (item->hash == hash &&
		    (key == NULL || prof_span_equal(item->key, *key)))
			return PROF_OK;
	}
	return PROF_END;
}

enum prof_status
disk_hash_find(const struct disk_hash *t, struct prof_span key,
    struct disk_hash_item *item, struct prof_error *err)
{
	return disk_hash_search(t, prof_guid(key), &key, item, err);
}

enum prof_status
disk_hash_find_hash(const struct disk_hash *t, uint64_t hash,
    struct disk_hash_item *item)
{
	return disk_hash_search(t, hash, NULL, item, NULL);
}

enum prof_status
disk_hash_next(struct disk_hash_walk *w, struct disk_hash_item *item,
    struct prof_error *err)
{
	const struct disk_hash *t = w->table;
	struct cursor c = disk_hash_cursor(t, w->pos == 0 ?
	    t->payload : w->pos);

	if (w->seen == t->entries)
		return PROF_END;
	if (w->bucket_left == 0 &&
	    disk_hash_read_bucket(&c, &w->bucket_left, err) != PROF_OK)
		return PROF_FAIL;
	if (disk_hash_read_item(&c, t->keys, item, err) != PROF_OK)
		return PROF_FAIL;
	w->bucket_left--;
	w->seen++;
	w->pos = c.pos;
	return PROF_OK;
}

static int
disk_hash_compare_items(const void *a, const void *b)
{
	const struct disk_hash_item *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return prof_span_compare(x->key, y->key);
}

static enum prof_status
disk_hash_duplicate(const struct disk_hash *t, const struct disk_hash_item
    *item, struct prof_error *err)
{
	size_t at = item->data - item->key.size;
	char name[ERR_NAME_SIZE];

	if (t->keys != DISK_HASH_NAMES)
		return err_at(err, PROF_E_CORRUPT, at, "id 0x%016llx occurs "
		    "twice in the hash table", (unsigned long long)item->hash);
	return err_at(err, PROF_E_CORRUPT, at, "name %s occurs twice in the "
	    "hash table", err_name(name, item->key));
}

static enum prof_status
table_check_unique(const struct disk_hash *t, struct disk_hash_item *items,
    unsigned count, struct prof_error *err)
{
	if (count > USUAL_ITEMS)
		qsort(items, count, sizeof(*items), disk_hash_compare_items);
	for (unsigned i = 1; i < count; i++) {
		for (unsigned k = count > USUAL_ITEMS ? i - 1 : 0; k < i; k++) {
			if (disk_hash_compare_items(&items[k], &items[i]) == 0)
				return disk_hash_duplicate(t, &items[i], err);
		}
	}
	return PROF_OK;
}

/* A table being checked. */
struct table_check {
	const struct disk_hash *t;
	disk_hash_visit *visit;
	void *arg;
	struct arena *arena;
	struct cursor c;
	size_t prefetched;			/* offset in the image */
	size_t guids;			/* names not checked yet */
	struct prof_span names[GUIDS_AT_ONCE];
	uint64_t hashes[GUIDS_AT_ONCE];	/* hashes that their items have */
};

static enum prof_status
table_check_guids(struct table_check *k, struct prof_error *err)
{
	uint64_t found[GUIDS_AT_ONCE];

	md5_u64_many(k->names, k->guids, found);
	for (size_t i = 0; i < k->guids; i++) {
		if (found[i] != k->hashes[i])
			return err_at(err, PROF_E_CORRUPT,
			    (uint64_t)(k->names[i].data - k->t->image.data) -
			    DISK_HASH_ITEM,
			    "item hash 0x%016llx differs from the hash of its "
			    "name, 0x%016llx", (unsigned long long)k->hashes[i],
			    (unsigned long long)found[i]);
	}
	k->guids = 0;
	return PROF_OK;
}

static enum prof_status
table_check_name(struct table_check *k, const struct disk_hash_item *item,
    size_t at, struct prof_error *err)
{
	if (item->key.size == 0)
		return err_at(err, PROF_E_CORRUPT, at + 8,
		    "KeyLength is 0: a name is empty");
	k->names[k->guids] = item->key;
	k->hashes[k->guids++] = item->hash;
	return k->guids < GUIDS_AT_ONCE ? PROF_OK : table_check_guids(k, err);
}

static enum prof_status
table_check_id(const struct disk_hash_item *item, size_t at, struct prof_error
    *err)
{
	uint64_t key;

	if (item->key.size != ID_SIZE)
		return err_at(err, PROF_E_CORRUPT, at + 8, "KeyLength %zu is "
		    "not the %d of an id", item->key.size, ID_SIZE);
	key = load_u64(item->key.data, false);
	if (key != item->hash)
		return err_at(err, PROF_E_CORRUPT, at, "item hash 0x%016llx "
		    "differs from its key, 0x%016llx",
		    (unsigned long long)item->hash, (unsigned long long)key);
	return PROF_OK;
}

/* The accesses jump, so that hardware prefetching does not help. */
PREFETCH_INLINE void
table_check_prefetch(struct table_check *k)
{
	for (; k->prefetched < k->c.pos + AHEAD && k->prefetched < k->c.size;
	    k->prefetched += 64)
		__builtin_prefetch(k->c.data + k->prefetched);
}

/* Checks the next item, which must be in the bucket of the first one. */
static enum prof_status
table_check_item(struct table_check *k, const struct disk_hash_item *first,
    struct disk_hash_item *item, struct prof_error *err)
{
	const struct disk_hash *t = k->t;
	size_t at = k->c.pos;

	table_check_prefetch(k);
	if (disk_hash_read_item(&k->c, t->keys, item, err) != PROF_OK ||
	    (t->keys == DISK_HASH_NAMES ? table_check_name(k, item, at, err) :
	    table_check_id(item, at, err)) != PROF_OK)
		return PROF_FAIL;
	if (((item->hash ^ first->hash) & (t->buckets - 1)) != 0)
		return err_at(err, PROF_E_CORRUPT, at, "hash table: an item "
		    "is not in the bucket of its hash");
	return k->visit == NULL ? PROF_OK : k->visit(k->arg, item, err);
}

/* Checks the next bucket; *bucket is its number. */
static enum prof_status
table_check_bucket(struct table_check *k, uint64_t *bucket, unsigned *count,
    struct prof_error *err)
{
	struct disk_hash_item few[USUAL_ITEMS], *items = few;

	if (disk_hash_read_bucket(&k->c, count, err) != PROF_OK)
		return PROF_FAIL;
	if (*count > cur_left(&k->c) / DISK_HASH_ITEM)
		return err_at(err, PROF_E_CORRUPT,
		    k->c.pos - DISK_HASH_BUCKET, "ItemCount %u exceeds the "
		    "%zu bytes left of the payload", *count, cur_left(&k->c));
	if (*count > USUAL_ITEMS) {
		arena_reset(k->arena);
		items = arena_array(k->arena, *count, sizeof(*items));
	}
	if (items == NULL)
		return err_memory(err);
	for (unsigned i = 0; i < *count; i++) {
		if (table_check_item(k, items, &items[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	*bucket = items[0].hash & (k->t->buckets - 1);
	return table_check_unique(k->t, items, *count, err);
}

/* Checks that the offsets of buckets from <= b < to are 0. */
static enum prof_status
table_check_empty(const struct disk_hash *t, uint64_t from, uint64_t to,
    struct prof_error *err)
{
	for (uint64_t b = from; b < to; b++) {
		if (disk_hash_bucket(t, b) != 0)
			return err_at(err, PROF_E_CORRUPT,
			    table_bucket_offset(t, b),
			    "BucketOffset %llu: no bucket %llu begins there",
			    (unsigned long long)disk_hash_bucket(t, b),
			    (unsigned long long)b);
	}
	return PROF_OK;
}

static enum prof_status
table_check_buckets(struct table_check *k, struct prof_error *err)
{
	const struct disk_hash *t = k->t;
	uint64_t next = 0, bucket = 0, seen = 0;
	unsigned count = 0;

	for (; seen < t->entries; seen += count, next = bucket + 1) {
		size_t at = k->c.pos;

		if (table_check_bucket(k, &bucket, &count, err) != PROF_OK)
			return PROF_FAIL;
		if (bucket < next)
			return err_at(err, PROF_E_CORRUPT, at, "hash table: "
			    "bucket %llu is not in ascending order",
			    (unsigned long long)bucket);
		if (table_check_empty(t, next, bucket, err) != PROF_OK)
			return PROF_FAIL;
		if (disk_hash_bucket(t, bucket) != at)
			return err_at(err, PROF_E_CORRUPT,
			    table_bucket_offset(t, bucket),
			    "BucketOffset %llu: bucket %llu is at %zu",
			    (unsigned long long)disk_hash_bucket(t, bucket),
			    (unsigned long long)bucket, at);
	}
	if (seen > t->entries)
		return err_at(err, PROF_E_CORRUPT, t->head + 8, "NumEntries "
		    "%llu is less than the %llu items of the buckets",
		    (unsigned long long)t->entries, (unsigned long long)seen);
	if (k->c.pos + pad8(k->c.pos) != t->head)
		return err_at(err, PROF_E_CORRUPT, k->c.pos, "hash table: the "
		    "%llu items of NumEntries end at %zu, the head begins at "
		    "%zu", (unsigned long long)seen, k->c.pos, t->head);
	return table_check_empty(t, next, t->buckets, err);
}

enum prof_status
disk_hash_check_each(const struct disk_hash *t, disk_hash_visit *visit,
    void *arg, struct arena *a, struct prof_error *err)
{
	struct table_check k = { .t = t, .visit = visit, .arg = arg, .arena = a,
	    .c = disk_hash_cursor(t, t->payload) };
	struct prof_error behind = { 0 };
	enum prof_status status = table_check_buckets(&k, &behind);

	/* Errors of names not checked yet come first in the file. */
	if (table_check_guids(&k, err) != PROF_OK)
		return PROF_FAIL;
	if (status != PROF_OK && err != NULL && err->code == PROF_E_NONE)
		*err = behind;
	return status;
}

enum prof_status
disk_hash_check(const struct disk_hash *t, struct arena *a,
    struct prof_error *err)
{
	return disk_hash_check_each(t, NULL, NULL, a, err);
}

enum { FIRST_BUCKETS = 64 };

/* Items move in the order of their chains, each to the front of a new one. */
static bool
plan_rehash(struct disk_hash_plan *p, struct arena *a, const uint64_t *hashes,
    uint64_t buckets)
{
	struct disk_hash_plan old = *p;

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
plan_fitting_buckets(uint64_t n)
{
	uint64_t want = n <= 2 ? 1 : n * 4 / 3 + 1, buckets = 1;

	while (buckets < want)
		buckets *= 2;
	return buckets;
}

bool
disk_hash_plan(struct disk_hash_plan *p, struct arena *a,
    const uint64_t *hashes, uint32_t n, bool shrink)
{
	*p = (struct disk_hash_plan){ .next =
	    arena_array(a, n, sizeof(*p->next)) };
	if (p->next == NULL || !plan_rehash(p, a, hashes, FIRST_BUCKETS))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *to;

		if (((uint64_t)i + 1) * 4 >= p->buckets * 3 &&
		    !plan_rehash(p, a, hashes, p->buckets * 2))
			return false;
		to = &p->first[hashes[i] & (p->buckets - 1)];
		p->next[i] = *to;
		*to = i + 1;
	}
	return !shrink || plan_fitting_buckets(n) == p->buckets ||
	    plan_rehash(p, a, hashes, plan_fitting_buckets(n));
}

enum prof_status
disk_hash_write(const struct disk_hash_plan *plan, uint32_t n, uint64_t base,
    disk_hash_put *put, const void *arg, struct buf *out, uint64_t *head,
    struct prof_error *err)
{
	struct buf offsets = { 0 };	/* in the file, of all buckets, or 0 */
	enum prof_status status = PROF_OK;

	for (uint64_t b = 0; b < plan->buckets && status == PROF_OK; b++) {
		uint32_t first = plan->first[b], count = 0;

		buf_u64le(&offsets, first == 0 ? 0 : base + out->size);
		for (uint32_t i = first; i != 0; i = plan->next[i - 1])
			count++;
		if (count > UINT16_MAX)
			status = err_set(err, PROF_E_LIMIT, "%u keys share a "
			    "bucket of a hash table, which is limited to %d",
			    count, UINT16_MAX);
		if (count != 0)
			buf_u16le(out, (uint16_t)count);
		for (uint32_t i = first; i != 0; i = plan->next[i - 1])
			put(arg, i - 1, out);
	}
	buf_zeros(out, (size_t)pad8(base + out->size));
	*head = base + out->size;
	buf_u64le(out, plan->buckets);
	buf_u64le(out, n);
	buf_put(out, offsets.data, offsets.size);
	if (status == PROF_OK && (out->failed || offsets.failed))
		status = err_memory(err);
	buf_free(&offsets);
	return status;
}
