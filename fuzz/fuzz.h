/*
 * fuzz.h - promises that hold for any bytes
 *
 * Used by the fuzz targets and by mutations.c.  A broken promise ends the
 * program with abort(3).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/bytes.h"
#include "prof.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Prints the promise and aborts if it is broken; unlike assert, always. */
void demand(bool kept, const char *promise);

/* A prof_sink into a struct buf; if arg is NULL, the bytes are dropped. */
int collect(void *arg, const void *data, size_t size);

struct prof_span span_of(const struct buf *);

/* prof_open, or the open function of one format. */
typedef struct prof_reader *fuzz_open(struct prof_context *, struct prof_span,
    struct prof_error *);

/*
 * Reads all records and writes them as a stream, which ends with an `abort`
 * record if reading fails.  PROF_END, or PROF_FAIL if it does; out may be NULL.
 */
enum prof_status fuzz_decode(fuzz_open *, struct prof_span image,
    struct buf *out);

/*
 * Merges the profiles of the image and writes the sum.  False if the image is
 * damaged, or its profiles cannot be merged or written as the target.
 */
bool fuzz_merge(fuzz_open *, struct prof_span image,
    const struct prof_target *, struct buf *out);

/*
 * Looks a name up in an image, also a damaged one.  The number of its
 * functions, or 0 if the reader did not find it and returned others too.
 */
size_t fuzz_select(fuzz_open *, struct prof_span image, struct prof_span name);

/* Profiles that are found inside any bytes can be read. */
void fuzz_scan(struct prof_span bytes);

/*
 * Checks all promises for an image: what can be read is the same after it was
 * written to a stream and to files of all formats and versions, what can be
 * salvaged or found in it can be read.
 */
void fuzz_image(fuzz_open *, struct prof_span image);

#endif
