/* base/printable.h - foreign text without what changes how the rest is shown */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Replaces by '?' each byte of control characters (C1 ones of UTF-8 too), of
 * line separators, of characters that change the direction of text, and of what
 * is not UTF-8.  The size stays the same.
 */
void printable_mask(uint8_t *text, size_t size);

/* The same, but newlines stay. */
void printable_mask_lines(uint8_t *text, size_t size);

#endif
