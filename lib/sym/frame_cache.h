/*
 * sym/frame_cache.h - the frames of addresses of one module as bytes of a file
 *
 * Bytes of another version, of another module, or that are damaged are refused
 * as a whole: a digest covers them.
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

/* Sorts the addresses, of which each is there once.  False: out of memory. */
bool frame_cache_write(struct buf *, struct prof_span build_id,
    struct cached_address *, size_t count);

/* The addresses, in the arena; text is lent by the bytes. */
enum prof_status frame_cache_read(struct prof_span bytes,
    struct prof_span build_id, struct arena *, struct cached_address **,
    size_t *count, struct prof_error *);

#endif
