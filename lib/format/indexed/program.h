/*
 * format/indexed/program.h - what files of one program share
 *
 * Files of one program hold the same functions in the same order.  Only counts,
 * values and, as values differ in size, offsets change.  Everything else is
 * compared with that of a file that was checked before, so the checks need not
 * be repeated, and functions can be returned in blocks.
 */
#ifndef FORMAT_INDEXED_PROGRAM_H
#define FORMAT_INDEXED_PROGRAM_H

#include "base/lru_cache.h"
#include "format/program.h"
#include "model/symtab.h"
#include "format/indexed/check.h"

/*
 * A record, in the order of the file.  In the arena, the bytes of a name are
 * followed by hash and NumCounts of its first record, as in the file: one
 * comparison covers them.
 */
enum { INDEXED_RECORD_HEAD = 16 };
struct indexed_program_record {
	struct prof_symbol symbol;
	uint64_t hash;
	uint32_t counts_size;
	bool same_item;			/* has the name of the one before */
	bool has_sites;			/* then indexed_program.sites has it */
};

struct indexed_program {
	struct lru_entry entry;
	struct program_layout layout;
	const struct indexed_row *row;
	uint64_t version_word, entries;
	uint64_t buckets;		/* empty ones too */
	struct indexed_facts facts;
	uint16_t *items;		/* number of each bucket with items */
	size_t filled;			/* buckets with items */
	struct indexed_program_record *records;
	size_t size;
	struct indexed_site_counts *sites;	/* of blocks */
	size_t sites_size;
	struct symtab names;
	struct arena arena;		/* names, each with its head */
};

/*
 * The program whose first block matches the image, or, if whole is set, all
 * blocks.  NULL if there is none: the image may still be sound.  The caller
 * releases it with lru_cache_release.
 */
struct indexed_program *indexed_program_find(struct lru_cache *,
    const struct indexed_image *, bool whole);

/*
 * Notes an image whose program is not in the cache.  True if the program is
 * worth making, for the first image, and if another image that is probably of
 * the same program was noted before.  Otherwise the files may be of different
 * builds, each with one image: making programs would take longer than it saves.
 */
bool indexed_program_is_worthwhile(struct lru_cache *,
    const struct indexed_image *);

/*
 * Adds the program of an image that was checked to the cache.  NULL if the
 * version has no value data, a record has a bitmap or memory is short: then
 * functions are returned one by one.
 */
struct indexed_program *indexed_program_build(struct lru_cache *,
    const struct indexed_image *, const struct indexed_facts *);

#endif
