/*
 * format/stream/stream.h - the stream of prof-stream(5)
 *
 * A line becomes a record in one of three ways.  block.c knows the lines of
 * functions that an earlier profile had; scan.c takes canonical lines of
 * functions, stacks and allocations apart by hand; stream_parse knows every
 * record in every form, and decides.  Where several can read a line, they give
 * the same record.
 */
#ifndef FORMAT_STREAM_STREAM_H
#define FORMAT_STREAM_STREAM_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/prefetch.h"
#include "base/swar.h"
#include "format/codec.h"
#include "format/program.h"
#include "model/record.h"
#include "prof.h"

/*
 * A cache of the texts of frames.  Some frames of a heap profile stand in very
 * many of its stacks: the text of a frame that was written lately is copied.
 */

struct stream_frame;

/* All zero is empty. */
struct stream_frames {
	struct stream_frame *slots;	/* NULL until the first is added */
};

void stream_frames_free(struct stream_frames *);

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

/* Texts that are looked up together. */
enum { STREAM_NUMBERS_AHEAD = 32 };

/* All zero is empty. */
struct stream_numbers {
	struct stream_numbered **items;
	size_t room;
	struct hash_index index;
	uint32_t next;			/* number */
	struct arena arena;		/* items */
	/* The texts of the frames to come, `at` of which were asked for. */
	struct stream_numbers_text {
		struct prof_span text;
		uint64_t hash;
		uint32_t likely;	/* an item, or INDEX_NONE */
	} ahead[STREAM_NUMBERS_AHEAD];
	size_t ahead_size, at;
};

/* Another line begins, maybe where an earlier one was. */
static inline void
stream_numbers_begin(struct stream_numbers *t)
{
	t->ahead_size = 0;
}

void stream_numbers_free(struct stream_numbers *);

enum { STREAM_VERSION = 1 };

/* Memory of the record that the reader lends; the next record uses it again. */
struct stream_record {
	struct prof_context *context;	/* may be NULL */
	bool warned;			/* of an unknown key */
	bool last;			/* the END just read is the last one */
	bool guids_later;		/* scanned targets get no guids */
	struct jdoc doc;
	struct arena arena;
	struct buf values, sites;	/* of the scanner */
	struct buf pcs, segments, frames;
	struct stream_numbers *numbers;	/* NULL: frames get none */
	struct buf frame_numbers;
	struct buf extra;		/* text of unknown members */
};

/* Where the writer appends lines. */
struct stream_output {
	struct buf text;
	struct stream_frames frames;	/* texts of frames written before */
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
 * Appends the line of any record but END, BLOCK and PAIRS.  Memory that ran out
 * shows in output->text.failed.
 */
void stream_put_record(struct stream_output *, const struct prof_record *);

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
void stream_put_object(struct stream_output *, const struct record_object *,
    const void *structure);

/* Forms of types that one or two members have. */

typedef void stream_put_member(struct stream_output *,
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

/*
 * Appends the member, unless no kind has sites.  Values of a block may lack
 * their names, which it knows; block is NULL for others.
 */
void stream_put_values(struct buf *,
    const struct prof_sites[PROF_VALUE_KINDS], const struct prof_block *block);

/*
 * Canonical lines, taken apart by hand: most bytes of a stream are in lines of
 * functions, stacks and allocations.  The scanner accepts only the form that
 * the writer gives them; any other line, even if allowed, ends the scan and is
 * left to stream_parse, which reports errors.
 */

/* p needs no bound: a newline follows the line, and p never passes it. */
struct scan {
	const uint8_t *p;
	const uint8_t *end;		/* of the line, or of all lines */
	const uint8_t *limit;		/* bytes before it may be read */
	struct stream_record *record;
};

static inline bool
scan_skip(struct scan *s, const char *text, size_t size)
{
	if ((size_t)(s->end - s->p) < size || memcmp(s->p, text, size) != 0)
		return false;
	s->p += size;
	return true;
}

/* Skips a constant text, which is compared in words. */
__attribute__((always_inline)) static inline bool
scan_skip_text(struct scan *s, const char *text, size_t size)
{
	if ((size_t)(s->end - s->p) < size || !swar_same(s->p, text, size))
		return false;
	s->p += size;
	return true;
}

#define SKIP(s, text)	scan_skip_text(s, text, sizeof(text) - 1)

/*
 * Exactly n numbers, into room for n and NUMBER_ROW_SLACK, and the closing
 * bracket.
 */
bool scan_counts(struct scan *, uint64_t *, size_t);

/*
 * Value sites, behind the opening brace.  Kinds that are not there are left
 * alone, and all is valid until the next value sites are scanned.
 */
bool scan_values(struct scan *, struct prof_sites[PROF_VALUE_KINDS]);

/* As stream_scan; bytes before the limit may be read. */
bool scan_line(struct stream_record *, struct prof_span line,
    const uint8_t *limit, struct prof_record *);

/* Lines of functions: write.c writes them, scan.c and block.c read them. */

/*
 * Stored text is read in the order of the lines: prefetches what is needed some
 * lines behind p.  Most lines have up to 192 bytes of it.
 */
PREFETCH_INLINE void
stream_prefetch_text(const uint8_t *p)
{
	enum { DISTANCE = 384, MOST = 192, CACHE_LINE = 64 };

	for (size_t i = 0; i < MOST; i += CACHE_LINE)
		__builtin_prefetch(p + DISTANCE + i);
}

/* Appends the line. */
void stream_put_function(struct buf *, const struct prof_function *);

/* With what a canonical line of a function begins. */
#define STREAM_FUNCTION		"{\"record\":\"function\","

/* What stands around the name and the hash in the head of a line. */
#define STREAM_BEFORE_NAME	STREAM_FUNCTION "\"name\":\""
#define STREAM_BEHIND_NAME	"\",\"hash\":\""
#define STREAM_BEHIND_HASH	"\",\"counts\":["

/* Bytes of a constant text. */
#define STREAM_SIZE(text)	(sizeof(text) - 1)

/* Bytes of a head without its name. */
#define STREAM_AROUND_NAME	(STREAM_SIZE(STREAM_BEFORE_NAME) + \
				STREAM_SIZE(STREAM_BEHIND_NAME) + \
				JSON_TEXT_ID_SIZE + \
				STREAM_SIZE(STREAM_BEHIND_HASH))

/* Lines of functions, read to become blocks. */

/* Lines of a new block at most. */
enum { STREAM_BLOCK = 256 };

/*
 * The head of a line, all before the counters, and the sizes of what follows.
 * Without a name, the symbol is the text of the guid.
 */
struct stream_head {
	const uint8_t *symbol;
	uint32_t symbol_size;
	uint32_t counts, sites[PROF_VALUE_KINDS];
	uint8_t hash[JSON_TEXT_ID_SIZE];
	bool named;
};

/* Values that were read from the lines of a block, until the batch is reset. */
struct stream_batch {
	struct buf counts, values;	/* values: struct prof_block_values */
	struct buf targets, names;	/* values without guids, their names */
	struct buf heads;		/* of new lines */
};

/* A part of the text. */
struct stream_part {
	size_t lines, bytes;
};

/*
 * Lines of functions that an earlier profile had, as blocks.  The profiles of
 * one program have the same functions in the same order, and their lines begin
 * alike, up to the counters.  The heads of one profile are stored: later a
 * comparison of bytes tells whether a line is the expected one, and only its
 * counts and values are read.  A reader leaves what it stored to the context,
 * for the next reader: profiles come one to a file, too.
 */

/*
 * Lines are read one by one; or blocks are made of them and their heads stored;
 * or the lines of the stored blocks are expected.
 */
enum stream_blocks_mode { STREAM_ALONE, STREAM_STORE, STREAM_EXPECT };

/* All zero is empty. */
struct stream_blocks {
	enum stream_blocks_mode mode;	/* of this profile */
	struct program_layout layout;	/* number 0: no heads are stored */
	unsigned missed;		/* profiles in a row that differed */
	bool miss;			/* this profile differs */
	size_t lone, strays;		/* lines outside: stored, now */
	size_t next;			/* number of the block expected */
	bool fresh;			/* the last block was stored just now */
	struct stream_symbols *symbols;	/* of all lines, or NULL */
	struct stream_head *lines;
	size_t lines_size, lines_room;
	struct stream_batch batch;	/* of the last block */
};

/* A block waits for no more bytes of text than this. */
enum { STREAM_BLOCK_TEXT = 1 << 17 };

struct stream_consumed {
	struct stream_part part;	/* of the text, which became a block */
	bool more;			/* more lines are needed to tell */
};

/* To be called at the head and at the end of each profile. */
void stream_blocks_begin(struct stream_blocks *);
void stream_blocks_end(struct stream_blocks *);

/* True if the text may begin with a function, or is too short to tell. */
bool stream_blocks_may_begin(struct prof_span text);

/*
 * Reads the next lines as a block; the text ends with a newline.  PROF_END if
 * the first of them has to be read by itself, or, if consumed->more, if more
 * lines are needed to tell.  The block borrows from the text.
 */
enum prof_status stream_blocks_next(struct stream_blocks *,
    struct stream_record *, struct prof_span text, struct prof_block *,
    struct stream_consumed *);

/* As prof_block_unnamed. */
const struct prof_function *stream_blocks_functions(struct stream_blocks *,
    struct arena *, const struct prof_block *, struct prof_error *);

/* As prof_block_retain. */
void *stream_blocks_retain(struct stream_blocks *);

/* What an earlier reader of the context left, if it left anything. */
void stream_blocks_take(struct stream_blocks *, struct prof_context *);

/* Leaves the heads of whole profiles to the context, or frees all. */
void stream_blocks_leave(struct stream_blocks *, struct prof_context *);

#endif
