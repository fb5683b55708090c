/*
 * model/disk_hash_table.h - the on-disk chained hash table
 *
 * Payload: for each bucket that is not empty, in ascending order, a u16 number
 * of items, and items of u64 hash, u64 key length, u64 data length, key, data,
 * all packed.  Zeros up to a multiple of 8, then the head: u64 number of
 * buckets (a power of two), u64 number of items, and for each bucket the u64
 * offset in the file of its number of items, or 0.  A key is a name, whose hash
 * is its guid, or an id of 8 bytes, which is its own hash; the length of the
 * latter is left out in some tables (llvm/Support/OnDiskHashTable.h, LLVM 3.4
 * to 22).
 */
#ifndef MODEL_DISK_HASH_TABLE_H
#define MODEL_DISK_HASH_TABLE_H

#include "base/arena.h"
#include "base/bytes.h"

/*
 * Bytes of the head beside its offsets, of an item beside its key and data, of
 * a bucket beside its items.
 */
enum { DISK_HASH_HEAD = 16, DISK_HASH_ITEM = 24, DISK_HASH_BUCKET = 2 };

enum disk_hash_keys { DISK_HASH_NAMES, DISK_HASH_IDS, DISK_HASH_UNSIZED_IDS };

struct disk_hash {
	struct prof_span image;
	enum disk_hash_keys keys;
	size_t payload;			/* offset of the first bucket */
	size_t head;			/* offset of the head */
	size_t end;			/* offset behind the head */
	uint64_t buckets, entries;
};

struct disk_hash_item {
	uint64_t hash;
	struct prof_span key;
	size_t data, data_size;		/* offset in the image, bytes */
};

/* What the head has for a bucket, which is there: its offset, or 0. */
static inline uint64_t
disk_hash_bucket(const struct disk_hash *t, uint64_t bucket)
{
	return load_u64(t->image.data + t->head + DISK_HASH_HEAD +
	    (size_t)bucket * 8, false);
}

/* Takes a head at that offset of the image and checks that it fits. */
enum prof_status disk_hash_open(struct disk_hash *, struct prof_span image,
    enum disk_hash_keys, size_t payload, uint64_t head, struct prof_error *);

/*
 * The item with that name.  PROF_END if there is none, PROF_FAIL if its bucket
 * is damaged.  Reads nothing but the bucket.
 */
enum prof_status disk_hash_find(const struct disk_hash *, struct prof_span key,
    struct disk_hash_item *, struct prof_error *);

/*
 * The first item with that hash, PROF_END if there is none.  PROF_FAIL if its
 * bucket is damaged, or so long that a table of another kind is the better one
 * to look many things up in.
 */
enum prof_status disk_hash_find_hash(const struct disk_hash *, uint64_t hash,
    struct disk_hash_item *);

/* Goes through the items in the order of the file.  All zero but the table. */
struct disk_hash_walk {
	const struct disk_hash *table;
	size_t pos;			/* next item or bucket; 0 at first */
	unsigned bucket_left;		/* items */
	uint64_t seen;			/* items */
};

/* The next item or PROF_END, with all lengths checked. */
enum prof_status disk_hash_next(struct disk_hash_walk *,
    struct disk_hash_item *, struct prof_error *);

/*
 * Everything else that can be wrong: items and buckets fill the payload, each
 * item is in the bucket and has the hash that its key calls for, the head knows
 * each bucket, keys are unique and not empty.  Resets the arena.
 */
enum prof_status disk_hash_check(const struct disk_hash *, struct arena *,
    struct prof_error *);

/* The same, with an eye on each item on the way; it leaves the arena alone. */
typedef enum prof_status disk_hash_visit(void *arg,
    const struct disk_hash_item *, struct prof_error *);
enum prof_status disk_hash_check_each(const struct disk_hash *,
    disk_hash_visit *, void *arg, struct arena *, struct prof_error *);

/* Where a table's items go.  The arena keeps it. */
struct disk_hash_plan {
	uint64_t buckets;
	uint32_t *first;		/* of each bucket: index + 1, or 0 */
	uint32_t *next;			/* of each item: index + 1, or 0 */
};

/*
 * The buckets and chains that LLVM makes of n items of these hashes, inserted
 * in this order, so that the bytes are LLVM's too.  shrink: the number of
 * buckets is fitted at the end (not done before LLVM 4).  False if out of
 * memory.
 */
bool disk_hash_plan(struct disk_hash_plan *, struct arena *,
    const uint64_t *hashes, uint32_t n, bool shrink);

#endif
