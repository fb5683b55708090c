/* ops/partition_writer.h - a profile to a writer for each of its classes */
#ifndef OPS_PARTITION_WRITER_H
#define OPS_PARTITION_WRITER_H

#include "prof.h"

/*
 * A writer that puts the records of class K (ops/partition.h) to
 * writers[K - 1], which stay the caller's and must outlive it.  prof_finish
 * finishes those of them that a profile was put to; *began says which.
 */
struct prof_writer *partition_writer_new(struct prof_context *,
    struct prof_writer *const *writers, bool *began, uint64_t classes,
    struct prof_error *);

#endif
