/*
 * fuzz.h - promises that hold for any bytes, shared by the fuzz targets and by
 * the driver of mutations
 *
 * A broken promise ends the program with abort(3).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/bytes.h"
#include "prof.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Aborts unless it is kept, where assert would be silent under NDEBUG. */
void demand(bool kept, const char *promise);

/* A prof_sink into a struct buf; with an arg of NULL all is dropped. */
int collect(void *arg, const void *data, size_t size);

struct prof_span span_of(const struct buf *);

/* prof_open, or the open function of one format. */
typedef struct prof_reader *fuzz_open(struct prof_context *, struct prof_span,
    struct prof_error *);

/*
 * Reads all records and writes them as a stream, which ends with an abort if
 * reading fails.  PROF_END or PROF_FAIL; out may be NULL.
 */
enum prof_status fuzz_decode(fuzz_open *, struct prof_span image,
    struct buf *out);

/*
 * Merges what the image holds, and writes it as the target says.  False if the
 * image is bad, or some of it cannot be merged or written.
 */
bool fuzz_merge(fuzz_open *, struct prof_span image,
    const struct prof_target *, struct buf *out);

/* Looks a name up; the image may be damaged.  Gives the functions found. */
size_t fuzz_select(fuzz_open *, struct prof_span image, struct prof_span name);

/*
 * All that holds for any image: what can be read comes back from a stream and
 * from indexed files of all versions.
 */
void fuzz_image(fuzz_open *, struct prof_span image);

#endif
