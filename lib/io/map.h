/*
 * map.h - files that are looked at in place
 *
 * A file may become shorter while it is mapped, or its disk may fail.  Where
 * bytes are missing then, zeros are read, and the mapping says that it is not
 * whole: a signal handler sees to that, for any thread that does not block
 * SIGBUS.
 */
#ifndef IO_MAP_H
#define IO_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "prof.h"

struct map;

/* The first bytes of a file, at least one.  NULL if that cannot be done. */
struct map *map_file(int fd, size_t size);

const void *map_bytes(const struct map *);

/* Whether all bytes that were looked at were those of the file. */
bool map_is_whole(const struct map *);

/*
 * Lets go of the pages of some bytes, of any mapping, until they are looked at
 * again: then they are still in the system's memory, mostly.  Bytes that are in
 * no mapping are left alone.
 */
void map_release(void *unused, struct prof_span);

void map_free(struct map *);		/* NULL is fine */

#endif
