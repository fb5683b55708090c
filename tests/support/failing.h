/*
 * tests/support/failing.h - calls that fail one by one
 *
 * A test that is linked with FAILING_LDFLAGS (Makefile.am) has wrappers around
 * calls that may fail: allocations, also those from an arena that has room
 * left, the constructors of other libraries, and system calls on files.  Only
 * calls of the library and of the test are wrapped, none of libc or of another
 * library.
 */
#ifndef FAILING_H
#define FAILING_H

#include <stdbool.h>

/* Which calls count, and may fail. */
enum failing_kind { FAILING_MEMORY, FAILING_SYSTEM };

struct failing {
	enum failing_kind kind;
	unsigned long number;	/* the call that fails, from 1; 0: none */
	bool from_there;	/* all calls behind it fail too */
	int error;		/* errno of system calls */
	bool partial;		/* no call fails: read, pread and write
				   transfer at most 3 bytes */
};

/* From here on calls are counted, and fail as *how has it. */
void failing_begin(const struct failing *how);

/*
 * Loads the libraries of this build that lib/ loads, and wraps their
 * constructors: the first call of a test that reads archives, zstd files or
 * YAML.
 */
void failing_wrap_libraries(void);

/* Counts a call of the test itself: whether it is to fail, with errno set. */
bool failing_now(enum failing_kind);

/* No call fails from here on.  Returns the calls counted. */
unsigned long failing_end(void);

#endif
