/* cmd/print/people_text.h - pieces of what prof-show prints for people */
#ifndef CMD_PRINT_PEOPLE_TEXT_H
#define CMD_PRINT_PEOPLE_TEXT_H

#include "base/bytes.h"
#include "prof.h"

/* Appends formatted text of at most 255 bytes. */
void show_print(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Replaces control characters in the bytes appended since offset `from`, which
 * could change the state of a terminal.
 */
void show_printable(struct buf *, size_t from);

/* Append file and member of a profile; its format, version and attributes. */
void show_source(struct buf *, const struct prof_source *);
void show_kind(struct buf *, const struct prof_header *);

#endif
