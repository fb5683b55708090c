/* addresses.h - the addresses of a run, of which each is looked up once */
#ifndef SYM_ADDRESSES_H
#define SYM_ADDRESSES_H

#include "base/bytes.h"
#include "sym/modules.h"

/* An address of a module. */
struct address {
	size_t module;
	uint64_t address;
	const struct prof_frame *frames;	/* as in the binary */
	const struct prof_frame *shown;		/* with the names for output */
	size_t count;
	bool known;			/* debug information has told */
	bool asked;			/* not only in the cache */
	bool runtime;			/* LLVM's own, which stacks leave out */
};

/* The cached frames of a build id; data is NULL if there are none. */
typedef struct prof_span addresses_load(void *arg, struct prof_span build_id);

/* The bytes of a cache that are to be kept. */
typedef void addresses_save(void *arg, struct prof_span build_id,
    const struct buf *);

/* The name to be shown for a linkage name; data is NULL: itself. */
typedef struct prof_span addresses_rename(void *arg, struct prof_span);

struct addresses {
	struct modules *modules;	/* lent */
	addresses_load *load;		/* or NULL */
	addresses_rename *rename;	/* or NULL */
	void *arg;

	struct address *items;
	size_t size, room;
	struct id_map nowhere;		/* addresses of no module */
	size_t loaded;			/* modules whose cache was read */
	struct arena arena;
};

/* *out is valid until the next call. */
enum prof_status addresses_find(struct addresses *, size_t module,
    uint64_t address, const struct address **out, struct prof_error *);

/* Hands over the caches of modules of which more is known than before. */
enum prof_status addresses_save_all(struct addresses *, addresses_save *,
    void *arg, struct prof_error *);

void addresses_free(struct addresses *);

#endif
