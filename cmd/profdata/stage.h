/*
 * cmd/profdata/stage.h - what records go through before llvm-profdata merges them
 *
 * Correlated counters become functions and addresses of heap profiles become
 * frames, if the options name binaries.
 */
#ifndef CMD_PROFDATA_STAGE_H
#define CMD_PROFDATA_STAGE_H

#include "cmd/profdata/profdata.h"
#include "sym/correlate/correlate.h"

struct profdata_stage;

/* Exits if a binary cannot be opened. */
struct profdata_stage *profdata_stage_new(struct profdata *,
    profdata_record *next, void *arg);

/* A profdata_record whose argument is the stage. */
profdata_record profdata_stage_put;

bool profdata_stage_has_binary(const struct profdata_stage *);

/* After the last record. */
enum prof_status profdata_stage_finish(struct profdata_stage *,
    struct prof_error *);
void profdata_stage_free(struct profdata_stage *);	/* NULL is fine */

/*
 * cmd/profdata/correlation.c: gives what a correlated profile of the binary would
 * give in which nothing ran, and tells of functions that are not whole.  The
 * size of the counters; ends the program if the binary knows of none.
 */
uint64_t profdata_correlate_nothing(struct profdata *, struct correlate *,
    struct binary *, unsigned flags, correlate_emit *, void *arg);

#endif
