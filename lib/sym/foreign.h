/* foreign.h - what a file is that is not ELF */
#ifndef SYM_FOREIGN_H
#define SYM_FOREIGN_H

#include "prof.h"

/*
 * "a Mach-O file" and the like from the first bytes of a file (64 or more, if
 * it has as many), or NULL.
 */
const char *foreign_kind(struct prof_span first_bytes);

#endif
