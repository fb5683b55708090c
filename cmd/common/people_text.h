/* cmd/common/people_text.h - pieces of what prof-show prints for people */
#ifndef CMD_COMMON_PEOPLE_TEXT_H
#define CMD_COMMON_PEOPLE_TEXT_H

#include "base/bytes.h"
#include "ops/figures.h"
#include "prof.h"

/* At most 255 bytes. */
void show_print(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * What was appended since `from` may hold any byte; a terminal shall not suffer
 * from it.
 */
void show_printable(struct buf *, size_t from);

/* A line for a number, unless it is 0. */
void show_row(struct buf *, const char *what, uint64_t);

/* What data access profiles tell. */
void show_data_rows(struct buf *, const struct figures *);

/* The file, and the member; format, version and attributes. */
void show_source(struct buf *, const struct prof_source *);
void show_kind(struct buf *, const struct prof_header *);

#endif
