/*
 * format/indexed/hash_table.h - function records on their way into the hash table
 *
 * Records, and behind the first of each name the name, are kept as they will
 * stand in the file, so that a profile waits in little more memory than the
 * file takes; or in a scratch file.  Names and counters that last are not even
 * copied.
 */
#ifndef FORMAT_INDEXED_HASH_TABLE_H
#define FORMAT_INDEXED_HASH_TABLE_H

#include "format/codec.h"
#include "model/disk_hash_table.h"
#include "format/indexed/layout.h"
#include "format/indexed/store.h"

struct indexed_entry {
	struct prof_span name;		/* data is NULL: not loaded */
	uint64_t guid, hash;
	uint64_t record;		/* where it is stored */
	size_t record_size;
	const uint64_t *counts;		/* that last and are not stored */
	size_t counts_size;
	uint32_t arrival;		/* how many came before */
	bool second_pass;		/* see summary_add_again */
};

/* All zero but the row is empty. */
struct indexed_table {
	const struct indexed_row *row;
	struct indexed_entry *entries;
	size_t size, room;
	bool unsorted;			/* by name and hash, so far */
	bool as_arrived;		/* see prof_target; names in groups */
	bool borrows;			/* see prof_target */
	struct indexed_store store;	/* of all records */
	struct buf plain;		/* what ends a record without values */
	struct arena arena;		/* names of a file, and what follows */
	struct buf last;		/* name of the last entry */
	struct arena scratch;

	/* Known when arranged.  Names are groups of entries. */
	uint32_t names;
	uint32_t *first;		/* entry of each name, and the end */
	uint32_t *order;		/* names as they are inserted */
	struct disk_hash_plan plan;	/* of what is inserted */
	uint64_t *offsets;		/* of buckets */
	uint64_t payload_end;		/* before padding */
	uint64_t head;			/* offset of the table's head */
	uint64_t end;			/* offset behind the table */
};

/*
 * The record is what has been appended to store.bytes since `start`; if names
 * and counters last, without its head, and nothing if it ends as plain ones do.
 */
enum prof_status indexed_table_add(struct indexed_table *,
    const struct prof_function *, size_t start, bool second_pass,
    struct prof_error *);

/*
 * Sorts the entries, refuses two of one name and hash, and finds a place for
 * each if the payload begins at that offset.
 */
enum prof_status indexed_table_arrange(struct indexed_table *,
    uint64_t payload, struct prof_error *);

/*
 * Appends the table to out, handing out to the sink whenever it is large; what
 * is left in out has not been handed out yet.
 */
enum prof_status indexed_table_write(struct indexed_table *,
    struct prof_writer *, struct buf *out, struct prof_error *);

void indexed_table_free(struct indexed_table *);

#endif
