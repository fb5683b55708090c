/*
 * sym/addresses.h - the addresses of a run, each symbolized once
 *
 * Frames come from caches on disk, which the caller loads and saves, or from
 * debug information (sym/modules.h).
 */
#ifndef SYM_ADDRESSES_H
#define SYM_ADDRESSES_H

#include "base/bytes.h"
#include "sym/modules.h"

/* An address of a module. */
struct address {
	size_t module;
	uint64_t address;
	const struct prof_frame *frames;	/* names as in the binary */
	size_t count;			/* of frames; 0: in no function */
	const struct prof_frame *shown;	/* names for the output */
	size_t shown_count;	/* as count; 0 if lines_only leaves them out */
	uint64_t name_bytes;		/* names and paths of both, for sums */
	bool known;			/* there was debug information */
	bool requested;			/* by addresses_find */
	bool runtime;			/* memprof_is_runtime: left out */
};

/*
 * Gives the bytes of a build id's cache, which must stay until addresses_free;
 * data is NULL if there is none.
 */
typedef struct prof_span addresses_load(void *arg, struct prof_span build_id);

/* Stores the bytes of a build id's cache. */
typedef void addresses_save(void *arg, struct prof_span build_id,
    const struct buf *);

/* Gives the name to show for a linkage name; data is NULL: the same. */
typedef struct prof_span addresses_rename(void *arg, struct prof_span);

/* How many addresses, and what their frames take: for limits. */
struct frame_sums {
	uint64_t addresses, frames, name_bytes;
};

struct addresses {
	struct modules *modules;	/* borrowed */
	addresses_load *load;		/* or NULL */
	addresses_rename *rename;	/* or NULL */
	void *arg;
	bool lines_only;		/* frames of symbols are not shown */

	struct address *items;
	size_t size, room;
	struct id_map nowhere;		/* addresses of no module: number + 1 */
	size_t loaded;			/* modules whose cache was loaded */
	struct frame_sums sums;		/* of items */
	uint64_t source_bytes;		/* of binaries and caches with frames */
	uint64_t frame_bytes;		/* that frames of theirs take */
	struct arena arena;
};

/*
 * Symbolizes an address of a module, or of NO_MODULE.  *out is valid until the
 * next call.  PROF_FAIL if out of memory, or with PROF_E_LIMIT as below.
 */
enum prof_status addresses_find(struct addresses *, size_t module,
    uint64_t address, const struct address **out, struct prof_error *);

/*
 * Counts frames of the last address.  PROF_E_LIMIT if addresses have too many
 * on average, or names that are too long.
 */
enum prof_status frame_sums_add(struct frame_sums *, size_t frames,
    uint64_t name_bytes, struct prof_error *);

/*
 * Passes the caches of modules with new addresses to save, unless their debug
 * information is damaged or incomplete.  Ends the use of addresses_find.
 */
enum prof_status addresses_save_all(struct addresses *, addresses_save *,
    void *arg, struct prof_error *);

void addresses_free(struct addresses *);

#endif
