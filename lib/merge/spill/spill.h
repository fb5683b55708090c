/*
 * merge/spill/spill.h - a merge in bounded memory
 *
 * As sort(1) does it: when the functions and traces of a sum take more than
 * some memory, they are written to a file as a sorted run, a stream, which
 * loses nothing, and the sum begins anew.  In the end the runs are merged,
 * function by function.  What comes out is the same to the byte.
 *
 * In memory stay the head, binary ids, vtables, heap data, functions without a
 * name, and the guids of targets whose names are not known: what is no function
 * of the program or, as names do not come with it, rare.
 */
#ifndef MERGE_SPILL_SPILL_H
#define MERGE_SPILL_SPILL_H

#include "merge/merge.h"

/*
 * Files that nobody else sees; a new one is empty.  write and pull get what
 * create gave, and pull begins behind the last rewind.
 */
struct merge_files {
	void *arg;			/* of create */
	void *(*create)(void *arg, struct prof_error *);  /* or NULL */
	prof_sink *write;
	enum prof_status (*rewind)(void *file, struct prof_error *);
	prof_pull *pull;
	void (*close)(void *file);
};

/*
 * To be called once, before anything is added: from so many bytes on, functions
 * and traces go to files, which must outlive the merge.  What is subtracted
 * must outlive merge_write then.  PROF_E_UNSUPPORTED from merge_write for what
 * needs all functions at once.
 */
enum prof_status merge_spill_to(struct merge *, size_t bytes,
    const struct merge_files *, struct prof_error *);

/* Whether anything went to a file. */
bool merge_has_spilled(const struct merge *);

/* The rest is for merge*.c: after each record, */
enum prof_status merge_spill_check(struct merge *, struct prof_error *);

/* for merge_subtract: less is looked at while functions are put, */
void merge_spill_subtract(struct merge *, struct merge *less);

/* and in the end, before anything is put. */
enum prof_status merge_spill_end(struct merge *, struct prof_error *);

struct merge_notes;
struct merge_spill;
enum prof_status merge_spill_put_functions(struct merge *,
    const struct merge_output *, struct merge_notes *, struct prof_writer *,
    struct prof_error *);
enum prof_status merge_spill_put_traces(struct merge *, struct prof_writer *,
    struct prof_error *);
void merge_spill_free(struct merge_spill *);	/* NULL is fine */

#endif
