/* sym/foreign.h - names of executable formats other than ELF, for messages */
#ifndef SYM_FOREIGN_H
#define SYM_FOREIGN_H

#include "prof.h"

/*
 * A phrase such as "a Mach-O file" from the first 64 bytes of a file, or from
 * all if it has fewer; NULL if the format is unknown.
 */
const char *foreign_kind(struct prof_span first_bytes);

#endif
