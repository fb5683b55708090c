/*
 * format/indexed/check.h - checks of all records before the first is returned
 */
#ifndef FORMAT_INDEXED_CHECK_H
#define FORMAT_INDEXED_CHECK_H

#include "format/indexed/image.h"
#include "format/indexed/record.h"

/* A cursor over the records of an item, for indexed_record_read. */
struct cursor indexed_item_data(const struct indexed_image *,
    const struct disk_hash_item *);

/* Properties of the records that decide which hash rules are possible. */
struct indexed_facts {
	bool any_bitmap;
	bool any_hash_flags;		/* bits 60 to 63 in some FuncHash */
	bool any_rust;			/* some name is mangled by rustc */
};

/*
 * Check what the records of an item cannot show one by one: the length of the
 * data, and that no two records have one hash.  The second resets the arena.
 */
enum prof_status indexed_check_item_size(const struct disk_hash_item *,
    struct prof_error *);
enum prof_status indexed_check_item_hashes(const struct indexed_image *,
    const struct disk_hash_item *, struct arena *, struct prof_error *);

/*
 * Check all records of an item, and the table with all its items.  Properties
 * that are found are added to the facts, which may be NULL.  Both reset the
 * arena.
 */
enum prof_status indexed_check_item(const struct indexed_image *,
    const struct disk_hash_item *, struct arena *, struct indexed_facts *,
    struct prof_error *);
enum prof_status indexed_check(const struct indexed_image *, struct arena *,
    struct indexed_facts *, struct prof_error *);

/* Sets the indexed versions whose hash rule the front-end hashes may have. */
void indexed_set_frontend(const struct indexed_row *,
    const struct indexed_facts *, struct prof_header *);

#endif
