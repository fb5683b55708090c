/*
 * format/raw/program.h - what all raw profiles of one program have in common
 *
 * A program is recognised by the content of its data records, never by a name:
 * all is equal but the addresses that move when the program is loaded
 * elsewhere.  What was found out about the records then holds for the others.
 */
#ifndef FORMAT_RAW_PROGRAM_H
#define FORMAT_RAW_PROGRAM_H

#include "base/lru_cache.h"
#include "format/name_cache.h"
#include "format/raw/addresses.h"
#include "format/raw/check.h"
#include "format/raw/image.h"

/* Records in a row that are given as a block. */
struct raw_block {
	uint64_t first;			/* record */
	size_t size;
	size_t counts, counts_size;	/* in the counter section */
	size_t sited, sited_size;	/* in raw_program.sited */
};

/* A record that has value sites, of each kind. */
struct raw_sited {
	uint32_t record;
	uint16_t sites[PROF_VALUE_KINDS];
};

struct raw_program {
	struct lru_entry entry;
	uint64_t layout;		/* unique in this process */
	struct cached_names *names;
	struct raw_image image;		/* as first met; of its file ... */
	uint8_t *records;		/* ... the data section is there */
	uint64_t first_function;	/* record that has a FunctionPointer */
	uint32_t *symbols;		/* of the records, in names->names */
	struct raw_facts facts;
	struct raw_addresses addresses;	/* of functions */
	/* Empty if its profiles cannot be given in blocks. */
	struct raw_block *blocks;
	size_t blocks_size;
	struct raw_sited *sited;
};

/* Its symbol of record i. */
static inline const struct prof_symbol *
raw_program_symbol(const struct raw_program *p, uint64_t i)
{
	return &p->names->names.table.symbols[p->symbols[i]];
}

/* How the functions of another image of the program lie. */
struct raw_moved {
	bool together;		/* where they were, but for this distance */
	uint64_t by;		/* modulo 2^64 */
};

/* NULL if it is not known. */
struct raw_program *raw_program_find(const struct prof_context *,
    const struct raw_image *, const struct cached_names *, struct raw_moved *);

/*
 * Learns of an image as it is checked, for whose records the visitor is.  NULL
 * if there is nothing to be learned, or memory is short, which does no harm.
 */
struct raw_lesson;
struct raw_lesson *raw_program_begin(const struct raw_image *,
    struct cached_names *, struct raw_visitor *);

/* Ends the lesson, of an image that was good: what is kept, or NULL. */
struct raw_program *raw_program_end(struct raw_lesson *,
    const struct prof_context *, const struct raw_facts *);

/* Or of one that was not. */
void raw_program_abandon(struct raw_lesson *);

#endif
