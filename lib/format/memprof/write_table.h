/*
 * format/memprof/write_table.h - writer of the hash tables of a heap profile's
 * section
 *
 * They are as in model/disk_hash_table.h, but a key is a number, and its own
 * hash (llvm/Support/OnDiskHashTable.h with the traits of MemProf.h).
 */
#ifndef FORMAT_MEMPROF_WRITE_TABLE_H
#define FORMAT_MEMPROF_WRITE_TABLE_H

#include "base/bytes.h"
#include "format/memprof/layout.h"

struct memprof_table_item {
	uint64_t key;
	uint32_t thing;			/* what the data are of */
};

/* Appends the data of a thing. */
typedef void memprof_table_put(const void *arg, uint32_t thing, struct buf *);

/* Empty if all is zero but the layout, put and arg.  Keys are unique. */
struct memprof_table {
	const struct memprof_table_layout *layout;
	memprof_table_put *put;
	const void *arg;
	struct memprof_table_item *items;
	uint32_t size;
	size_t room;
};

/* Adds a key, whose data the table's put will write, given the thing. */
enum prof_status memprof_table_add(struct memprof_table *, uint64_t key,
    uint32_t thing, struct prof_error *);

/*
 * Appends the table to out, whose first byte is at offset `base` of the file,
 * and sets the offset of its head.
 */
enum prof_status memprof_table_write(const struct memprof_table *,
    uint64_t base, struct buf *out, uint64_t *head, struct prof_error *);

void memprof_table_free(struct memprof_table *);

#endif
