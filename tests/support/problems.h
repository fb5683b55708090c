/* tests/support/problems.h - errors of the public interface, for unit tests */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include <stdbool.h>
#include <string.h>

#include "libprof/read.h"

/* Whether a call failed with that code, and a text that has the reason. */
static inline bool
failed(const struct prof *p, int status, enum prof_code code,
    const char *reason)
{
	const struct prof_problem *e = prof_error(p);

	return status != 0 && e != NULL && prof_problem_code(e) == code &&
	    strstr(prof_problem_text(e), reason) != NULL;
}

#endif
