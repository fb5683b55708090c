/*
 * format/lprf/v2.h - LPRF version 2, see lprf(5): blocks and their sections
 *
 * A block holds functions by name, functions by guid, or other records.  It has
 * three sections, each stored as it is or as a frame of zstd.
 */
#ifndef FORMAT_LPRF_V2_H
#define FORMAT_LPRF_V2_H

#include "base/arena.h"
#include "base/bytes.h"
#include "prof.h"

enum {
	LPRF2_VERSION = 2,
	LPRF2_HEADER = 16,	/* magic, version, reserved, checksum */
	LPRF2_BLOCK_HEAD = 36,	/* checksum, kind, number, six sizes */
	LPRF2_TRAILER = 32,	/* index, functions, 4 zero, checksum, magic */
	LPRF2_SECTIONS = 3,
	/* A frame of zstd inflates to no more than this. */
	LPRF2_INFLATED_MAX = 1 << 20,
	/* Counters of functions of zeros in one block, which take no bytes. */
	LPRF2_ZEROS_MAX = 1 << 20
};

#define LPRF2_TRAILER_MAGIC "LPRF2END"

enum lprf2_kind { LPRF2_NAMES = 1, LPRF2_GUIDS, LPRF2_RECORDS, LPRF2_INDEX };

/* Which members a function has beside its counters: bits, in this order. */
enum {
	/* 1 << kind: value sites */
	LPRF2_BITMAP = 1 << PROF_VALUE_KINDS,
	LPRF2_UNIFORM = LPRF2_BITMAP << 1,
	LPRF2_EXTRA = LPRF2_UNIFORM << 1,
	LPRF2_MEMBERS = (LPRF2_EXTRA << 1) - 1
};

/* The sections of a block: who they are of, shapes, data. */
enum { LPRF2_N, LPRF2_H, LPRF2_D };

/* A block that is being made.  All zero is empty. */
struct lprf2_building {
	enum lprf2_kind kind;
	uint32_t size;			/* functions or records */
	size_t zero_counts;		/* that take no bytes */
	struct buf sections[LPRF2_SECTIONS];
	struct buf zeros, more;		/* parts of D, behind one another */
	struct buf last;		/* name of the last function */
};

/* A block that was read; the sections point to the image or the arena. */
struct lprf2_block {
	enum lprf2_kind kind;
	uint32_t size;
	uint64_t at;			/* offset in the image */
	size_t stored;			/* bytes of all */
	struct prof_span sections[LPRF2_SECTIONS];
	uint32_t raw[LPRF2_SECTIONS];	/* sizes once inflated */
};

struct lprf2_packer;

/* Compresses and inflates; NULL, and the reason, without libzstd. */
struct lprf2_packer *lprf2_packer_new(struct prof_error *);
void lprf2_packer_free(struct lprf2_packer *);

/* Appends the frame; PROF_END if it is not smaller than the bytes. */
enum prof_status lprf2_pack(struct lprf2_packer *, struct prof_span,
    struct buf *, struct prof_error *);

/* Inflates to exactly `size` bytes; PROF_END if the frame does not. */
enum prof_status lprf2_unpack(struct lprf2_packer *, struct prof_span frame,
    uint8_t *out, size_t size);

/* Appends a function; functions come in order (lprf2_compare). */
void lprf2_encode(struct lprf2_building *, const struct prof_function *);

/* Appends a name to N, front-coded. */
void lprf2_put_name(struct lprf2_building *, struct prof_span name);

/*
 * Reads a front-coded name that follows `last`, into the arena.  PROF_END if it
 * is empty or does not fit, PROF_FAIL if out of memory.
 */
enum prof_status lprf2_get_front(struct cursor *, struct arena *,
    struct prof_span last, struct prof_span *name);

/* Appends the block, and empties it; packer is NULL for a plain one. */
enum prof_status lprf2_put_block(struct lprf2_building *,
    struct lprf2_packer *, struct buf *, struct prof_error *);
void lprf2_building_free(struct lprf2_building *);

/*
 * Reads head and sections of the block at an offset below `end`.  *packer is
 * made when first needed.
 */
enum prof_status lprf2_get_block(struct prof_span image, uint64_t at,
    uint64_t end, struct lprf2_block *, struct prof_error *);
enum prof_status lprf2_inflate(struct lprf2_block *, struct lprf2_packer **,
    struct arena *, struct prof_error *);

/* All functions of a block, in the arena; NULL on failure. */
struct prof_function *lprf2_decode(const struct lprf2_block *, struct arena *,
    struct prof_error *);

/* The order of functions in a file: by name and hash, then by guid. */
int lprf2_compare(const struct prof_function *, const struct prof_function *);

void lprf2_put_header(struct buf *);
void lprf2_put_trailer(struct buf *, uint64_t index, uint64_t functions);

#endif
