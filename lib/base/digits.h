/* digits.h - numbers in the texts that LLVM reads */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include "prof.h"

/* False if it is no number of that base, from 2 to 16, or above max. */
bool digits_parse(struct prof_span, unsigned base, uint64_t max,
    uint64_t *out);

/* StringRef.cpp, getAutoSenseRadix: 0x, 0b, 0o, 0 or decimal. */
bool digits_auto(struct prof_span, uint64_t max, uint64_t *out);

#endif
