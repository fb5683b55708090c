/* io/suffix.h - what the end of a file's name says of its bytes */
#ifndef IO_SUFFIX_H
#define IO_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "io/packing.h"

/*
 * Whether the name ends with a dot and the suffix, with or without a suffix of
 * compression behind it.
 */
bool suffix_is(const char *path, const char *suffix);

/* The compression that .gz, .xz or .zst asks for, or PACKING_NONE. */
enum packing suffix_packing(const char *path);

/*
 * The format of prof_target that ends the name, with or without a suffix of
 * compression behind it; or NULL.
 */
const char *suffix_format(const char *path);

/* The suffix of files of a format of prof_target, without the dot. */
const char *suffix_of_format(const char *format);

/*
 * The format of prof_target that --to names: by its own name, or by the suffix
 * of its files; or NULL.
 */
const char *suffix_format_named(const char *word);

enum { SUFFIX_FORMATS = 5 };

/* The names of all formats of prof_target, with NULL behind the last. */
void suffix_formats(const char *names[SUFFIX_FORMATS + 1]);

#endif
