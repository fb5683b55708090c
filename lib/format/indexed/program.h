/*
 * format/indexed/program.h - what indexed profiles of one program have in common
 *
 * Profiles of a program hold the same functions in the same order; counts and
 * values differ, and places with the size of values.  A program is recognised
 * by all that does not, so that whatever was checked once holds for the others.
 */
#ifndef FORMAT_INDEXED_PROGRAM_H
#define FORMAT_INDEXED_PROGRAM_H

#include "base/lru_cache.h"
#include "model/symtab.h"
#include "format/indexed/check.h"

/*
 * A record, in the order of the file.  Behind the name come those bytes of the
 * first record of the item that say its hash and number of counters.
 */
enum { INDEXED_RECORD_HEAD = 16 };
struct indexed_program_record {
	struct prof_symbol symbol;
	uint64_t hash;
	uint32_t counts_size;
	bool same_item;			/* as the record before */
	bool has_sites;			/* the next of indexed_program.sites */
};

/* Records in a row that are given as a block. */
struct indexed_program_block {
	size_t first, size;		/* records */
	size_t counts_size;
	size_t sites, sites_size;
};

struct indexed_program {
	struct lru_entry entry;
	size_t layout;			/* unique in this process */
	const struct indexed_row *row;
	uint64_t version_word, entries;
	uint64_t buckets;		/* with those that are empty */
	struct indexed_facts facts;
	uint16_t *items;		/* of each bucket that has any */
	size_t filled;			/* buckets */
	struct indexed_program_record *records;
	size_t size;
	struct indexed_site_counts *sites;
	size_t sites_size;
	struct indexed_program_block *blocks;
	size_t blocks_size;
	struct symtab names;
	struct arena arena;		/* the bytes of the names */
};

/*
 * The program that an image begins as, or, if the whole of it is looked at, the
 * one that it is of.  NULL if it is not known: then nothing is said of whether
 * the image is right.
 */
struct indexed_program *indexed_program_find(struct lru_cache *,
    const struct indexed_image *, bool whole);

/*
 * Keeps what is known of an image that was checked.  NULL if that cannot be, or
 * memory is short, which does no harm.
 */
struct indexed_program *indexed_program_build(struct lru_cache *,
    const struct indexed_image *, const struct indexed_facts *);

#endif
