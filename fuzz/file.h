/* file.h - bytes as a file in memory, for functions that take a path */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include "prof.h"

/* The path of a file with these bytes; valid until the next call. */
const char *file_of(struct prof_span);

#endif
