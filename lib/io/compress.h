/* compress.h - a sink that compresses bytes for another sink */
#ifndef IO_COMPRESS_H
#define IO_COMPRESS_H

#include "prof.h"

#include "io/packing.h"

struct compressor;

/*
 * packing is PACKING_NONE or that of a stream.  All failures are set in *err,
 * which must outlive the compressor.  NULL on failure.
 */
struct compressor *compressor_new(enum packing, prof_sink *, void *arg,
    struct prof_error *err);

/* A prof_sink with the compressor as its argument. */
int compressor_put(void *compressor, const void *data, size_t size);

/* The output is complete only after this call has succeeded. */
enum prof_status compressor_finish(struct compressor *);

void compressor_free(struct compressor *);	/* NULL is fine */

#endif
