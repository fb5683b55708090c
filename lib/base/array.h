/* array.h - arrays that grow one by one */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * The array with room for one more thing of `size` bytes than the `used` ones:
 * itself, or moved, *room larger.  NULL if out of memory; then the old one is
 * still there.
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
