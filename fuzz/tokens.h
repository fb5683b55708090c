/*
 * tokens.h - damages text token by token
 *
 * Tokens of JSON, YAML, text profiles and lists: words, numbers, strings,
 * blanks, ends of lines, and all other bytes one by one.
 */
#ifndef FUZZ_TOKENS_H
#define FUZZ_TOKENS_H

#include "fuzz/mutate.h"

/*
 * Deletes, repeats, swaps or replaces tokens or lines of a text, or puts
 * punctuation, blanks, escapes or numbers at the limits of their types into it.
 * Tokens may come from the other text.
 */
void tokens_change(struct chance *, struct buf *, struct prof_span other);

#endif
