/*
 * format/stream/values.h - value sites: the member "values" of a function
 */
#ifndef FORMAT_STREAM_VALUES_H
#define FORMAT_STREAM_VALUES_H

#include "format/stream/parts.h"

/* The object of the member; kinds that are missing are left alone. */
enum prof_status stream_parse_values(struct stream_record *,
    const struct jval *, struct prof_sites[PROF_VALUE_KINDS]);

/*
 * Appends the member, unless no kind has sites.  Values of a block may lack
 * their names, which it knows; block is NULL for others.
 */
void stream_put_values(struct buf *,
    const struct prof_sites[PROF_VALUE_KINDS], const struct prof_block *block);

#endif
