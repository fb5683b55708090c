/*
 * format/program.h - facts about images that contexts keep for later ones
 *
 * A program that writes thousands of profiles writes the same names and records
 * in each: only counters and values differ.  Contexts made by
 * prof_context_share use one cache, from any thread.
 *
 * Which entry a reader gets depends on other readers, and nothing that it
 * returns may: what depends on the input (addresses, limits, names that the
 * entry lacks) is computed from the input when the entry is known, as
 * base/lru_cache.h says.
 */
#ifndef FORMAT_PROGRAM_H
#define FORMAT_PROGRAM_H

#include "base/arena.h"
#include "base/lru_cache.h"
#include "format/codec.h"
#include "model/name_section.h"

struct context_cache {
	unsigned users;			/* contexts */
	struct lru_cache names;		/* struct cached_names */
	struct lru_cache raw;		/* format/raw/program.c */
	struct lru_cache indexed;	/* format/indexed/program.c */
};

/* The names of a raw image: once read they do not change, for all threads. */
struct cached_names {
	struct lru_entry entry;		/* users: caches and open readers */
	struct names names;
	size_t vtable_start;		/* first symbol of the vtable names */
	struct arena sections;
	struct prof_span functions, vtables;	/* copies in `sections` */
};

/* The names sections of an image; either may be empty. */
struct name_sections {
	struct prof_span functions, vtables;
	uint64_t functions_offset, vtables_offset;	/* for messages */
};

/*
 * The names of two sections, from the context's cache if an image before had
 * the same bytes.  The limit is that of the image at hand, and reduced in
 * either case.  The caller releases the names by lru_cache_release.  NULL on
 * failure.  The context may be NULL.
 */
struct cached_names *name_cache_get(struct prof_context *,
    const struct name_sections *, struct names_limit *, struct prof_error *);

/* An empty table of one user, in no cache, for names from elsewhere. */
struct cached_names *name_cache_new(struct prof_error *);

/*
 * Profiles of one program have the same functions in the same order.  A codec
 * stores the names, hashes and sizes of them in its own way, and here how they
 * are split into blocks (PROF_REC_BLOCK).
 */

/* Consecutive functions that are returned as one block. */
struct program_block {
	size_t first, size;		/* functions */
	size_t counts, counts_size;	/* range of the program's counters */
	size_t sites, sites_size;	/* functions with value sites */
	uint64_t repeated_names;	/* as in struct prof_block */
};

/* Without blocks if all members but the number are zero. */
struct program_layout {
	size_t number;			/* see prof_block.layout */
	struct program_block *blocks;	/* to be freed */
	size_t size, room;
};

/* A number for prof_block.layout that no other layout of this process has. */
size_t program_layout_number(void);

/*
 * Adds a function, whose counters begin at `counts`, to the last block; to a
 * new one if that is full or its counters end elsewhere.  False if out of
 * memory.
 */
bool program_add_function(struct program_layout *, size_t counts,
    size_t counts_size, bool has_sites);

/* The block of that index and these counts; the caller sets the rest. */
struct prof_block program_block(const struct program_layout *, size_t index,
    const uint64_t *counts);

/*
 * For prof_block_unnamed: the reader has set symbol, hash and counts_size of
 * the functions of a block and zeroed the rest.  Sets their counts, hash masks
 * and values.
 */
const struct prof_function *program_set_functions(const struct prof_block *,
    struct prof_function *);

#endif
