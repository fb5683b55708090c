/*
 * model/disk_hash_table.h - LLVM's on-disk chained hash table
 *
 * Payload: for each bucket that is not empty, in ascending order, a u16 number
 * of items, and items of u64 hash, u64 key length, u64 data length, key, data,
 * all packed.  Zeros up to a multiple of 8, then the head: u64 number of
 * buckets (a power of two), u64 number of items, and for each bucket the u64
 * offset in the file of its number of items, or 0.  A key is a name, whose hash
 * is its guid, or an id of 8 bytes, which is its own hash; some tables leave
 * out the length of ids (llvm/Support/OnDiskHashTable.h, LLVM 3.5 to 22).
 */
#ifndef MODEL_DISK_HASH_TABLE_H
#define MODEL_DISK_HASH_TABLE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "prof.h"

/*
 * Fixed sizes in bytes: a head without its offsets, an item without key and
 * data, a bucket without its items.
 */
enum { DISK_HASH_HEAD = 16, DISK_HASH_ITEM = 24, DISK_HASH_BUCKET = 2 };

enum disk_hash_keys { DISK_HASH_NAMES, DISK_HASH_IDS, DISK_HASH_UNSIZED_IDS };

struct disk_hash {
	struct prof_span image;
	enum disk_hash_keys keys;
	size_t payload;			/* offset of the first bucket */

	/* Set by disk_hash_open. */
	size_t head;			/* offset of the head */
	size_t end;			/* offset behind the head */
	uint64_t buckets, entries;
};

struct disk_hash_item {
	uint64_t hash;
	struct prof_span key;
	size_t data, data_size;		/* offset in the image, bytes */
};

/* The offset of a bucket, from the head; 0 if the bucket is empty. */
static inline uint64_t
disk_hash_bucket(const struct disk_hash *t, uint64_t bucket)
{
	return load_u64(t->image.data + t->head + DISK_HASH_HEAD +
	    (size_t)bucket * 8, false);
}

/*
 * Reads the head at that offset.  The caller has set image, keys and payload,
 * which is at most the size of the image.
 */
enum prof_status disk_hash_open(struct disk_hash *, uint64_t head,
    struct prof_error *);

/*
 * The item with that name.  PROF_END if there is none, PROF_FAIL if its bucket
 * is damaged.  Reads nothing but the bucket.
 */
enum prof_status disk_hash_find(const struct disk_hash *, struct prof_span key,
    struct disk_hash_item *, struct prof_error *);

/*
 * The first item with that hash, PROF_END if there is none.  PROF_FAIL if its
 * bucket is damaged, or so long that a hash table in memory is faster.
 */
enum prof_status disk_hash_find_hash(const struct disk_hash *, uint64_t hash,
    struct disk_hash_item *);

/* A position in the items, in file order.  At first zero but for the table. */
struct disk_hash_walk {
	const struct disk_hash *table;
	size_t pos;			/* next item or bucket; 0 at first */
	unsigned bucket_left;		/* items */
	uint64_t seen;			/* items */
};

/* The next item or PROF_END.  Checks all lengths. */
enum prof_status disk_hash_next(struct disk_hash_walk *,
    struct disk_hash_item *, struct prof_error *);

/*
 * Checks the whole table: items and buckets fill the payload, each item has the
 * hash of its key and is in the bucket of that hash, the offsets in the head
 * are right, keys are unique and not empty.  Resets the arena.
 */
enum prof_status disk_hash_check(const struct disk_hash *, struct arena *,
    struct prof_error *);

/* The same; calls a function for each item, which must not use the arena. */
typedef enum prof_status disk_hash_visit(void *arg,
    const struct disk_hash_item *, struct prof_error *);
enum prof_status disk_hash_check_each(const struct disk_hash *,
    disk_hash_visit *, void *arg, struct arena *, struct prof_error *);

/* The buckets of a table to be written, allocated in an arena. */
struct disk_hash_plan {
	uint64_t buckets;
	uint32_t *first;		/* of each bucket: index + 1, or 0 */
	uint32_t *next;			/* of each item: index + 1, or 0 */
};

/*
 * Computes the buckets and chains of LLVM's table after n items of these hashes
 * were inserted in this order.  shrink: at the end, the number of buckets is
 * reduced to what the items need (see struct indexed_row).  False if out of
 * memory.
 */
bool disk_hash_plan(struct disk_hash_plan *, struct arena *,
    const uint64_t *hashes, uint32_t n, bool shrink);

/* Appends an item of a plan. */
typedef void disk_hash_put(const void *arg, uint32_t item, struct buf *);

/*
 * Appends the table of a plan of n items to out, whose first byte is at offset
 * `base` of the file, and sets the offset of its head.
 */
enum prof_status disk_hash_write(const struct disk_hash_plan *, uint32_t n,
    uint64_t base, disk_hash_put *, const void *arg, struct buf *out,
    uint64_t *head, struct prof_error *);

#endif
