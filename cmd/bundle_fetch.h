/*
 * bundle_fetch.h - the second reading: contents in the order of the set
 *
 * Files are read when it is their turn.  Members of archives, which come in an
 * order of their own, are held in memory, some at a time; a bundle has them in
 * our order, and is read once whatever it holds.
 */
#ifndef CMD_BUNDLE_FETCH_H
#define CMD_BUNDLE_FETCH_H

#include "bundle_set.h"
#include "cli.h"

/* Called with each; the program's file is the one that it came from. */
typedef enum prof_status bundle_take(void *arg, const struct bundle_entry *,
    struct prof_span image);

/*
 * Gives contents of a settled set in their order, those for which wanted[] is
 * true; NULL: all.  PROF_E_SYSTEM if one is not what it was when the set was
 * made.  What fn returns other than PROF_OK ends it.  Messages may name what is
 * in the set as long as the program runs.
 */
enum prof_status bundle_fetch(struct cli *, const struct bundle_set *,
    const bool *wanted, bundle_take *fn, void *arg);

#endif
