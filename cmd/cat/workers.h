/*
 * cmd/cat/workers.h - profraw-cat with several threads
 *
 * Each thread decodes another input to its stream.  Streams are written in the
 * order of the inputs: the output is the same for any number of threads.
 */
#ifndef CMD_CAT_WORKERS_H
#define CMD_CAT_WORKERS_H

#include "cmd/cat/scan.h"

/*
 * Whether a bad input is followed by the next: in a stream to standard output,
 * which then has an abort record.  Programs that read the stream fail there;
 * people see the other inputs too.  A file would not be put in place.  The
 * first argument is not used.
 */
bool cat_pass(void *, struct cli *);

/* Decodes all inputs of the program to its output, which is open. */
enum prof_status cat_decode_parallel(struct cat *);

#endif
