/*
 * merge/core/correlated.h - sums of correlated profiles
 *
 * The counters of a correlated profile have no functions before prof-symbolize
 * finds these in the binary.  Profiles of the same binaries, by their ids, have
 * the same counters in the same order, and are added up; the sums of other
 * binaries stay apart, each a profile of its own.  So do those of the same ids
 * whose numbers of counters or attributes differ, or formats: prof-symbolize
 * reads the records of a binary as the version of the raw profile says.
 *
 * Counters saturate as those of functions do.  The bytes of byte coverage are 0
 * where code was executed, so that the smaller of two stays (compiler-rt,
 * InstrProfilingMerge.c); a weight changes no such byte.
 */
#ifndef MERGE_CORE_CORRELATED_H
#define MERGE_CORE_CORRELATED_H

#include "merge/core/core.h"

/* The sum of correlated profiles of one set of binaries. */
struct merge_correlated {
	struct merge_head head;
	struct prof_header kind;	/* attributes that all of them have */
	struct prof_span *ids;		/* sorted, each once */
	size_t ids_size;
	uint64_t *counts;
	size_t counts_size;
	uint8_t *bitmap;
	size_t bitmap_size;
	bool saturated;			/* a counter is at its limit */
};

/*
 * The rules of adding: raw counters follow the header of a correlated profile
 * and its binary ids, of which there is one, and are its last record; and they
 * have no time stamps.  Updates the state of the profile.
 */
enum prof_status merge_correlated_check(struct merge_profile_state *,
    const struct prof_record *, struct prof_error *);

/*
 * Takes a record that may be of a correlated profile.  PROF_OK: nothing else is
 * to be done with it.  PROF_END: it is to be added as any record, and so are
 * the header and the ids before it, if worker->start.late is set.
 */
enum prof_status merge_correlated_take(struct merge_worker *,
    const struct prof_record *, const struct merge_factor *,
    struct prof_error *);

/* Subtracts the counters, and the inputs, of sums of the same binaries. */
void merge_correlated_subtract(struct merge *, const struct merge *less);

/*
 * The first profile of the sum that is put first, for messages.  There must be
 * a sum, and nothing can be added afterwards.
 */
const char *merge_correlated_label(struct merge *);

/*
 * Puts the sums, a profile each, in the order of their ids; warns of those with
 * a counter at its limit.
 */
enum prof_status merge_correlated_put(struct merge *, struct prof_writer *,
    struct prof_error *);

void merge_correlated_free(struct merge *);

#endif
