/*
 * format/indexed/hash_table.h - writing the table of functions
 *
 * Each record is stored encoded as in the file, and its name behind it if it is
 * the first record of the name.  So the memory needed is little more than the
 * size of the file, or little at all with a scratch file.  If names and counts
 * stay valid until the end (prof_target.borrows), they are borrowed, and only
 * records with a bitmap or values are stored, without hash and counters.
 */
#ifndef FORMAT_INDEXED_HASH_TABLE_H
#define FORMAT_INDEXED_HASH_TABLE_H

#include "format/codec.h"
#include "model/disk_hash_table.h"
#include "format/indexed/layout.h"
#include "format/indexed/store.h"

struct indexed_entry {
	struct prof_span name;		/* data is NULL while it is stored */
	uint64_t guid, hash;
	uint64_t record;		/* its offset in the store */
	size_t record_size;
	const uint64_t *counts;		/* borrowed; unused if stored */
	size_t counts_size;
	uint32_t arrival;		/* entries added before */
	bool second_pass;		/* see summary_add_again */
	bool omitted;			/* see prof_omit */
};

/* Empty if all members but the row are zero. */
struct indexed_table {
	const struct indexed_row *row;
	struct indexed_entry *entries;
	size_t size, room;
	bool unsorted;			/* not in order of name and hash */
	bool as_arrived;		/* see prof_target */
	bool borrows;			/* see prof_target */
	struct indexed_store store;	/* records and names */
	struct buf plain;		/* end of a record without values */
	struct arena arena;		/* names of the scratch file; plan */
	struct buf last;		/* name of the last entry */
	struct arena scratch;

	/*
	 * Set by indexed_table_arrange.  Entries of one name are neighbours;
	 * names are numbered in the order of their first entries.
	 */
	uint32_t names;
	uint32_t *first;		/* entry of each name; [names]: end */
	uint32_t items;			/* names that are not omitted */
	uint32_t *order;		/* of items, in order of insertion */
	struct disk_hash_plan plan;	/* items are indices into order */
	uint64_t *offsets;		/* of buckets */
	uint64_t payload_end;		/* before padding */
	uint64_t head;			/* offset of the table's head */
	uint64_t end;			/* offset behind the table */
};

/*
 * Adds a function whose encoded record was appended to store.bytes from `start`
 * on.  If the table borrows counters, hash and counters are not part of it, and
 * nothing is appended for a function without bitmap and values.  second_pass
 * is what summary_add returned.
 */
enum prof_status indexed_table_add(struct indexed_table *,
    const struct prof_function *, size_t start, bool second_pass,
    struct prof_error *);

/* See prof_omit; does nothing for versions that sort names. */
enum prof_status indexed_table_omit(struct indexed_table *,
    const struct prof_symbol *, struct prof_error *);

/*
 * Called when all functions were added: sorts the entries, refuses two of one
 * name and hash, and computes the offsets of a table whose payload begins at
 * that offset of the file.
 */
enum prof_status indexed_table_arrange(struct indexed_table *,
    uint64_t payload, struct prof_error *);

/*
 * Appends the table to out.  Whenever out is large, its bytes go to the sink
 * and it is emptied; the caller writes the bytes that are left.
 */
enum prof_status indexed_table_write(struct indexed_table *,
    struct prof_writer *, struct buf *out, struct prof_error *);

void indexed_table_free(struct indexed_table *);

#endif
