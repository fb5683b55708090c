/* base/file_kind.h - formats that no program here reads, for messages */
#ifndef BASE_FILE_KIND_H
#define BASE_FILE_KIND_H

#include "prof/base.h"

/*
 * A phrase such as "a Mach-O file" from the first 64 bytes of a file or more,
 * or from all if it has fewer; NULL if its format is unknown.  A phrase may
 * end with advice: "coverage data of GCC: gcov reads it".  Callers have ruled
 * out the formats that they read: of texts, only the beginning is compared.
 */
const char *file_kind(struct prof_span first_bytes);

#endif
