/* cmd/profdata/remap.h - merge --remapping-file: other names for functions */
#ifndef CMD_PROFDATA_REMAP_H
#define CMD_PROFDATA_REMAP_H

#include "prof.h"

struct profdata_remap;

/* Reads a file of lines OLD NEW; ends the program at any other line. */
struct profdata_remap *profdata_remap_open(const char *path);

/* The function's new name, if it has one. */
void profdata_remap(const struct profdata_remap *, struct prof_symbol *);
void profdata_remap_free(struct profdata_remap *);	/* NULL is fine */

#endif
