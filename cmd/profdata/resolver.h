/*
 * cmd/profdata/resolver.h - what records go through before llvm-profdata merges them
 *
 * Correlated counters become functions and addresses of heap profiles become
 * frames, if the options name binaries.
 */
#ifndef CMD_PROFDATA_RESOLVER_H
#define CMD_PROFDATA_RESOLVER_H

#include "cmd/profdata/profdata.h"
#include "sym/correlate/correlate.h"

struct profdata_resolver;

/* Exits if a binary cannot be opened. */
struct profdata_resolver *profdata_resolver_new(struct profdata *,
    profdata_record *next, void *arg);

/* A profdata_record whose argument is the stage. */
profdata_record profdata_resolver_put;

bool profdata_resolver_has_binary(const struct profdata_resolver *);

/* After the last record. */
enum prof_status profdata_resolver_finish(struct profdata_resolver *,
    struct prof_error *);
void profdata_resolver_free(struct profdata_resolver *);	/* NULL is fine */

/*
 * cmd/profdata/correlation.c: gives what a correlated profile of the binary would
 * give in which nothing ran, and tells of functions that are not whole.  The
 * size of the counters; ends the program if the binary knows of none.
 */
uint64_t profdata_correlate_zero_counters(struct profdata *, struct correlate *,
    struct binary *, unsigned flags, correlate_emit *, void *arg);

#endif
