/* format/memprof/access.h - data accesses in a section of version 4 */
#ifndef FORMAT_MEMPROF_ACCESS_H
#define FORMAT_MEMPROF_ACCESS_H

#include "base/bytes.h"
#include "model/memprof/build.h"

/*
 * Appends them (DataAccessProfData::serialize, LLVM 21 and 22).
 */
enum prof_status memprof_access_write(const struct memprof_built *,
    struct prof_context *, struct buf *out, struct prof_error *);

#endif
