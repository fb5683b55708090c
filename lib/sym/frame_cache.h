/*
 * sym/frame_cache.h - the frames of addresses of one module as bytes of a file
 *
 * A digest covers the bytes: those of another version or module, or damaged
 * ones, are refused as a whole.
 */
#ifndef SYM_FRAME_CACHE_H
#define SYM_FRAME_CACHE_H

#include "prof.h"

struct arena;
struct buf;

struct cached_address {
	uint64_t address;
	const struct prof_frame *frames;
	size_t count;			/* 0: no function is there */
};

/*
 * Appends a cache of distinct addresses, which it sorts.  False if out of
 * memory.
 */
bool frame_cache_write(struct buf *, struct prof_span build_id,
    struct cached_address *, size_t count);

/* The addresses of a cache, ascending. */
struct frame_cache {
	struct cached_address *addresses;
	size_t count;
};

/* Gives the addresses, in the arena; names of frames point into the bytes. */
enum prof_status frame_cache_read(struct prof_span bytes,
    struct prof_span build_id, struct arena *, struct frame_cache *,
    struct prof_error *);

#endif
