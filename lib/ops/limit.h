/*
 * ops/limit.h - functions with counters above a limit
 *
 * Races, forks in continuous mode and writes past the end of an array leave
 * counters that no run can have reached.  After a merge, one such function
 * makes all others look cold.
 */
#ifndef OPS_LIMIT_H
#define OPS_LIMIT_H

#include "prof.h"

struct limit {
	uint64_t max_count;		/* 0: there is no limit */
	prof_warn *warn;		/* called for each function, or NULL */
	void *warn_arg;
};

/*
 * PROF_OK if the function stays, PROF_END if it is to be left out.  The first
 * counter of a pseudo record is not compared.
 */
enum prof_status limit_function(const struct limit *,
    const struct prof_function *);

#endif
