/*
 * model/memprof/data.h - the builder's part for data symbols: accesses to them,
 * and the symbols known to be cold
 */
#ifndef MODEL_MEMPROF_DATA_H
#define MODEL_MEMPROF_DATA_H

#include "base/list_pool.h"
#include "model/memprof/build.h"

/*
 * All zero is empty.  Each symbol stands there once, without the suffixes that
 * the compiler appended, as LLVM looks symbols up.
 */
struct memprof_data {
	struct prof_data_access *accesses;
	struct prof_location **locations;	/* of each access */
	size_t *locations_room;
	struct prof_data *cold;
	size_t accesses_room, pointers_room, rooms_room, cold_room;
	struct list_pool keys;		/* of accesses, in the same order */
	struct list_pool cold_keys;	/* of cold, in the same order */
	struct list_pool places;	/* access, guid of the file, line */
	uint64_t saturated;		/* sums at the largest number */
	struct arena arena;
};

enum prof_status memprof_data_put(struct memprof_data *,
    const struct prof_data_access *, struct prof_error *);
enum prof_status memprof_data_put_cold(struct memprof_data *,
    const struct prof_data *, struct prof_error *);

/*
 * Sets accesses, and the cold symbols that have none; sorted, or in the order
 * in which they came.  Both stay owned by the data, to which nothing can be
 * added any more.
 */
void memprof_data_result(struct memprof_data *, bool sorted,
    struct memprof_built *);
void memprof_data_free(struct memprof_data *);

#endif
