/* base/array.h - arrays that grow one item at a time */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Makes room for one item of `size` bytes behind the `used` ones.  Returns the
 * array, moved and *room doubled if it was full; NULL if out of memory, and the
 * array is still valid then.
 */
static inline void *
array_room(void *array, size_t used, size_t *room, size_t size)
{
	size_t more = *room == 0 ? 64 : *room * 2;
	void *p;

	if (used < *room)
		return array;
	if (more > SIZE_MAX / size || (p = realloc(array, more * size)) == NULL)
		return NULL;
	*room = more;
	return p;
}

#endif
