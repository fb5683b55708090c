/* format/memprof/build_data.h - a part of memprof_build: what is known of data symbols */
#ifndef FORMAT_MEMPROF_BUILD_DATA_H
#define FORMAT_MEMPROF_BUILD_DATA_H

#include "base/intern_list.h"
#include "format/memprof/build.h"

/*
 * All zero is empty.  A symbol stands there once, without what the compiler
 * appended, as LLVM looks for it.
 */
struct memprof_data {
	struct prof_data_access *accesses;
	struct prof_location **locations;	/* theirs, that grow */
	size_t *locations_room;
	struct prof_data *cold;
	size_t accesses_room, pointers_room, rooms_room, cold_room;
	struct list_pool keys;		/* of accesses, in the same order */
	struct list_pool cold_keys;
	struct list_pool places;		/* access, file and line */
	struct arena arena;
};

enum prof_status memprof_data_put(struct memprof_data *,
    const struct prof_data_access *, struct prof_error *);
enum prof_status memprof_data_put_cold(struct memprof_data *,
    const struct prof_data *, struct prof_error *);
void memprof_data_yield(const struct memprof_data *, struct memprof_built *);
void memprof_data_free(struct memprof_data *);

#endif
