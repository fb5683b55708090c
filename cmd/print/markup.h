/*
 * cmd/print/markup.h - foreign text inside XML and Markdown
 *
 * Both functions mask the text first (base/text.h): no control character
 * reaches the reader of the document, or the terminal that shows its source.
 */
#ifndef CMD_PRINT_MARKUP_H
#define CMD_PRINT_MARKUP_H

#include "base/bytes.h"

/*
 * Makes XML 1.0 of the text appended since offset `from`, for elements and for
 * attributes in double quotes.  Newlines stay.  U+FFFE and U+FFFF, which XML
 * has not, become U+FFFD, the replacement character.
 */
void markup_xml(struct buf *, size_t from);

/*
 * Makes a code span of the text appended since offset `from`, for a cell of a
 * table in Markdown as GitHub and GitLab have it.  Text that takes more columns
 * is cut in the middle.  A pipe gets a backslash in front of it.  A backtick,
 * which would end the span, becomes an apostrophe, and a backslash in front of
 * a pipe, which would end the cell, becomes '?'.
 */
void markup_code(struct buf *, size_t from, size_t columns);

#endif
