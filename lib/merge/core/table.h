/*
 * merge/core/table.h - the entries of a merge, found by name and hash
 *
 * Entries are numbered in the order in which their functions first came.  The
 * profiles of one program have the same functions in the same order, so that
 * the entry behind the one found last is tried before the hash table is.
 */
#ifndef MERGE_CORE_TABLE_H
#define MERGE_CORE_TABLE_H

#include "merge/core/core.h"

/*
 * The entry of a function, new and without counters if the function was not
 * there.  The entry is locked for the worker; worker->next becomes the number
 * behind it.
 */
enum prof_status merge_table_entry(struct merge_worker *,
    const struct prof_function *, struct merge_entry **, struct prof_error *);

/* The entry of a name and hash, or NULL. */
struct merge_entry *merge_table_find(const struct merge *, uint64_t guid,
    uint64_t hash);

/* The number of that entry, or INDEX_NONE. */
uint32_t merge_table_number(const struct merge *, uint64_t guid,
    uint64_t hash);

/*
 * The worker has the table for itself: many new functions are added without
 * locking it for each.  Only merge_table_entry and merge_table_prefetch may be
 * called in between.
 */
void merge_table_lock_all(struct merge_worker *);
void merge_table_unlock_all(struct merge_worker *);

/* Makes room for so many more functions.  False if out of memory. */
bool merge_table_reserve(struct merge_worker *, size_t more);

/* Prefetches the slots of a function that will be looked up soon. */
void merge_table_prefetch(const struct merge_worker *,
    const struct prof_symbol *, uint64_t hash);

/*
 * Adds a name to a symbol table of the merge under the table's lock, unless the
 * guid is there.  The name is copied to the arena, unless that is NULL: then
 * the caller's bytes stay valid as long as the merge.  *listed, unless NULL,
 * becomes the name that the table has.  False if out of memory.
 */
bool merge_add_name(struct symtab *, struct arena *, struct prof_span name,
    uint64_t guid, struct prof_span *listed);

/*
 * Entries whose names are borrowed from a block are not in m->names at first,
 * since most merges look up no name by guid.  This adds them; it is to be
 * called before m->names is searched.  False if out of memory.
 */
bool merge_table_list_names(struct merge *);

/* Names entries without name whose names the table has. */
void merge_table_name_entries(struct merge *, const struct symtab *);

/* Frees entries and slots; the arena and the names stay. */
void merge_table_free(struct merge *);

#endif
