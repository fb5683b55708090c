/*
 * merge/spill/spill.h - a merge in bounded memory
 *
 * When the functions and traces of a sum take more than the limit, they are
 * written to a temporary file as a sorted run, a stream, which loses nothing,
 * and the sum begins anew (as sort(1) does it).  In the end the runs are merged
 * function by function.  The output is the same to the byte.
 *
 * These stay in memory: the head, binary ids, vtables, heap data, functions
 * without name, and the guids of targets without name.  A name may come with a
 * later run: then it decides where in the order the function stands, so that
 * names are searched for in all runs before these are merged.
 */
#ifndef MERGE_SPILL_SPILL_H
#define MERGE_SPILL_SPILL_H

#include "merge/merge.h"

/* As merge_spill_to. */
enum prof_status merge_spill_begin(struct merge *, size_t bytes,
    const struct merge_files *, struct prof_error *);

/* Whether anything went to a file. */
bool merge_has_spilled(const struct merge *);

/* To be called after each record: spills if there is more than the limit. */
enum prof_status merge_spill_check(struct merge *, struct prof_error *);

/* Remembers what is to be subtracted while functions are written. */
void merge_spill_subtract(struct merge *, struct merge *less);

/* To be called before anything is written: the rest goes to files, too. */
enum prof_status merge_spill_end(struct merge *, struct prof_error *);

struct merge_notes;
struct merge_spill;
enum prof_status merge_spill_put_functions(struct merge *,
    const struct merge_output *, struct merge_notes *, struct prof_writer *,
    struct prof_error *);
enum prof_status merge_spill_put_traces(struct merge *,
    const struct merge_output *, struct prof_writer *, struct prof_error *);
void merge_spill_free(struct merge_spill *);	/* NULL is fine */

#endif
