/* format/memprof/write_data.h - writer of data accesses and cold symbols */
#ifndef FORMAT_MEMPROF_WRITE_DATA_H
#define FORMAT_MEMPROF_WRITE_DATA_H

#include "base/bytes.h"
#include "model/memprof/build.h"

/*
 * Appends the accesses and cold symbols (DataAccessProfData::serialize, LLVM 21
 * and 22).  Warns of locations without a file, which cannot be held.
 */
enum prof_status memprof_data_write(const struct memprof_built *,
    struct prof_context *, struct buf *out, struct prof_error *);

#endif
