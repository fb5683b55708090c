/*
 * format/indexed/lookup.h - functions by name
 *
 * Reads the buckets of the names that are looked for and nothing else of the
 * file.
 */
#ifndef FORMAT_INDEXED_LOOKUP_H
#define FORMAT_INDEXED_LOOKUP_H

#include "format/indexed/check.h"

struct indexed_selection {
	const struct prof_span *names;	/* see prof_select */
	size_t names_size;
	struct disk_hash_item *items;	/* in the order of the file */
	size_t size, next;		/* next: the one to return next */
};

/*
 * Looks the names up and checks the records of those that are there.  Resets
 * the arena.  The caller frees items.
 */
enum prof_status indexed_look_up(struct indexed_selection *,
    const struct indexed_image *, struct arena *, struct prof_error *);

#endif
