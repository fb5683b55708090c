/*
 * format/raw/reader.h - the state of a reader of raw profiles, shared by its parts:
 * format/raw/read.c walks images and sections, format/raw/function.c decodes functions,
 * format/raw/block.c gives many at once
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
#include "model/value_data.h"

/* First entry of a function, and when that was. */
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
	uint64_t first_magic;
	bool first_big;
	uint64_t index;			/* of the next thing in this state */
	size_t ids_at;			/* next binary id */
	bool ids_padded;
	struct cached_names *names;
	struct names_limit names_limit;
	size_t name_hint;
	struct raw_facts facts;
	struct raw_program *program;	/* NULL if it is not known */
	bool blocks;			/* functions are given in them */
	struct raw_addresses addresses;
	struct raw_moved moved;		/* from the program's addresses */
	const struct raw_addresses *functions;	/* NULL: not yet known */
	bool out_of_memory;
	bool has_values;		/* false: sites, but no value data */
	size_t values_at;		/* next value block */
	struct consumed counts_passed, values_passed;
	uint64_t suspicious, first_suspicious;
	struct arena arena;		/* of one record */
	uint8_t *named;			/* vtable names that have a record */
	struct arena kept;		/* names in stamps, named */
	struct raw_stamp *stamps;		/* of all images of the file */
	size_t stamp_count, stamp_room;
};

/* LLVM complains about larger counters from release 19 on (InstrProf.h). */
#define COUNT_SUSPICIOUS ((uint64_t)1 << 56)

/* Where what all images of the program have in their records can be read. */
static inline const struct raw_image *
raw_records(const struct raw_reader *r)
{
	return r->program == NULL ? &r->im : &r->program->image;
}

/* A function of the profile's own names; data is NULL if it has none. */
static inline struct prof_span
raw_name(const struct raw_reader *r, uint64_t guid)
{
	return symtab_name(&r->names->names.table, guid);
}

/*
 * n counters at a place in the file as counts, of the width that the variant
 * has: lent by the image where it holds them as this machine would.  NULL if
 * out of memory.
 */
const uint64_t *raw_counts(struct raw_reader *, size_t at, size_t n);

/* The next data record, or PROF_END. */
enum prof_status raw_next_function(struct raw_reader *, struct prof_record *,
    struct prof_error *);

/*
 * The value sites of record i, which counts so many of each kind, and is the
 * next that has any.
 */
enum prof_status raw_sites(struct raw_reader *, uint64_t i,
    const uint16_t *counted, const struct values_resolver *,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *);

/* Finds out where functions were, for raw_resolve; false if out of memory. */
bool raw_find_functions(struct raw_reader *);

/* A run-time address becomes the guid of what was there, or 0 (external). */
void raw_resolve(const struct raw_reader *, enum prof_value_kind,
    struct prof_value *);

/* Whether some counter is too large to be true: told at the end. */
void raw_note_suspicious(struct raw_reader *, const uint64_t *counts, size_t n,
    uint64_t record);

/* format/raw/block.c: the next block, or PROF_END. */
enum prof_status raw_next_block(struct raw_reader *, struct prof_record *,
    struct prof_error *);
const struct prof_function *raw_block_functions(struct prof_reader *,
    const struct prof_block *, struct prof_error *);
void *raw_block_retain(struct prof_reader *);
struct prof_span raw_block_name(const struct prof_reader *, uint64_t guid);

#endif
