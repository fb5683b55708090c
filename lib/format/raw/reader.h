/*
 * format/raw/reader.h - the state of a reader of raw profiles
 *
 * start.c opens an image, read.c returns its records one after the other,
 * function.c decodes a function and block.c a block of functions.
 */
#ifndef FORMAT_RAW_READER_H
#define FORMAT_RAW_READER_H

#include "base/arena.h"
#include "format/codec.h"
#include "format/name_cache.h"
#include "format/consumed.h"
#include "format/raw/addresses.h"
#include "format/raw/check.h"
#include "format/raw/image.h"
#include "format/raw/program.h"
#include "format/raw/record.h"
#include "format/raw/window.h"
#include "model/value_data.h"

/* The time of the first call of a function. */
struct raw_stamp {
	uint64_t time;
	struct prof_symbol symbol;
};

enum raw_state {
	AT_PROFILE, AT_BINARY, AT_VTABLE, AT_VTABLE_NAME, AT_FUNCTION,
	AT_RAW_COUNTERS, AT_TRACE, AT_END, AT_NEXT_IMAGE
};

struct raw_reader {
	struct prof_reader base;
	enum raw_state state;
	struct raw_image im;
	struct raw_window window;	/* if the file is pulled */
	uint64_t first_magic;
	bool first_big;
	uint64_t index;			/* of the next record of this state */
	size_t ids_at;			/* next binary id */
	bool ids_padded;
	struct cached_names *names;
	struct names_limit names_limit;
	size_t name_hint;
	struct raw_facts facts;
	struct raw_program *program;	/* NULL if it is not known */
	bool blocks;			/* functions are returned in them */
	struct raw_addresses addresses;
	struct raw_relocation relocation;	/* of the program's addresses */
	const struct raw_addresses *functions;	/* NULL: not yet known */
	bool out_of_memory;
	bool has_values;		/* false: sites, but no value data */
	size_t values_at;		/* next value block */
	struct consumed counts_consumed, values_consumed;
	uint64_t suspicious, first_suspicious;	/* records */
	struct arena arena;		/* of one record */
	uint8_t *has_record;		/* of each vtable name */
	struct arena long_lived;	/* names of stamps, has_record */
	struct raw_stamp *stamps;	/* of all images of the file */
	size_t stamp_count, stamp_room;
};

/* LLVM complains about larger counters from release 19 on (InstrProf.h). */
#define COUNT_SUSPICIOUS ((uint64_t)1 << 56)

/*
 * An image whose records are those of this one, but for addresses: the copy of
 * a known program, since the pages of the file may have been given back.
 */
static inline const struct raw_image *
raw_records(const struct raw_reader *r)
{
	return r->program == NULL ? &r->im : &r->program->image;
}

/* The name of a guid in the image's names; data is NULL if there is none. */
static inline struct prof_span
raw_name(const struct raw_reader *r, uint64_t guid)
{
	return symtab_name(&r->names->names.table, guid);
}

/* Opens the image at `start` of a file. */
enum prof_status raw_start_image(struct raw_reader *, struct prof_span file,
    size_t start, struct prof_error *);

/*
 * n counters at an offset of the file, as counts: borrowed from the image if
 * they are stored there as in memory of this machine.  NULL if out of memory.
 */
const uint64_t *raw_counts(struct raw_reader *, size_t at, size_t n);

/* The next data record, or PROF_END. */
enum prof_status raw_next_function(struct raw_reader *, struct prof_record *,
    struct prof_error *);

/* A record that counts value sites. */
struct raw_counted_sites {
	uint64_t record;
	const uint16_t *counted;	/* for each kind of the image */
};

/*
 * Reads the value block of a record, which must be the next one of the image
 * that counts sites.
 */
enum prof_status raw_sites(struct raw_reader *,
    const struct raw_counted_sites *, const struct values_resolver *,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *);

/* Loads the addresses for raw_resolve; false if out of memory. */
bool raw_find_functions(struct raw_reader *);

/* Replaces a run-time address by the guid of its function or vtable, or 0. */
void raw_resolve(const struct raw_reader *, enum prof_value_kind,
    struct prof_value *);

/* Counts records with a counter too large to be true, for a warning. */
void raw_note_suspicious(struct raw_reader *, const uint64_t *counts, size_t n,
    uint64_t record);

/* The next block, or PROF_END, and operations of struct reader_ops on it. */
enum prof_status raw_next_block(struct raw_reader *, struct prof_record *,
    struct prof_error *);
const struct prof_function *raw_block_functions(struct prof_reader *,
    const struct prof_block *, struct prof_error *);
void *raw_block_retain(struct prof_reader *);
struct prof_span raw_block_name(const struct prof_reader *, uint64_t guid);
const struct symtab *raw_block_names(const struct prof_reader *);

#endif
