/*
 * cmd/common/columns.h - text by the columns that it takes on a terminal
 *
 * Wide characters of East Asia take two columns, combining ones none; bytes say
 * nothing.  Text is UTF-8 that printable_mask has been over, so that it has no
 * control characters.
 */
#ifndef CMD_COMMON_COLUMNS_H
#define CMD_COMMON_COLUMNS_H

#include "base/bytes.h"

/* Columns of text that is never cut. */
#define COLUMNS_ANY SIZE_MAX

/* The columns that the text takes. */
size_t columns_of(struct prof_span);

/*
 * Cuts the text appended since offset `from` in the middle, if it takes more
 * than n columns, so that it takes n, or n - 1 where a wide character does not
 * fit.  The mark ("...", or U+2026 where the terminal shows it) stands between
 * the first and the last characters; if n has no room for it and one character
 * on each side, the text is cut at its end.
 */
void columns_cut(struct buf *, size_t from, size_t n, const char *mark);

/* Appends spaces until the text since `from` takes n columns. */
void columns_pad(struct buf *, size_t from, size_t n);

/*
 * Appends a number, right-aligned in `width` columns; grouped: with a comma
 * between each three digits.
 */
void columns_number(struct buf *, uint64_t, size_t width, bool grouped);

#endif
