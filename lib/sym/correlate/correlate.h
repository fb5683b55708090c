/*
 * correlate.h - correlated profiles: counters become functions
 *
 * A stage that records pass through.  Those of a correlated profile (raw
 * counters, whose functions only the binary knows) come out as the functions
 * that `llvm-profdata merge --debug-info` and `--binary-file` make of them, and
 * with the MC/DC bitmaps that those forget; all others come out as they are.
 */
#ifndef SYM_CORRELATE_CORRELATE_H
#define SYM_CORRELATE_CORRELATE_H

#include "prof.h"
#include "sym/binary.h"

struct correlate;

/*
 * Binaries and search are lent until correlate_free.  A profile with build ids
 * takes the binary that has one of them, which is searched for if search is not
 * NULL; another takes the one whose counters are as many as its own.  warn may
 * be NULL.  NULL if out of memory.
 */
struct correlate *correlate_new(struct binary *const *binaries, size_t count,
    const struct binary_search *search, prof_warn *warn, void *warn_arg);

/*
 * In LLVM's words, each function is told too whose debug information is not
 * whole.  To be called before any record is put.
 */
void correlate_warn_each(struct correlate *, prof_warn *, void *arg);

/* What correlate_put gives on; readers lend, so do we. */
typedef enum prof_status correlate_emit(void *arg, const struct prof_record *,
    struct prof_error *);

/*
 * Takes a record and emits none, it, or several in its place.  PROF_E_MISMATCH
 * if no binary belongs to the profile, or if it does not fit.
 */
enum prof_status correlate_put(struct correlate *, const struct prof_record *,
    correlate_emit *, void *arg, struct prof_error *);

void correlate_free(struct correlate *);	/* NULL is fine */

#endif
