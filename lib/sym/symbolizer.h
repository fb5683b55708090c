/*
 * sym/symbolizer.h - binaries, and the two stages that records pass through
 *
 * Correlated counters get their functions (correlate.h), and addresses their
 * frames (symbolize.h), from the binaries that were added, files with the build
 * ids of a profile, and the shared libraries that the binaries need.
 */
#ifndef SYM_SYMBOLIZER_H
#define SYM_SYMBOLIZER_H

#include <stdbool.h>

#include "sym/correlate.h"
#include "sym/symbolize.h"
#include "sym/work.h"

/* All zero but for what the caller sets before the first record. */
struct symbolizer {
	/* Of binaries, search and maps, what was added is used. */
	struct symbolize_options options;
	struct binary_search search;
	struct module_map *maps;
	size_t map_count, map_room;

	struct binary **binaries;
	size_t size, room;
	bool needed;			/* by a record that was put */
	struct libraries libraries;
	struct work work;
	struct correlate *correlate;
	struct symbolize *symbolize;
};

/* As binary_open; the binary is closed by symbolizer_free. */
enum prof_status symbolizer_add(struct symbolizer *, const char *path,
    struct prof_error *);

/*
 * Passes a record through both stages, of the struct symbolizer `s`: emits it,
 * nothing, or several records in its place.
 */
enum prof_status symbolizer_put(void *s, const struct prof_record *,
    correlate_emit *, void *arg, struct prof_error *);

/*
 * As symbolize_finish, and warns of binaries that no record needed; nothing if
 * none was put.
 */
enum prof_status symbolizer_finish(struct symbolizer *, struct prof_error *);

/* What was added is empty afterwards; maps are the symbolizer's. */
void symbolizer_free(struct symbolizer *);

#endif
