/*
 * cmd/cat/workers.h - profraw-cat with several threads
 *
 * Each makes the stream of another input; what they write comes in the order of
 * the inputs, and is what one would write.
 */
#ifndef CMD_CAT_WORKERS_H
#define CMD_CAT_WORKERS_H

#include "cmd/cat/members.h"

/* Decodes all inputs of the program to its output, which is open. */
enum prof_status cat_decode_parallel(struct cat *);

#endif
