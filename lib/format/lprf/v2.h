/*
 * format/lprf/v2.h - LPRF version 2, see lprf(5): blocks and their sections
 *
 * A block holds records, functions by guid, functions by name, or a part of the
 * index.  It has five sections, each stored as it is or as a frame of zstd.
 */
#ifndef FORMAT_LPRF_V2_H
#define FORMAT_LPRF_V2_H

#include "base/arena.h"
#include "base/bytes.h"
#include "prof.h"

enum {
	LPRF2_VERSION = 2,
	LPRF2_HEADER = 16,	/* magic, version, features, checksum */
	LPRF2_BLOCK_HEAD = 52,	/* checksum, kind, number, ten sizes */
	LPRF2_SIZES = 12,	/* offset of the sizes in the head */
	LPRF2_TRAILER = 40,	/* root, tail, functions, 4 zero, checksum,
				   magic */
	LPRF2_SECTIONS = 5,
	/* A frame of zstd inflates to no more than this. */
	LPRF2_INFLATED_MAX = 1 << 20,
	/* Counters of functions of zeros in one block, which take no bytes. */
	LPRF2_ZEROS_MAX = 1 << 20,
	/* Bytes of the names of a block behind its first name. */
	LPRF2_NAMES_MAX = 1 << 20,
	/*
	 * The same in a block that the writer does not pack because the memory
	 * of the file is near its limit.  In a quarter of the bytes, names that
	 * share all but their ends take at most 75 times the bytes of the
	 * block: the first one is stored, and each other one takes 12 bytes.
	 */
	LPRF2_NAMES_FULL = LPRF2_NAMES_MAX / 4,
	/*
	 * What a file holds takes no more memory than the first, and so many
	 * bytes for each byte of the file: a block of 100 bytes may have 8 MB
	 * of zeros, and a sum of such blocks would take any memory.
	 */
	LPRF2_MEMORY_FREE = 1 << 25,
	LPRF2_MEMORY_RATIO = 100,
	/* Of a function, beside its name and its counters. */
	LPRF2_MEMORY_FUNCTION = 64,
	LPRF2_MEMORY_COUNTER = 8,	/* and of a uniform count */
	LPRF2_MEMORY_SITE = 24,
	LPRF2_MEMORY_VALUE = 32,
	/*
	 * At most, of a block whose sections are all packed, and its index, but
	 * for sites, values and uniform counts.
	 */
	LPRF2_MEMORY_BLOCK = 30 << 20
};

#define LPRF2_TRAILER_MAGIC "LPRF2END"

/*
 * Kinds of blocks.  All but INDEX stand in this order in a file.  Readers skip
 * kinds from LPRF2_SKIPPED on.
 */
enum lprf2_kind {
	LPRF2_HEAD = 1,			/* records before all functions */
	LPRF2_GUIDS,			/* functions without a name */
	LPRF2_NAMES,			/* functions by name */
	LPRF2_TAIL,			/* records behind all functions */
	LPRF2_INDEX,
	LPRF2_SKIPPED = 128
};

/* Which members a function has beside its counters: bits, in this order. */
enum {
	/* 1 << kind: value sites */
	LPRF2_BITMAP = 1 << PROF_VALUE_KINDS,
	LPRF2_UNIFORM = LPRF2_BITMAP << 1,
	LPRF2_EXTRA = LPRF2_UNIFORM << 1,
	LPRF2_MEMBERS = (LPRF2_EXTRA << 1) - 1
};

/*
 * The sections of a block: names, shapes (numbers of counters, hashes),
 * counters, targets of value sites, members other than counters.
 */
enum {
	LPRF2_N, LPRF2_H, LPRF2_C, LPRF2_T, LPRF2_M
};
#define LPRF2_LETTERS "NHCTM"

/* Where a target stands in section M, which has its number there. */
struct lprf2_use {
	struct prof_span name;		/* data: once the block is put */
	size_t at;			/* in lprf2_building.more */
	size_t number;			/* of the target, from 1 */
};

/* A block that is being made.  All zero is empty. */
struct lprf2_building {
	enum lprf2_kind kind;
	uint8_t level;			/* of a block of the index */
	uint32_t size;			/* functions, records or blocks */
	size_t zero_counts;		/* that take no bytes */
	size_t names;			/* bytes of names behind the first */
	uint64_t memory;		/* as `more` of lprf2_memory */
	/* N is whole; the others have parts below until they are joined. */
	struct buf sections[LPRF2_SECTIONS];
	struct buf hashes;		/* part of H, behind the numbers */
	struct buf counters;		/* part of C, behind the widths */
	struct buf more;		/* M, but for the numbers of targets */
	struct buf target_names;	/* of the uses, behind one another */
	struct lprf2_use *uses;		/* malloc */
	size_t uses_size, uses_room;
	uint32_t with_more;		/* the last function in M, from 1 */
	struct buf last;		/* name of the last function */
	bool failed;			/* out of memory */
	/* Nothing is packed, and all counters are stored. */
	bool plain;
};

/* A block that was read; the sections point to the image or the arena. */
struct lprf2_block {
	enum lprf2_kind kind;
	uint8_t level;
	uint32_t size;
	uint64_t at;			/* offset in the image */
	size_t stored;			/* bytes of all */
	struct prof_span sections[LPRF2_SECTIONS];
	uint32_t raw[LPRF2_SECTIONS];	/* sizes once inflated */
	uint64_t members;		/* bytes of sites, values and uniform
					   counts, once these were decoded */
};

struct lprf2_trailer {
	uint64_t root;			/* offset of the root of the index */
	uint64_t tail;			/* of the first TAIL block; 0: none */
	uint64_t functions;
};

struct lprf2_packer;

/* Whether this build can compress and inflate. */
extern const bool lprf2_can_pack;

/* Compresses and inflates; NULL, and the reason, without libzstd. */
struct lprf2_packer *lprf2_packer_new(struct prof_error *);
void lprf2_packer_free(struct lprf2_packer *);

/* Appends the frame; PROF_END if it saves less than a fifth of the bytes. */
enum prof_status lprf2_pack(struct lprf2_packer *, struct prof_span,
    struct buf *, struct prof_error *);

/* Inflates to exactly `size` bytes; PROF_END if the frame does not. */
enum prof_status lprf2_unpack(struct lprf2_packer *, struct prof_span frame,
    uint8_t *out, size_t size);

/*
 * Whether the function may be put into the block: functions come in order
 * (lprf2_compare), and none of a kind or with a name that does not fit.
 */
bool lprf2_fits(const struct lprf2_building *, const struct prof_function *);
void lprf2_encode(struct lprf2_building *, const struct prof_function *);

/* Makes the sections of their parts; false if out of memory. */
bool lprf2_join(struct lprf2_building *);

/*
 * Appends the block, which was joined, and empties it; packer is NULL for a
 * plain one.
 */
enum prof_status lprf2_put_block(struct lprf2_building *,
    struct lprf2_packer *, struct buf *, struct prof_error *);
void lprf2_building_free(struct lprf2_building *);

/*
 * Reads the head of the block at an offset below `end`, finds its sections and
 * compares the checksum.
 */
enum prof_status lprf2_get_block(struct prof_span image, uint64_t at,
    uint64_t end, struct lprf2_block *, struct prof_error *);

/*
 * The same in an image that ends before its trailer: a trailer where a block
 * should begin is that of a file that another one follows.
 */
enum prof_status lprf2_get_block_within(struct prof_span image, uint64_t at,
    struct lprf2_block *, struct prof_error *);

/*
 * Inflates the sections, or one, or all but the targets.  *packer is made when
 * first needed.
 */
enum prof_status lprf2_inflate(struct lprf2_block *, struct lprf2_packer **,
    struct arena *, struct prof_error *);
enum prof_status lprf2_inflate_but_targets(struct lprf2_block *,
    struct lprf2_packer **, struct arena *, struct prof_error *);
enum prof_status lprf2_inflate_section(struct lprf2_block *, size_t section,
    struct lprf2_packer **, struct arena *, struct prof_error *);

/* The targets of a block, by number less 1. */
struct lprf2_targets {
	const struct prof_span *names;
	const uint64_t *guids;
	size_t size;
	bool unread;			/* nothing is known of them */
};

/* Reads section T, which is inflated. */
enum prof_status lprf2_get_targets(const struct lprf2_block *, struct arena *,
    struct lprf2_targets *, struct prof_error *);

/*
 * All functions of an inflated block, in the arena; NULL on failure.  Their
 * counters are one array.  Its targets are read unless they are given; values
 * of targets that are unread have neither their names nor their guids.
 */
struct prof_function *lprf2_decode(struct lprf2_block *,
    const struct lprf2_targets *, struct arena *, struct prof_error *);

/*
 * The functions from one name to another one, which is not below it: *size of
 * them.  Sections are inflated when they are needed, and of other functions
 * nothing but what leads past them is looked at.
 */
struct prof_function *lprf2_decode_between(struct lprf2_block *,
    struct prof_span first, struct prof_span last, size_t *size,
    struct lprf2_packer **, struct arena *, struct prof_error *);

/*
 * What a block takes in memory, with so many bytes of counters and names.  All
 * of its members were decoded, or are in these bytes.
 */
uint64_t lprf2_memory(const struct lprf2_block *, uint64_t more);

/* The limit of that for all blocks of a file up to an offset. */
uint64_t lprf2_memory_max(uint64_t end);

/*
 * Adds what a block takes to the sum of the blocks before it: fails if that is
 * more than the bytes up to `end` may take.
 */
enum prof_status lprf2_take_memory(uint64_t *sum, const struct lprf2_block *,
    uint64_t more, uint64_t end, struct prof_error *);

/* The kind of block that a function stands in. */
enum lprf2_kind lprf2_kind_of(const struct prof_symbol *);

/* The order of functions in a file: by guid, by name, then by hash. */
int lprf2_compare_symbols(const struct prof_symbol *,
    const struct prof_symbol *);
int lprf2_compare(const struct prof_function *, const struct prof_function *);

void lprf2_put_header(struct buf *);
enum prof_status lprf2_get_header(struct prof_span image, struct prof_error *);
void lprf2_put_trailer(struct buf *, const struct lprf2_trailer *);
enum prof_status lprf2_get_trailer(struct prof_span image,
    struct lprf2_trailer *, struct prof_error *);

/* The same from the LPRF2_TRAILER bytes at an offset. */
enum prof_status lprf2_parse_trailer(const uint8_t *bytes, uint64_t at,
    struct lprf2_trailer *, struct prof_error *);

#endif
