/* base/array.h - arrays that grow one item at a time */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* The array is at *array: see ARRAY_ROOM. */
static inline bool
array_grow(void *array, size_t used, size_t *room, size_t size)
{
	size_t more = *room == 0 ? 64 : *room * 2;
	void *p;

	if (used < *room)
		return true;
	memcpy(&p, array, sizeof(p));
	if (more > SIZE_MAX / size || (p = realloc(p, more * size)) == NULL)
		return false;
	memcpy(array, &p, sizeof(p));
	*room = more;
	return true;
}

/*
 * Makes room for one item behind the `used` ones: if the array is full, it
 * moves and the room doubles.  False if out of memory, and the array is still
 * valid then.  The array and the room are names of variables or members.
 */
#define ARRAY_ROOM(array, used, room) \
	array_grow(&(array), (used), &(room), sizeof(*(array)))

/* Appends a value, which is not evaluated if there is no room for it. */
#define ARRAY_ADD(array, size, room, ...) \
	(ARRAY_ROOM(array, size, room) && \
	    ((array)[(size)++] = __VA_ARGS__, true))

#endif
