/*
 * filter.h - which functions of a profile are kept
 *
 * A function is kept if it matches one of the rules to keep, or there is none,
 * and none of the rules to drop, and if its largest counter is large enough.
 */
#ifndef OPS_FILTER_H
#define OPS_FILTER_H

#include "prof.h"

struct filter;

enum filter_side { FILTER_KEEP, FILTER_DROP };

struct filter *filter_new(void);	/* NULL if out of memory */

/* There are rules now on that side, even if none follows. */
void filter_begin(struct filter *, enum filter_side);

/*
 * Rules about names.  The name itself also stands for a function that is known
 * by its guid only; patterns never match one, nor a name with a NUL in it.  A
 * pattern (fnmatch(3)) is borrowed.  PROF_E_FORMAT says what is wrong with a
 * regular expression (extended ones of POSIX, found anywhere in the name).
 */
enum prof_status filter_name(struct filter *, enum filter_side,
    struct prof_span name, struct prof_error *);
enum prof_status filter_glob(struct filter *, enum filter_side,
    const char *pattern, struct prof_error *);
enum prof_status filter_regex(struct filter *, enum filter_side,
    const char *regex, struct prof_error *);

/* The hash of the control flow. */
enum prof_status filter_hash(struct filter *, enum filter_side, uint64_t hash,
    struct prof_error *);

/* The least that the largest counter has to be; pseudo counts are large. */
void filter_min_count(struct filter *, uint64_t count);

/* PROF_OK if it is kept, PROF_END if it is dropped, PROF_FAIL. */
enum prof_status filter_function(struct filter *,
    const struct prof_function *, struct prof_error *);

/*
 * The same for a function of a heap profile, which has neither a hash nor
 * counters: only rules about names match.
 */
enum prof_status filter_heap_function(struct filter *,
    const struct prof_memprof_function *, struct prof_error *);

void filter_free(struct filter *);	/* NULL is fine */

#endif
