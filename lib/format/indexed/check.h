/*
 * format/indexed/check.h - the records of an indexed profile, before they are given
 */
#ifndef FORMAT_INDEXED_CHECK_H
#define FORMAT_INDEXED_CHECK_H

#include "format/indexed/image.h"
#include "format/indexed/record.h"

/* The data of an item, for indexed_record_read. */
struct cursor indexed_item_data(const struct indexed_image *,
    const struct disk_hash_item *);

struct indexed_facts {
	bool any_bitmap;
	bool any_hash_flags;		/* bits 60 to 63 in some FuncHash */
	bool any_rust;			/* some function is Rust's */
};

/*
 * All records of an item; the table and all items.  Facts, if they are wanted,
 * add up; the arena is reset.
 */
enum prof_status indexed_check_item(const struct indexed_image *,
    const struct disk_hash_item *, struct arena *, struct indexed_facts *,
    struct prof_error *);
enum prof_status indexed_check(const struct indexed_image *, struct arena *,
    struct indexed_facts *, struct prof_error *);

#endif
