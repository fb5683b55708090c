/*
 * format/stream/stream.h - the stream of prof-stream(5), shared by its reader and writer
 *
 * The reader takes lines apart in three ways: stream_block knows the lines of
 * functions that were there before, stream_scan the canonical lines of which
 * there are many, stream_parse knows all records in all forms and decides.
 * Where several can, they give the same record.
 */
#ifndef FORMAT_STREAM_STREAM_H
#define FORMAT_STREAM_STREAM_H

#include "base/arena.h"
#include "format/codec.h"
#include "base/json.h"
#include "format/stream/frames.h"
#include "model/words.h"

enum { STREAM_VERSION = 1 };

/* Keys of a profile record in their order, then NULL; flags are in there. */
enum { STREAM_FIRST_FLAG = 4 };
extern const char *const stream_profile_keys[];

/* The keys under which a symbol stands: one that fits it. */
struct stream_symbol_keys {
	const char *name, *hex, *guid;
};
extern const struct stream_symbol_keys stream_symbol, stream_target;

/* What one record of the reader is made of; used again for the next. */
struct stream_record {
	struct prof_context *context;	/* may be NULL */
	bool warned;			/* of an unknown key */
	bool last;			/* the END just parsed says so */
	struct jdoc doc;
	struct arena arena;
	struct buf values, sites;	/* of stream_scan */
	struct buf pcs, segments, frames;	/* of stream_scan too */
	struct buf extra;
};

/*
 * A canonical line of a function, stack or allocation, without its newline; the
 * newline must follow it in memory.  False if it is not canonical to the byte,
 * or memory is out; then the record holds nothing.
 */
bool stream_scan(struct stream_record *, struct prof_span line,
    struct prof_record *);

/*
 * The object that was loaded into doc, whose text is the line.  An abort record
 * is a failure.
 */
enum prof_status stream_parse(struct stream_record *, struct prof_span line,
    struct prof_record *);

/*
 * Parts of stream_parse.  Keys that mean nothing in a record are passed over,
 * with one warning a stream, or kept as text.
 */
enum prof_status stream_parse_profile(struct stream_record *,
    const struct jval *, struct prof_record *);
void stream_ignore_unknown(struct stream_record *, const struct jval *object,
    const char *const known[]);
enum prof_status stream_keep_unknown(struct stream_record *,
    const struct jval *object, const char *const known[],
    struct prof_span *extra);

/*
 * The bytes of a string under key, or in hex under hex_key; data is NULL if
 * there is neither.  Empty ones are refused.
 */
enum prof_status stream_parse_bytes(struct stream_record *,
    const struct jval *object, const char *key, const char *hex_key,
    struct prof_span *);

/*
 * Other parts: a list of numbers; a NULL list for a missing one is for the
 * caller to see.  Heap profiles have a file of their own.
 */
enum prof_status stream_parse_numbers(struct stream_record *,
    const struct jval *list, const uint64_t **, size_t *size);
enum prof_status stream_parse_segment(struct stream_record *,
    const struct jval *, struct prof_record *);
enum prof_status stream_parse_stack(struct stream_record *,
    const struct jval *, struct prof_record *);
enum prof_status stream_parse_allocation(struct stream_record *,
    const struct jval *, struct prof_record *);
enum prof_status stream_parse_memprof_function(struct stream_record *,
    const struct jval *, struct prof_record *);
enum prof_status stream_parse_data_access(struct stream_record *,
    const struct jval *, struct prof_record *);
enum prof_status stream_parse_cold_symbol(struct stream_record *,
    const struct jval *, struct prof_record *);

/* Parts of the writer.  An empty name is no name to a reader; its guid stands for it. */
void stream_put_symbol(struct buf *, const struct stream_symbol_keys *,
    const struct prof_symbol *);

/* These may be absent. */
void stream_put_bitmap(struct buf *, struct prof_span);
void stream_put_extra(struct buf *, struct prof_span);

/* The members of a record of a heap profile, behind "record". */
void stream_put_segment(struct buf *, const struct prof_segment *);
void stream_put_stack(struct buf *, struct stream_frames *,
    const struct prof_stack *);
void stream_put_allocation(struct buf *, const struct prof_allocation *);
void stream_put_memprof_function(struct buf *,
    const struct prof_memprof_function *);
void stream_put_data_access(struct buf *, const struct prof_data_access *);
void stream_put_cold_symbol(struct buf *, const struct prof_data *);

/* For tests: the reader hands all lines to stream_parse from now on. */
void stream_no_scan(struct prof_reader *);

#endif
