/* cmd/common/binary_names.h - names of functions in ELF files */
#ifndef CMD_COMMON_BINARY_NAMES_H
#define CMD_COMMON_BINARY_NAMES_H

#include "sym/elf_names.h"

struct cli;

/*
 * Visits the names in a file if it is ELF (sym/elf_names.h).  PROF_END if it is
 * not, or not a regular file: nothing was read then.  PROF_FAIL, and err and
 * the input of the cli, if it cannot be read or a call returned false, which
 * means out of memory.
 */
enum prof_status cli_binary_names(struct cli *, const char *path,
    elf_name_visit *, void *arg);

#endif
