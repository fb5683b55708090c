/*
 * format/indexed/items.h - writing an item of the table of functions
 *
 * An item is a name with its records: the entries of that name, which were
 * arranged before.
 */
#ifndef FORMAT_INDEXED_ITEMS_H
#define FORMAT_INDEXED_ITEMS_H

#include "format/indexed/entries.h"

/* Bytes of the item of a name. */
uint64_t indexed_item_size(const struct indexed_entries *, uint32_t name);

/* Appends the item of a name.  Resets the scratch arena of the entries. */
enum prof_status indexed_item_write(struct indexed_entries *, uint32_t name,
    struct buf *out, struct prof_error *);

#endif
