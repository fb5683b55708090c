/*
 * merge/functions/entries.h - the entries of a merge in order, as records
 */
#ifndef MERGE_FUNCTIONS_ENTRIES_H
#define MERGE_FUNCTIONS_ENTRIES_H

#include "merge/core/core.h"

/*
 * All entries in canonical order: by name, then guid, then hash.  An array of
 * m->size, for free(); NULL if out of memory.
 */
struct merge_entry **merge_entries_sorted(const struct merge *);

/*
 * All entries in the order in which their names first came, and the hashes of a
 * name in the order in which they came: LLVM's indexed files depend on it where
 * LLVM walks its hash maps.  As above.
 */
struct merge_entry **merge_entries_as_arrived(const struct merge *);

/* The entry as a record, which is valid until the next call. */
enum prof_status merge_entry_record(struct merge *,
    const struct merge_entry *, struct prof_record *, struct prof_error *);

/* A guid with its name, if the merge or its spilled part knows one. */
struct prof_symbol merge_symbol(const struct merge *, uint64_t guid);

/* Puts m->size entries, but those that the options leave out. */
enum prof_status merge_put_entries(struct merge *,
    struct merge_entry **entries, const struct merge_output *,
    struct prof_writer *, struct prof_error *);

#endif
