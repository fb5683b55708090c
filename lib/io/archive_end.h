/* io/archive_end.h - whether an archive ends where it should */
#ifndef IO_ARCHIVE_END_H
#define IO_ARCHIVE_END_H

#include "io/archive.h"

/*
 * Once libarchive has found no further member: checks that the archive ends
 * there, and that nothing follows it.  PROF_END if so.
 */
enum prof_status unpacker_check_end(struct unpacker *);

/* Checks that all of the source was compressed data. */
enum prof_status unpacker_check_stream_end(struct unpacker *);

#endif
