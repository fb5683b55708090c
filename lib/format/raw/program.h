/*
 * format/raw/program.h - facts that all raw profiles of one program share
 *
 * Two images are of one program if their data records are equal, except for the
 * addresses that change when the program is loaded elsewhere.  File names and
 * binary ids are not compared.  What the checks of the first image found out
 * about the records then holds for later images, which are not checked again.
 */
#ifndef FORMAT_RAW_PROGRAM_H
#define FORMAT_RAW_PROGRAM_H

#include "base/lru_cache.h"
#include "format/name_cache.h"
#include "format/program.h"
#include "format/raw/addresses.h"
#include "format/raw/check.h"

/* A record that counts value sites, and how many of each kind. */
struct raw_value_record {
	uint32_t record;
	uint16_t sites[PROF_VALUE_KINDS];
};

struct raw_program {
	struct lru_entry entry;
	struct cached_names *names;
	/*
	 * The first image.  If the program is shared, its file is `records`, a
	 * copy of its data; else the image is the only one of the program, and
	 * `records` is NULL.
	 */
	struct raw_image image;
	bool shared;
	uint8_t *records;
	uint64_t first_function;	/* record that has a FunctionPointer */
	uint32_t *symbols;		/* of the records, in names->names */
	struct raw_facts facts;
	/* Of functions in the first image; empty if programs have vtables. */
	struct raw_addresses addresses;
	/* Without blocks if the functions cannot be returned in blocks. */
	struct program_layout layout;
	struct raw_value_record *value_records;	/* sites of blocks */
};

/* The symbol of record i. */
static inline const struct prof_symbol *
raw_program_symbol(const struct raw_program *p, uint64_t i)
{
	return &p->names->names.table.symbols[p->symbols[i]];
}

/*
 * Notes an image whose program is not known.  True if the program is worth
 * sharing, for the first image, and if another image that is probably of the
 * same program was noted before.  Otherwise the images may be of different
 * builds, each with one image: copies of their records would be of no use.
 */
bool raw_program_is_worthwhile(const struct prof_context *,
    const struct raw_image *);

/*
 * How the functions of an image were loaded, compared to the first image of the
 * program.  All zero, without a program or if addresses have to be looked up in
 * the image itself.
 */
struct raw_relocation {
	bool rigid;		/* all have `distance` from those there */
	uint64_t distance;	/* modulo 2^64 */
};

/*
 * The program of an image, to be released, and the relocation of the image;
 * NULL if it is not known.
 */
struct raw_program *raw_program_find(const struct prof_context *,
    const struct raw_image *, const struct cached_names *,
    struct raw_relocation *);

/*
 * Makes a program of an image while raw_check passes over its records: the
 * visitor is set for that.  A program that is not shared serves for blocks of
 * this image and is valid as long as the image.  NULL if images of this layout
 * are not recognised or memory is short; reading then goes on without.
 */
struct raw_program_builder;
struct raw_program_builder *raw_program_builder_new(const struct raw_image *,
    struct cached_names *, bool shared, struct raw_visitor *);

/*
 * Frees the builder after raw_check succeeded, and puts a shared program into
 * the cache of the context.  NULL if it is not worth keeping.  The program that
 * is returned, and with it the relocation, may be of an image that another
 * thread has opened in the meantime.
 */
struct raw_program *raw_program_builder_finish(struct raw_program_builder *,
    const struct prof_context *, const struct raw_facts *,
    struct raw_relocation *);

/* Frees the builder after raw_check failed.  NULL is fine. */
void raw_program_builder_free(struct raw_program_builder *);

#endif
