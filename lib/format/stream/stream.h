/*
 * format/stream/stream.h - the stream of prof-stream(5)
 *
 * A line becomes a record in one of two ways.  scan.c takes canonical lines of
 * functions, stacks and allocations apart by hand; stream_parse knows every
 * record in every form, and decides.  Where both can read a line, they give the
 * same record.
 */
#ifndef FORMAT_STREAM_STREAM_H
#define FORMAT_STREAM_STREAM_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/numbers.h"
#include "format/codec.h"
#include "format/program.h"
#include "model/record.h"
#include "prof.h"

/*
 * Frames that were read before, by their text.  Each frame of a canonical line
 * gets a number (struct prof_stack).  A frame whose text was read before is
 * found by it, and not taken apart again.
 */

/* A frame that is kept, in one piece of memory with its text. */
struct stream_numbered {
	struct prof_frame frame;	/* points into the text */
	uint32_t number, size;
	uint8_t text[];
};

/* All zero is empty. */
struct stream_numbers {
	struct stream_numbered **items;
	size_t room;
	struct hash_index index;
	uint32_t next;			/* number */
	struct arena arena;		/* items */
};

void stream_numbers_free(struct stream_numbers *);

enum { STREAM_VERSION = 1 };

/* Memory of the record that the reader lends; the next record uses it again. */
struct stream_record {
	struct prof_context *context;	/* may be NULL */
	bool coverage;			/* heads are coverage records */
	bool warned;			/* of an unknown key */
	bool last;			/* the END just read is the last one */
	struct jdoc doc;
	struct arena arena;
	struct buf values, sites;	/* of the scanner */
	struct buf pcs, segments, frames;
	struct stream_numbers *numbers;	/* NULL: frames get none */
	struct buf frame_numbers;
	struct buf extra;		/* text of unknown members */
};

/*
 * A canonical line of a function, stack or allocation, without its newline; the
 * newline must follow it in memory.  False if the line is not canonical to the
 * byte, or memory is out; then the record holds nothing.
 */
bool stream_scan(struct stream_record *, struct prof_span line,
    struct prof_record *);

/*
 * The record of the JSON object that was loaded into doc; line is its text.  An
 * abort record is a failure.
 */
enum prof_status stream_parse(struct stream_record *, struct prof_span line,
    struct prof_record *);

void stream_record_free(struct stream_record *);

/*
 * Appends the line of any record but END and BLOCK.  Memory that ran out
 * shows in buf.failed.
 */
void stream_put_record(struct buf *, const struct prof_record *);

/* Whether these bytes, of a stream or a line, begin with coverage. */
bool stream_is_coverage(struct prof_span);

/*
 * The reader of a stream of coverage: a head is PROF_REC_PROFILE, and all but
 * heads, ends and aborts are PROF_REC_OTHER, whose line stands in the doc of
 * *record, which has memory for what is made of it.
 */
struct prof_reader *stream_open_coverage(struct prof_context *, prof_pull *,
    void *arg, struct stream_record **record, struct prof_error *);

/* For tests: the reader hands all lines to stream_parse from now on. */
void stream_no_scan(struct prof_reader *);

/*
 * Members: values of one or a few keys, for all who read members from parsed
 * JSON or write them (forms.c).
 */

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

/*
 * A list of numbers (jval_number) or of ids, "0x..." (jval_id); fails if list
 * is missing.
 */
enum prof_status stream_parse_u64s(struct stream_record *,
    const struct jval *list,
    enum prof_status (*parse)(const struct jval *, uint64_t *),
    const uint64_t **, size_t *size);

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

/*
 * Objects by the tables of their members.  Reading, writing and the list of
 * known keys follow the rows of model/record.h; forms.c has the types
 * that only one or two members have.
 */

enum prof_status stream_parse_object(struct stream_record *,
    const struct jval *, const struct record_object *, void *structure);

/* Appends the members, without braces. */
void stream_put_object(struct buf *, const struct record_object *,
    const void *structure);

/* Forms of types that one or two members have. */

typedef void stream_put_member(struct buf *,
    const struct record_member *, const void *structure);

struct stream_form {
	enum prof_status (*parse)(struct stream_record *,
	    const struct jval *object, const struct record_member *,
	    void *structure);
	/* NULL for rows that are no members. */
	stream_put_member *put;
};

/* The form of each type; parse is NULL for types of any number of members. */
extern const struct stream_form stream_forms[MEMBER_TYPES];

#endif
