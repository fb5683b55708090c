/*
 * libprof/allocator.h - whose memory a call of the public interface uses
 *
 * Code of lib/ calls malloc(3) and its kin.  In the installed library the
 * linker gives these calls to malloc.c, which asks the allocator of the call
 * that the thread is in.
 */
#ifndef LIBPROF_ALLOCATOR_H
#define LIBPROF_ALLOCATOR_H

#include "libprof/read.h"

struct allocator {
	prof_allocator *call;		/* NULL: malloc(3) */
	void *arg;
};

/* Returns the allocator that the thread used before, for allocator_leave. */
const struct allocator *allocator_enter(const struct allocator *);
void allocator_leave(const struct allocator *const *before);

/* The allocator of the thread; NULL is malloc(3). */
const struct allocator *allocator_now(void);

/*
 * Until the function returns, the thread uses that allocator.  The first
 * statement of each public function that may allocate or free.  A callback may
 * call functions with other handles: the allocator before is restored.
 */
#define USE_ALLOCATOR(used) \
	__attribute__((cleanup(allocator_leave), unused)) \
	const struct allocator *allocator_before = allocator_enter(used)

#endif
