/* format/indexed/lookup.h - functions of some names, and nothing else of the file */
#ifndef FORMAT_INDEXED_FIND_H
#define FORMAT_INDEXED_FIND_H

#include "format/indexed/check.h"

struct indexed_selection {
	struct disk_hash_item *items;	/* in the order of the file */
	size_t size, next;
};

/* Looks names up and checks what is found; items are to be freed. */
enum prof_status indexed_look_up(struct indexed_selection *,
    const struct indexed_image *, const struct prof_span *names, size_t n,
    struct arena *, struct prof_error *);

#endif
