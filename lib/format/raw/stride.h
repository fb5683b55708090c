/*
 * format/raw/stride.h - records that are not as large as the version says
 *
 * The version of a raw profile is that of one object file, or of the run time;
 * where objects of two LLVMs were linked into one binary, some records are of
 * another.  Such an image makes no sense from there on, in one way or another.
 */
#ifndef FORMAT_RAW_STRIDE_H
#define FORMAT_RAW_STRIDE_H

#include "model/symtab.h"
#include "format/raw/image.h"

/*
 * Looks for records by what they begin with, the hash of a name.  PROF_FAIL if
 * two that follow each other are not as far apart as records of the version.
 */
enum prof_status raw_stride_check(const struct raw_image *,
    const struct symtab *names, struct prof_error *);

#endif
