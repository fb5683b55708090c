/*
 * cmd/cat/workers.h - profraw-cat with several threads
 *
 * Each thread decodes another input to its stream.  Streams are written in the
 * order of the inputs: the output is the same for any number of threads.
 */
#ifndef CMD_CAT_WORKERS_H
#define CMD_CAT_WORKERS_H

#include "cmd/cat/members.h"

/* Decodes all inputs of the program to its output, which is open. */
enum prof_status cat_decode_parallel(struct cat *);

#endif
