/* format/indexed/hash_table.h - writing the table of functions */
#ifndef FORMAT_INDEXED_HASH_TABLE_H
#define FORMAT_INDEXED_HASH_TABLE_H

#include "format/codec.h"
#include "format/indexed/entries.h"

struct indexed_table {
	struct indexed_entries *entries;

	/* Set by indexed_table_arrange, in the arena of the entries. */
	uint32_t items;			/* names that are not omitted */
	uint32_t *order;		/* of items, in order of insertion */
	struct disk_hash_plan plan;	/* items are indices into order */
	uint64_t *offsets;		/* of buckets */
	uint64_t payload_end;		/* before padding */
	uint64_t head;			/* offset of the table's head */
	uint64_t end;			/* offset behind the table */
};

/*
 * Arranges the entries and computes the offsets of a table whose payload begins
 * at that offset of the file.
 */
enum prof_status indexed_table_arrange(struct indexed_table *,
    uint64_t payload, struct prof_error *);

/*
 * Appends the table to out.  Whenever out is large, its bytes go to the sink
 * and it is emptied; the caller writes the bytes that are left.
 */
enum prof_status indexed_table_write(struct indexed_table *,
    struct prof_writer *, struct buf *out, struct prof_error *);

#endif
