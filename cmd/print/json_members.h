/* cmd/print/json_members.h - members of JSON objects that prof-show prints */
#ifndef CMD_PRINT_JSON_MEMBERS_H
#define CMD_PRINT_JSON_MEMBERS_H

#include "base/bytes.h"
#include "prof.h"

/* The file, and the member; format, version, kind and attributes. */
void show_source_keys(struct buf *, const struct prof_source *);
void show_kind_keys(struct buf *, const struct prof_header *);

#endif
