/*
 * ops/limit.h - functions with counters above a limit
 *
 * Races, forks in continuous mode and writes past the end of an array leave
 * counters that no run can have reached.  After a merge, one such function
 * makes all others look cold.
 */
#ifndef OPS_LIMIT_H
#define OPS_LIMIT_H

#include "base/arena.h"
#include "prof.h"

enum limit_action { LIMIT_DROP, LIMIT_CLAMP, LIMIT_FAIL };

struct limit {
	uint64_t max_count;		/* 0: there is no limit */
	enum limit_action action;
	prof_warn *warn;		/* called for each function, or NULL */
	void *warn_arg;
	struct arena arena;		/* clamped counts; freed by callers */
};

/*
 * PROF_OK if the function stays; counts that were clamped are valid until the
 * next call.  PROF_END if it is to be dropped.  PROF_FAIL with PROF_E_LIMIT for
 * LIMIT_FAIL.  The first counter of a pseudo record is not compared.
 */
enum prof_status limit_function(struct limit *, struct prof_function *,
    struct prof_error *);

#endif
