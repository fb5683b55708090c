/*
 * map.h - files mapped into memory
 *
 * A file may be truncated while it is mapped, or its disk may fail.  A handler
 * of SIGBUS then replaces the missing pages by zeros and marks the mapping as
 * not whole.  Threads that read mappings must not block SIGBUS.
 */
#ifndef IO_MAP_H
#define IO_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "prof.h"

struct map;

/* Maps the first `size` bytes of a file, at least one.  NULL on failure. */
struct map *map_file(int fd, size_t size);

/*
 * The same without a handler, for processes that are not ours: one that reads
 * missing bytes ends.
 */
struct map *map_file_bare(int fd, size_t size);

/*
 * Installs the handler, as map_file does, for map_watch.  To be called by
 * programs, before there are threads.
 */
void map_handle_errors(void);

/*
 * Handles missing bytes of a mapping of others, which map_free then leaves to
 * them.  NULL if the handler was not installed, and if there are too many.
 */
struct map *map_watch(const void *, size_t size);

const void *map_bytes(const struct map *);

/* False if some bytes that were read were missing in the file. */
bool map_is_whole(const struct map *);

/*
 * Releases the pages of some bytes of this mapping.  When they are read again,
 * the page cache mostly still has them.  Does nothing for bytes that are not
 * all in the mapping, and for a mapping of others.
 */
void map_release(const struct map *, struct prof_span);

void map_free(struct map *);		/* NULL is fine */

#endif
