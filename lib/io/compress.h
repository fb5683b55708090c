/* compress.h - a sink that compresses what it is given for another one */
#ifndef IO_COMPRESS_H
#define IO_COMPRESS_H

#include "prof.h"

#include "io/packing.h"

struct compressor;

/*
 * packing is PACKING_NONE or any of one stream.  All failures are set in *err,
 * which must outlive it.  NULL on failure.
 */
struct compressor *compressor_new(enum packing, prof_sink *, void *arg,
    struct prof_error *err);

/* A prof_sink with the compressor as its argument. */
int compressor_put(void *compressor, const void *data, size_t size);

/* Nothing is valid before this succeeds. */
enum prof_status compressor_finish(struct compressor *);

void compressor_free(struct compressor *);	/* NULL is fine */

#endif
