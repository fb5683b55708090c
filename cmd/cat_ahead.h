/*
 * cat_ahead.h - profraw-cat with several threads
 *
 * Each makes the stream of another input; what they write comes in the order of
 * the inputs, and is what one would write.
 */
#ifndef CMD_CAT_AHEAD_H
#define CMD_CAT_AHEAD_H

#include "cat_members.h"

/* Decodes all inputs of the program to its output, which is open. */
enum prof_status cat_ahead(struct cat *);

#endif
