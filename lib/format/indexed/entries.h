/*
 * format/indexed/entries.h - functions that wait until the file is laid out
 *
 * Each record is stored encoded as in the file, and its name behind it if it is
 * the first record of the name.  So the memory needed is little more than the
 * size of the file, or little at all with a scratch file.  If names and counts
 * stay valid until the end (prof_target.borrows), they are borrowed, and only
 * records with a bitmap or values are stored, without hash and counters.
 */
#ifndef FORMAT_INDEXED_ENTRIES_H
#define FORMAT_INDEXED_ENTRIES_H

#include "base/arena.h"
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
struct indexed_entries {
	const struct indexed_row *row;
	struct indexed_entry *list;
	size_t size, room;
	bool unsorted;			/* not in order of name and hash */
	bool as_arrived;		/* see prof_target */
	bool borrows;			/* see prof_target */
	struct indexed_store store;	/* records and names */
	struct buf plain;		/* end of a record without values */
	struct buf last;		/* name of the last entry */
	struct arena arena;		/* names of the scratch file */
	struct arena scratch;

	/*
	 * Set by indexed_entries_arrange.  Entries of one name are neighbours;
	 * names are numbered in the order of their first entries.
	 */
	uint32_t names;
	uint32_t *first;		/* entry of each name; [names]: end */
};

/*
 * Adds a function whose encoded record was appended to store.bytes from `start`
 * on.  If counters are borrowed, hash and counters are not part of the record,
 * and nothing is appended for a function without bitmap and values.
 * second_pass is what summary_add returned.
 */
enum prof_status indexed_entries_add(struct indexed_entries *,
    const struct prof_function *, size_t start, bool second_pass,
    struct prof_error *);

/* See prof_omit; does nothing for versions that sort names. */
enum prof_status indexed_entries_omit(struct indexed_entries *,
    const struct prof_symbol *, struct prof_error *);

/*
 * Called when all functions were added: sorts the entries and refuses two of
 * one name and hash, or of one name if the version cannot hold them.
 */
enum prof_status indexed_entries_arrange(struct indexed_entries *,
    struct prof_error *);

void indexed_entries_free(struct indexed_entries *);

#endif
