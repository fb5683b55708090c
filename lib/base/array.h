/* base/array.h - arrays that grow */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The array is at *array: see ARRAY_RESERVE. */
static inline bool
array_reserve(void *array, size_t used, size_t more, size_t *room, size_t size)
{
	size_t wanted = *room == 0 ? 64 : *room, most = SIZE_MAX / 2 / size;
	void *old, *new;

	if (used <= *room && more <= *room - used)
		return true;
	if (used > most || more > most - used)
		return false;
	while (wanted - used < more)
		wanted *= 2;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, wanted * size);
	if (new == NULL)
		return false;
	memcpy(array, &new, sizeof(new));
	*room = wanted;
	return true;
}

/*
 * Makes room for `more` items behind the `used` ones, which have room: an array
 * that is too small moves, and its room doubles as often as it takes.  False if
 * out of memory, and the array is still valid then.  The array and the room are
 * names of variables or members.
 */
#define ARRAY_RESERVE(array, used, more, room) \
	array_reserve(&(array), (used), (more), &(room), sizeof(*(array)))

/* Makes room for one more item. */
#define ARRAY_ROOM(array, used, room)	ARRAY_RESERVE(array, used, 1, room)

/*
 * Appends a value, which is not evaluated if there is no room for it.  A value
 * that names the size gets the old one.
 */
#define ARRAY_ADD(array, size, room, ...) \
	(ARRAY_ROOM(array, size, room) && \
	    ((array)[size] = __VA_ARGS__, (size)++, true))

#endif
