/*
 * base/number_row.h - rows of decimal numbers, as in lists of JSON
 *
 * Most counters of a profile are 0 or small: up to eight numbers of one digit
 * are read at once, and the ends of longer ones found in 32 bytes at once.
 */
#ifndef BASE_NUMBER_ROW_H
#define BASE_NUMBER_ROW_H

#include <stddef.h>
#include <stdint.h>

/* Numbers that may be overwritten behind those that were read. */
enum { NUMBER_ROW_SLACK = 8 };

/*
 * Reads numbers of up to 8 digits without leading zeros, a comma behind each,
 * until others come, n are read, or few bytes are left.  Returns how many;
 * *text is then behind the last comma.  `numbers` has room for n and the slack.
 */
size_t number_row_get(const uint8_t **text, const uint8_t *end,
    uint64_t *numbers, size_t n);

#endif
