/* format/indexed/function.h - a function of a profile from its stored record */
#ifndef FORMAT_INDEXED_FUNCTION_H
#define FORMAT_INDEXED_FUNCTION_H

#include "format/indexed/image.h"
#include "format/indexed/record.h"
#include "model/value_data.h"

/* Where the record stands, and what is needed to decode it. */
struct indexed_function_from {
	const struct disk_hash_item *item;
	struct arena *arena;		/* of what the function points to */
	size_t end;			/* offset behind the record */
	const struct values_resolver *targets;	/* NULL: they have no names */
};

/* Checks bitmap and values, as the record was read without them. */
enum prof_status indexed_function_read(const struct indexed_image *,
    const struct indexed_record *, const struct indexed_function_from *,
    struct prof_function *, struct prof_error *);

#endif
