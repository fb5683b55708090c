/* cmd/common/people_text.h - pieces of what prof-show prints for people */
#ifndef CMD_COMMON_PEOPLE_TEXT_H
#define CMD_COMMON_PEOPLE_TEXT_H

#include "base/bytes.h"
#include "prof.h"

/* At most 255 bytes. */
void show_print(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * What was appended since `from` may hold any byte; a terminal shall not suffer
 * from it.
 */
void show_printable(struct buf *, size_t from);

/* The file, and the member; format, version and attributes. */
void show_source(struct buf *, const struct prof_source *);
void show_kind(struct buf *, const struct prof_header *);

#endif
