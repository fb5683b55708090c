/*
 * archive_write.h - a tar archive whose bytes depend on its members only, and
 * compressed bytes
 *
 * The format is pax (POSIX.1-2001), with extended headers only for members that
 * ustar cannot describe.  Members that are put are regular files with the same
 * owner, mode and time.
 */
#ifndef IO_ARCHIVE_WRITE_H
#define IO_ARCHIVE_WRITE_H

#include "prof.h"

#include "io/packing.h"

struct archive_writer;

/*
 * packing is PACKING_NONE, _GZIP, _XZ or _ZSTD.  All failures are set in *err,
 * which must outlive the writer.  NULL on failure.
 */
struct archive_writer *archive_writer_new(enum packing, prof_sink *, void *arg,
    struct prof_error *err);

/* name: a path of any bytes but NUL. */
enum prof_status archive_writer_put(struct archive_writer *, const char *name,
    struct prof_span contents);

/* The archive is complete only after this call has succeeded. */
enum prof_status archive_writer_finish(struct archive_writer *);

void archive_writer_free(struct archive_writer *);	/* NULL is fine */

/*
 * Or a writer that compresses the bytes of one file, with the packing of a
 * stream: compressor_put is a prof_sink with the writer as its argument, and
 * archive_writer_put must not be called.
 */
struct archive_writer *compressor_new(enum packing, prof_sink *, void *arg,
    struct prof_error *err);
int compressor_put(void *writer, const void *data, size_t size);

#endif
