/*
 * merge/spill/runs.h - sorted records in temporary files
 *
 * A run is a stream in one file.  16 runs of one level are merged into one of
 * the next level, so that each record is copied once a level; in the end at
 * most 32 runs are left, which are read side by side.
 */
#ifndef MERGE_SPILL_RUNS_H
#define MERGE_SPILL_RUNS_H

#include "merge/merge.h"
#include "prof.h"

/* Marks of an entry that its record does not have. */
enum { MERGE_NOTE_CONFLICT = 1, MERGE_NOTE_SATURATED = 2 };

/*
 * In a run of functions, the weight of a trace holds the marks of the function
 * behind it, and vtables are names that no function of the run has.
 */
struct merge_run {
	const struct merge_files *files;
	void *file;
	struct prof_writer *writer;	/* NULL: the run has ended */
	struct prof_reader *reader;	/* or NULL */
	unsigned level;			/* how often it was merged */
	size_t number;			/* among the runs that are walked */
	bool functions;
	struct prof_record now;		/* being read */
	unsigned notes;			/* its marks */
};

/* A new run, for records to be put to; NULL on failure. */
struct merge_run *merge_run_new(const struct merge_files *, bool functions,
    struct prof_error *);
enum prof_status merge_run_put(struct merge_run *, const struct prof_record *,
    struct prof_error *);
enum prof_status merge_run_end(struct merge_run *, struct prof_error *);

/*
 * Reads an ended run from its start, each time it is opened.  merge_run_next
 * sets run->now, or returns PROF_END.
 */
enum prof_status merge_run_open(struct merge_run *, struct prof_error *);
enum prof_status merge_run_next(struct merge_run *, struct prof_error *);
void merge_run_free(struct merge_run *);	/* NULL is fine */

/* Is called with each record, run->now. */
typedef enum prof_status merge_visit(void *arg, const struct merge_run *,
    struct prof_error *);

/* Merges the runs from the first on into another. */
struct merge_runs;
typedef enum prof_status merge_fold(void *arg, struct merge_runs *,
    size_t first, struct merge_run *into, struct prof_error *);

struct merge_runs {
	const struct merge_files *files;
	bool functions;
	merge_fold *fold;
	void *arg;			/* of fold */
	struct merge_run **runs;	/* in the order of their creation */
	size_t size, room;
};

/* Adds a run that has ended, and owns it, also if this fails. */
enum prof_status merge_runs_add(struct merge_runs *, struct merge_run *,
    struct prof_error *);

/* Merges runs until there are no more than can be read at a time. */
enum prof_status merge_runs_narrow(struct merge_runs *, struct prof_error *);

/*
 * Visits all records of the runs from the first on, in canonical order, equal
 * ones in the order of the runs; then frees these runs.
 */
enum prof_status merge_runs_walk(struct merge_runs *, size_t first,
    merge_visit *, void *arg, struct prof_error *);
void merge_runs_free(struct merge_runs *);

#endif
