/* The allocator of a thread, while it is in a call of the public interface. */
#include "libprof/allocator.h"

static _Thread_local const struct allocator *allocator_used;

const struct allocator *
allocator_enter(const struct allocator *a)
{
	const struct allocator *before = allocator_used;

	allocator_used = a->call == NULL ? NULL : a;
	return before;
}

void
allocator_leave(const struct allocator *const *before)
{
	allocator_used = *before;
}

const struct allocator *
allocator_now(void)
{
	return allocator_used;
}
