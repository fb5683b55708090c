#include "model/disk_hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/prefetch.h"
#include "base/md5.h"

enum { ID_SIZE = 8 };

/*
 * Names whose guids are computed together; items that most buckets have at
 * most, and that one of LLVM's never has.
 */
enum { GUIDS = 256, FEW = 8, LONG = 64 };

/* Bytes, some items. */
enum { AHEAD = 2048 };

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

/* Where BucketOffset stands. */
static size_t
bucket_at(const struct hashtable *t, uint64_t bucket)
{
	return t->head + HASHTABLE_HEAD + (size_t)bucket * 8;
}

/* The items of the bucket of a hash; PROF_END if there are none. */
static enum prof_status
open_bucket(const struct hashtable *t, uint64_t hash, struct cursor *c,
    unsigned *count, struct prof_error *err)
{
	uint64_t bucket = hash & (t->buckets - 1);
	uint64_t offset = hashtable_bucket(t, bucket);

	if (offset == 0)
		return PROF_END;
	if (offset < t->payload || offset >= t->head)
		return err_at(err, PROF_E_CORRUPT, bucket_at(t, bucket),
		    "BucketOffset %llu is not in the payload, %zu to %zu",
		    (unsigned long long)offset, t->payload, t->head);
	*c = payload(t, (size_t)offset);
	return read_bucket(c, count, err);
}

enum prof_status
hashtable_find(const struct hashtable *t, struct prof_span key,
    struct hashtable_item *item, struct prof_error *err)
{
	uint64_t hash = prof_guid(key);
	struct cursor c;
	unsigned count;
	enum prof_status status = open_bucket(t, hash, &c, &count, err);

	if (status != PROF_OK)
		return status;
	for (; count > 0; count--) {
		if (read_item(&c, t->keys, item, err) != PROF_OK)
			return PROF_FAIL;
		if (item->hash == hash && prof_span_equal(item->key, key))
			return PROF_OK;
	}
	return PROF_END;
}

enum prof_status
hashtable_find_hash(const struct hashtable *t, uint64_t hash,
    struct hashtable_item *item)
{
	struct cursor c;
	unsigned count;
	enum prof_status status = open_bucket(t, hash, &c, &count, NULL);

	if (status != PROF_OK || count > LONG)
		return status == PROF_END ? PROF_END : PROF_FAIL;
	for (; count > 0; count--) {
		if (read_item(&c, t->keys, item, NULL) != PROF_OK)
			return PROF_FAIL;
		if (item->hash == hash)
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
twice(const struct hashtable *t, const struct hashtable_item *item,
    struct prof_error *err)
{
	size_t at = item->data - item->key.size;
	char name[ERR_NAME_SIZE];

	if (t->keys != HASHTABLE_NAMES)
		return err_at(err, PROF_E_CORRUPT, at, "id 0x%016llx stands "
		    "twice in the hash table",
		    (unsigned long long)item->hash);
	return err_at(err, PROF_E_CORRUPT, at, "name %s stands twice in the "
	    "hash table", err_name(name, item->key));
}

static enum prof_status
check_unique(const struct hashtable *t, struct hashtable_item *items,
    unsigned count, struct prof_error *err)
{
	if (count > FEW)
		qsort(items, count, sizeof(*items), compare_items);
	for (unsigned i = 1; i < count; i++) {
		for (unsigned k = count > FEW ? i - 1 : 0; k < i; k++) {
			if (compare_items(&items[k], &items[i]) == 0)
				return twice(t, &items[i], err);
		}
	}
	return PROF_OK;
}

/* A table being checked. */
struct check {
	const struct hashtable *t;
	hashtable_visit *visit;
	void *arg;
	struct arena *arena;
	struct cursor c;
	size_t fetched;			/* from memory, up to here */
	size_t guids;			/* names that wait for theirs */
	struct prof_span names[GUIDS];
	uint64_t hashes[GUIDS];		/* and what they should be */
};

static enum prof_status
check_guids(struct check *k, struct prof_error *err)
{
	uint64_t found[GUIDS];

	md5_u64_many(k->names, k->guids, found);
	for (size_t i = 0; i < k->guids; i++) {
		if (found[i] != k->hashes[i])
			return err_at(err, PROF_E_CORRUPT,
			    (uint64_t)(k->names[i].data - k->t->image.data) -
			    HASHTABLE_ITEM, "item hash 0x%016llx is not that "
			    "of its name, 0x%016llx",
			    (unsigned long long)k->hashes[i],
			    (unsigned long long)found[i]);
	}
	k->guids = 0;
	return PROF_OK;
}

static enum prof_status
check_name(struct check *k, const struct hashtable_item *item, size_t at,
    struct prof_error *err)
{
	if (item->key.size == 0)
		return err_at(err, PROF_E_CORRUPT, at + 8,
		    "KeyLength is 0: a name is empty");
	k->names[k->guids] = item->key;
	k->hashes[k->guids++] = item->hash;
	return k->guids < GUIDS ? PROF_OK : check_guids(k, err);
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

/* The walk goes by leaps, which no processor foresees. */
PREFETCH_INLINE void
fetch_ahead(struct check *k)
{
	for (; k->fetched < k->c.pos + AHEAD && k->fetched < k->c.size;
	    k->fetched += 64)
		__builtin_prefetch(k->c.data + k->fetched);
}

/* The next item, of the bucket that the first one is in. */
static enum prof_status
check_item(struct check *k, const struct hashtable_item *first,
    struct hashtable_item *item, struct prof_error *err)
{
	const struct hashtable *t = k->t;
	size_t at = k->c.pos;

	fetch_ahead(k);
	if (read_item(&k->c, t->keys, item, err) != PROF_OK ||
	    (t->keys == HASHTABLE_NAMES ? check_name(k, item, at, err) :
	    check_id(item, at, err)) != PROF_OK)
		return PROF_FAIL;
	if (((item->hash ^ first->hash) & (t->buckets - 1)) != 0)
		return err_at(err, PROF_E_CORRUPT, at, "hash table: an item "
		    "is not in the bucket of its hash");
	return k->visit == NULL ? PROF_OK : k->visit(k->arg, item, err);
}

/* The next bucket; *bucket is its number. */
static enum prof_status
check_bucket(struct check *k, uint64_t *bucket, unsigned *count,
    struct prof_error *err)
{
	struct hashtable_item few[FEW], *items = few;

	if (read_bucket(&k->c, count, err) != PROF_OK)
		return PROF_FAIL;
	if (*count > cur_left(&k->c) / HASHTABLE_ITEM)
		return err_at(err, PROF_E_CORRUPT,
		    k->c.pos - HASHTABLE_BUCKET, "ItemCount %u exceeds the "
		    "%zu bytes left of the payload", *count, cur_left(&k->c));
	if (*count > FEW) {
		arena_reset(k->arena);
		items = arena_array(k->arena, *count, sizeof(*items));
	}
	if (items == NULL)
		return err_memory(err);
	for (unsigned i = 0; i < *count; i++) {
		if (check_item(k, items, &items[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	*bucket = items[0].hash & (k->t->buckets - 1);
	return check_unique(k->t, items, *count, err);
}

/* The offsets of buckets `from` to `to` are 0, as there were none. */
static enum prof_status
check_empty(const struct hashtable *t, uint64_t from, uint64_t to,
    struct prof_error *err)
{
	for (uint64_t b = from; b < to; b++) {
		if (hashtable_bucket(t, b) != 0)
			return err_at(err, PROF_E_CORRUPT, bucket_at(t, b),
			    "BucketOffset %llu: no bucket %llu begins there",
			    (unsigned long long)hashtable_bucket(t, b),
			    (unsigned long long)b);
	}
	return PROF_OK;
}

static enum prof_status
check_buckets(struct check *k, struct prof_error *err)
{
	const struct hashtable *t = k->t;
	uint64_t next = 0, bucket = 0, seen = 0;
	unsigned count = 0;

	for (; seen < t->entries; seen += count, next = bucket + 1) {
		size_t at = k->c.pos;

		if (check_bucket(k, &bucket, &count, err) != PROF_OK)
			return PROF_FAIL;
		if (bucket < next)
			return err_at(err, PROF_E_CORRUPT, at, "hash table: "
			    "bucket %llu does not stand in ascending order",
			    (unsigned long long)bucket);
		if (check_empty(t, next, bucket, err) != PROF_OK)
			return PROF_FAIL;
		if (hashtable_bucket(t, bucket) != at)
			return err_at(err, PROF_E_CORRUPT,
			    bucket_at(t, bucket), "BucketOffset %llu: bucket "
			    "%llu is at %zu",
			    (unsigned long long)hashtable_bucket(t, bucket),
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
	return check_empty(t, next, t->buckets, err);
}

enum prof_status
hashtable_check_each(const struct hashtable *t, hashtable_visit *visit,
    void *arg, struct arena *a, struct prof_error *err)
{
	struct check k = { .t = t, .visit = visit, .arg = arg, .arena = a,
	    .c = payload(t, t->payload) };
	struct prof_error behind = { 0 };
	enum prof_status status = check_buckets(&k, &behind);

	/* What is wrong with names that wait stands before it. */
	if (check_guids(&k, err) != PROF_OK)
		return PROF_FAIL;
	if (status != PROF_OK && err != NULL && err->code == PROF_E_NONE)
		*err = behind;
	return status;
}

enum prof_status
hashtable_check(const struct hashtable *t, struct arena *a,
    struct prof_error *err)
{
	return hashtable_check_each(t, NULL, NULL, a, err);
}
