/*
 * format/stream/parts.h - the parts that members are read and written with
 *
 * Values of one or a few keys, for all who read members from parsed JSON
 * or write them: member_parse.c, member_put.c, the forms, function.c, values.c.
 */
#ifndef FORMAT_STREAM_PARTS_H
#define FORMAT_STREAM_PARTS_H

#include "format/stream/stream.h"

/* Reports the first unknown key of a stream, once; known ends with NULL. */
void stream_warn_unknown(struct stream_record *, const struct jval *object,
    const char *const known[]);

/*
 * The bytes of a string under key, or in hex under hex_key; data is NULL if
 * there is neither.  Empty strings are refused.
 */
enum prof_status stream_parse_bytes(struct stream_record *,
    const struct jval *object, const char *key, const char *hex_key,
    struct prof_span *);

/* A list of numbers; fails if list is missing. */
enum prof_status stream_parse_numbers(struct stream_record *,
    const struct jval *list, const uint64_t **, size_t *size);

/* The same of ids, "0x...". */
enum prof_status stream_parse_ids(struct stream_record *,
    const struct jval *list, const uint64_t **, size_t *size);

/* A number up to max. */
enum prof_status stream_parse_limited(const struct jval *, uint64_t max,
    uint64_t *);

/* A number from min to max. */
enum prof_status stream_parse_bounded(const struct jval *, uint64_t min,
    uint64_t max, uint64_t *);

/* The keys under which a symbol stands: its name, or else its guid. */
struct stream_symbol_keys {
	const char *name, *hex, *guid;
};
extern const struct stream_symbol_keys stream_symbol, stream_target;

/* If there are both name and guid, they have to agree. */
enum prof_status stream_parse_symbol(struct stream_record *,
    const struct jval *object, const struct stream_symbol_keys *,
    struct prof_symbol *);

/* An empty name is no name to a reader: the guid stands for it. */
void stream_put_symbol(struct buf *, const struct stream_symbol_keys *,
    const struct prof_symbol *);

/* Appends the text of unknown members, if there are any. */
void stream_put_extra(struct buf *, struct prof_span);

#endif
