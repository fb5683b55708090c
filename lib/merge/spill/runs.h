/* merge/spill/runs.h - sorted records that wait in files */
#ifndef MERGE_SPILL_RUNS_H
#define MERGE_SPILL_RUNS_H

#include "merge/spill/spill.h"
#include "prof.h"

/* What a sum knew of a function that its record does not say. */
enum { MERGE_NOTE_MISFIT = 1, MERGE_NOTE_SATURATED = 2 };

/*
 * A stream in a file.  In a run of functions, a trace stands for notes of the
 * function behind it, and vtables, wherever they are, for names that no
 * function has.
 */
struct merge_run {
	const struct merge_files *files;
	void *file;
	struct prof_writer *writer;	/* or NULL: it is whole */
	struct prof_reader *reader;	/* or NULL */
	unsigned level;			/* merges of runs behind it */
	size_t number;			/* among those that are walked */
	bool functions;
	struct prof_record now;		/* being read */
	unsigned notes;			/* of it */
};

/* A new run, to be put to and ended; NULL on failure. */
struct merge_run *merge_run_new(const struct merge_files *, bool functions,
    struct prof_error *);
enum prof_status merge_run_put(struct merge_run *, const struct prof_record *,
    struct prof_error *);
enum prof_status merge_run_end(struct merge_run *, struct prof_error *);

/* Goes through a run, as often as it is opened; now is PROF_OK's record. */
enum prof_status merge_run_open(struct merge_run *, struct prof_error *);
enum prof_status merge_run_next(struct merge_run *, struct prof_error *);
void merge_run_free(struct merge_run *);	/* NULL is fine */

/* Takes run->now. */
typedef enum prof_status merge_take(void *arg, const struct merge_run *,
    struct prof_error *);

/* Copies the runs from the first on, in order, into another. */
struct merge_runs;
typedef enum prof_status merge_fold(void *arg, struct merge_runs *,
    size_t first, struct merge_run *into, struct prof_error *);

struct merge_runs {
	const struct merge_files *files;
	bool functions;
	merge_fold *fold;
	void *arg;
	struct merge_run **runs;	/* in the order of their birth */
	size_t size, room;
};

/*
 * Takes over a run that has been ended, also if it fails; many of them become
 * one by and by.
 */
enum prof_status merge_runs_add(struct merge_runs *, struct merge_run *,
    struct prof_error *);

/* Leaves no more runs than can be read at a time. */
enum prof_status merge_runs_narrow(struct merge_runs *, struct prof_error *);

/*
 * All records of the runs from the first on, in canonical order, equal ones in
 * the order of the runs, which are gone then.
 */
enum prof_status merge_runs_walk(struct merge_runs *, size_t first,
    merge_take *, void *arg, struct prof_error *);
void merge_runs_free(struct merge_runs *);

#endif
