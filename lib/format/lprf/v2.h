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
#include "format/codec.h"
#include "format/stream/stream.h"

/* "LPRF" as a little-endian number. */
#define LPRF_MAGIC 0x4652504Cu

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
	 * Bytes of names in a block that is not packed because the memory of
	 * the file is near its limit.  In a quarter of the bytes, names that
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

/* A block that is being made.  All zero is empty. */
struct lprf2_building {
	enum lprf2_kind kind;
	uint8_t level;			/* of a block of the index */
	uint32_t size;			/* functions, records or blocks */
	uint64_t memory;		/* as `more` of lprf2_memory */
	/* Of functions, N is whole; the others need lprf2_join. */
	struct buf sections[LPRF2_SECTIONS];
	struct prof_function *functions;	/* borrowed from their owners */
	size_t names;			/* bytes of names behind the first */
	size_t functions_size, functions_room;
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

/* Adds a function, which is borrowed until the block is put. */
void lprf2_encode(struct lprf2_building *, const struct prof_function *);

/* Makes all sections of the functions; false if out of memory. */
bool lprf2_join(struct lprf2_building *);

/*
 * Appends the block, which was joined, and empties it; packer is NULL for a
 * plain one.
 */
enum prof_status lprf2_put_block(struct lprf2_building *,
    struct lprf2_packer *, struct buf *, struct prof_error *);
void lprf2_building_free(struct lprf2_building *);

/*
 * Reads the head of the block at an offset of an image that ends before its
 * trailer, finds its sections and compares the checksum.  A trailer where a
 * block should begin is that of a file that another one follows.
 */
enum prof_status lprf2_get_block(struct prof_span image, uint64_t at,
    struct lprf2_block *, struct prof_error *);

/* Inflates the sections, or all but T.  *packer is made when first needed. */
enum prof_status lprf2_inflate(struct lprf2_block *, bool targets,
    struct lprf2_packer **, struct arena *, struct prof_error *);

/*
 * All functions of a block, which is inflated, in the arena; NULL on failure.
 * Their counters are one array.  Without targets, values of those that stand in
 * section T have neither their names nor their guids.
 */
struct prof_function *lprf2_decode(struct lprf2_block *, bool targets,
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

/* The order of functions in a file: by guid, by name, then by hash. */
int lprf2_compare_symbols(const struct prof_symbol *,
    const struct prof_symbol *);
int lprf2_compare(const struct prof_function *, const struct prof_function *);

void lprf2_put_header(struct buf *);
enum prof_status lprf2_get_header(struct prof_span image, struct prof_error *);
void lprf2_put_trailer(struct buf *, const struct lprf2_trailer *);
enum prof_status lprf2_get_trailer(struct prof_span image,
    struct lprf2_trailer *, struct prof_error *);

/*
 * Names in order, each without the start that it shares with the one before it:
 * of functions, and of separators in the index.
 */

/* Appends a name behind `last`.  Returns how many bytes both begin with. */
size_t lprf2_put_suffix(struct buf *, struct prof_span last,
    struct prof_span name);

/* Names that are read, from a cursor; all zero but for that is their start. */
struct lprf2_names {
	struct cursor in;
	size_t last;			/* bytes of the last name */
};

struct lprf2_suffix {
	size_t shared;			/* bytes of the name before it */
	struct prof_span text;
};

/* Reads the next name; NULL, or what is wrong with it. */
const char *lprf2_next_suffix(struct lprf2_names *, struct lprf2_suffix *);

/* Where a name stands among names in order, none of which is put together. */
struct lprf2_place {
	struct prof_span name;
	size_t same;			/* bytes that it shares with the last
					 * one, which is below it */
};

/*
 * Below 0 if the next name is below that of the place, 0 if it is that one, and
 * else above 0; then the names before it were below.
 */
int lprf2_place_next(struct lprf2_place *, const struct lprf2_suffix *);

/*
 * The index of a file: where blocks are, and with what each begins.  It is a
 * tree of blocks: those of level 0 list blocks of functions and records, those
 * of level 1 blocks of level 0, and so on.  A block of the index follows the
 * last one that it lists, so that a writer has one of each level in memory, and
 * a reader of the whole file can compare it with what came before.
 */

enum {
	LPRF2_LEVELS = 12,	/* 64^12 blocks do not fit in any file */
	LPRF2_FAN_OUT = 32	/* of what we write; readers take any */
};

/*
 * Where a block is, and a lower bound of its functions: the separator.  The
 * name of a separator is no longer than it takes to be above the function
 * before the block.  It is stored without what it shares with the last one.
 */
struct lprf2_entry {
	enum lprf2_kind kind;		/* none but HEAD to TAIL */
	uint64_t at;
	struct prof_symbol separator;
};

/* The blocks of the index that are being made, by level.  All zero is empty. */
struct lprf2_index {
	struct {
		struct lprf2_building block;
		uint64_t last;		/* offset in its last entry */
		struct buf last_name;	/* of the separator of that one */
		struct lprf2_entry first;
		struct buf first_name;	/* of that entry's separator */
	} levels[LPRF2_LEVELS];
};

/* A file that is being made, block by block. */

/* All zero, but for the packer, is a file that has not begun. */
struct lprf2_file {
	struct lprf2_packer *packer;	/* owned; NULL: blocks are plain */
	struct buf out;			/* the caller takes what is in it */
	uint64_t taken;			/* bytes that were taken before */
	struct lprf2_trailer trailer;
	struct lprf2_index index;
	uint64_t memory;		/* that the blocks take in a reader */
	/* Of the last block of functions; kind is 0 if there is none. */
	enum lprf2_kind last_kind;
	struct prof_symbol last;	/* its last function */
	struct buf last_name;
};

/*
 * Whether the block that begins now is to be plain, so that a reader takes no
 * more memory than it may.
 */
bool lprf2_file_is_full(const struct lprf2_file *);

/* Puts a block of functions or records. */
enum prof_status lprf2_file_put_block(struct lprf2_file *,
    struct lprf2_building *, struct prof_error *);

/* Puts what is left of the index, and the trailer. */
enum prof_status lprf2_file_end(struct lprf2_file *, struct prof_error *);
void lprf2_file_free(struct lprf2_file *);

/* A look-up of functions by the index; blocks that were read are in arena. */
struct lprf2_lookup {
	struct prof_span image;		/* up to the trailer */
	uint64_t root;
	struct lprf2_packer **packer;	/* NULL: nothing is looked up */
	uint64_t memory;		/* of blocks that were read */
	struct arena arena;
	struct lprf2_block path[LPRF2_LEVELS];	/* of the index */
};

/*
 * Reads the root, which only blocks follow that readers skip: or else the root
 * is that of another file, before the one whose trailer was read.
 */
enum prof_status lprf2_check_root(struct lprf2_lookup *, struct prof_error *);

/* Reads a block at a listed offset, unless it is the one that is there. */
enum prof_status lprf2_load(struct lprf2_lookup *, uint64_t at,
    struct lprf2_block *, struct prof_error *);

/*
 * Where the block is that has the functions of a name if any has; PROF_END if
 * there is none.
 */
enum prof_status lprf2_descend(struct lprf2_lookup *, struct prof_span name,
    uint64_t *at, struct prof_error *);

#endif
