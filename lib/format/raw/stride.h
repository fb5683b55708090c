/*
 * format/raw/stride.h - records of another size than the version says
 *
 * The version of a raw profile is that of one object file, or of the run time.
 * Where objects of two LLVMs were linked into one binary, some records have the
 * size of another version, and the reader meets nonsense behind the first one.
 */
#ifndef FORMAT_RAW_STRIDE_H
#define FORMAT_RAW_STRIDE_H

#include "model/symtab.h"
#include "format/raw/image.h"

/*
 * PROF_FAIL if records are not as far apart as those of the version.  `sound`
 * says that each record, by itself, may be one of the version.
 */
enum prof_status raw_stride_check(const struct raw_image *,
    const struct symtab *names, bool sound, struct prof_error *);

#endif
