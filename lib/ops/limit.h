/*
 * limit.h - functions whose counters no run can have come to
 *
 * Races, forks in continuous mode and writes past the end leave counters that
 * are wrapped or overwritten; one such function spoils a whole profile.
 */
#ifndef OPS_LIMIT_H
#define OPS_LIMIT_H

#include "base/arena.h"
#include "prof.h"

enum limit_action { LIMIT_DROP, LIMIT_CLAMP, LIMIT_FAIL };

struct limit {
	uint64_t max_count;		/* 0: there is no limit */
	enum limit_action action;
	prof_warn *warn;		/* told of each function, or NULL */
	void *warn_arg;
	struct arena arena;		/* of one record; the user frees it */
};

/*
 * PROF_OK with a function that may have been clamped, in memory that is valid
 * until the next call; PROF_END if it is to be dropped; PROF_FAIL by
 * LIMIT_FAIL.  Pseudo counts are no counts.
 */
enum prof_status limit_function(struct limit *, struct prof_function *,
    struct prof_error *);

#endif
