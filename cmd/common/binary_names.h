/* cmd/common/binary_names.h - names of functions in ELF files */
#ifndef CMD_COMMON_BINARY_NAMES_H
#define CMD_COMMON_BINARY_NAMES_H

#include "ops/heap/view.h"

struct cli;

/*
 * Adds the names in an ELF file (sym/elf_names.h).  PROF_END if the file is
 * another, or no regular one: nothing was read then.  PROF_FAIL, and err and
 * the input of the cli, if the file cannot be read or memory is out.
 */
enum prof_status cli_binary_names(struct cli *, const char *path,
    struct heap_names *);

#endif
