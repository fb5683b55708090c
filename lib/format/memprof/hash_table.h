/*
 * format/memprof/hash_table.h - writing the hash tables of a heap profile's section
 *
 * As model/disk_hash_table.h has it, but a key is a number, and its own hash
 * (llvm/Support/OnDiskHashTable.h with the traits of MemProf.h).
 */
#ifndef FORMAT_MEMPROF_HASH_TABLE_H
#define FORMAT_MEMPROF_HASH_TABLE_H

#include "base/bytes.h"

struct memprof_item {
	uint64_t key;
	size_t end;			/* of its data */
};

/* All zero is empty.  Keys are unique and stay in the order of adding. */
struct memprof_table {
	struct memprof_item *items;
	uint32_t size;
	size_t room;
	struct buf data;
};

/* Adds a key; its data is what came to `data` since the key before. */
enum prof_status memprof_table_add(struct memprof_table *, uint64_t key,
    struct prof_error *);

/*
 * Appends the table to out, whose first byte stands at `base` of the file, and
 * tells the offset of its head in the file.  key_sizes: each item says that its
 * key has 8 bytes.
 */
enum prof_status memprof_table_write(const struct memprof_table *,
    bool key_sizes, uint64_t base, struct buf *out, uint64_t *head,
    struct prof_error *);

void memprof_table_free(struct memprof_table *);

#endif
