/*
 * format/indexed/walk.h - the records of functions, one after the other
 */
#ifndef FORMAT_INDEXED_WALK_H
#define FORMAT_INDEXED_WALK_H

#include "format/codec.h"
#include "format/consumed.h"
#include "format/indexed/check.h"
#include "format/indexed/lookup.h"
#include "format/indexed/record.h"

/* A position in the records.  base, image and items.table are to be set. */
struct indexed_walk {
	const struct prof_reader *base;
	const struct indexed_image *image;
	struct disk_hash_walk items;
	bool lookup;			/* selected names, unless one lacks */
	struct indexed_selection selection;	/* if lookup is set */
	struct disk_hash_item item;
	struct cursor records;		/* the unread records of item */
	size_t skip;			/* the first records are passed over */
	size_t seen;			/* records read, or passed over */
	size_t prefetched;		/* offset in the image */
	struct consumed consumed;	/* of a walk through all items */
};

/*
 * The next record, of walk->item; or PROF_END.  The arena is for a look-up of
 * selected names.
 */
enum prof_status indexed_walk_next(struct indexed_walk *, struct arena *,
    struct indexed_record *, struct prof_error *);

#endif
