/*
 * sym/modules.h - programs and shared libraries of profiles, and their binaries
 *
 * A module is identified by its build id.  A mapping without build id belongs
 * to the first binary with code of the same place and size; if there is none,
 * it is in no module.
 */
#ifndef SYM_MODULES_H
#define SYM_MODULES_H

#include "sym/sym.h"

#define NO_MODULE SIZE_MAX

/* The user's word that the mapping at an address is of a binary. */
struct module_map {
	uint64_t start;
	size_t binary;			/* index */
	bool used;
};

struct module {
	struct prof_span build_id;	/* empty if it has none */
	size_t binary;			/* index, or NO_MODULE */
	struct binary *found;		/* by build id; owned, or NULL */
	struct frames *frames;		/* NULL: not opened, or none */
	struct binary *source;		/* of the frames; borrowed */
	bool counted;			/* by addresses.c, with its size */
	bool opened;			/* frames were searched for */
	struct symbols symbols;
	bool symbols_read;
	bool changed;			/* has addresses not in its cache */
	uint64_t unknown;		/* addresses without debug info */
	struct id_map addresses;	/* see addresses.h: number + 1 */
};

struct modules {
	struct binary *const *binaries;		/* borrowed */
	bool *used;				/* by a module, of each */
	size_t *without_id;	/* module of each without build id */
	size_t binary_count;
	struct module_map *maps;		/* borrowed */
	size_t map_count;
	const struct binary_search *search;	/* borrowed */
	prof_warn *warn;
	void *warn_arg;

	struct module *items;
	size_t size, room;
	struct id_map by_id;		/* digest of build id: number + 1 */
	struct arena arena;
};

/*
 * Begins, with the members up to warn_arg set and the others zero.  PROF_FAIL
 * only if out of memory.
 */
enum prof_status modules_start(struct modules *, struct prof_error *);

/* Where a mapping is. */
struct module_place {
	size_t module;			/* index, or NO_MODULE */
	uint64_t delta;	/* added to an address, modulo 2^64: as linked */
};

/*
 * Finds the module of a mapping.  PROF_E_MISMATCH if a module_map contradicts
 * the build id or the binary.
 */
enum prof_status modules_of(struct modules *, const struct prof_segment *,
    struct module_place *, struct prof_error *);

/*
 * Gives the frames of an address of a module, in the arena: those of the debug
 * information, or else one of the symbol tables.  PROF_FAIL only if out of
 * memory, or if a binary became shorter meanwhile.
 */
enum prof_status modules_find(struct modules *, size_t module,
    uint64_t address, struct frame_list *, struct prof_error *);

/* Whether no debug information is known to be missing or damaged. */
bool modules_is_whole(const struct module *);

/* Warns of damaged debug information; to be called once, at the end. */
void modules_warn_damage(const struct modules *);

void modules_warn(const struct modules *, enum prof_code, const char *, ...)
    __attribute__((format(printf, 3, 4)));

/* A build id as hex, truncated after 20 bytes; "none" if it is empty. */
#define ID_TEXT_SIZE 45
const char *module_id_text(char text[ID_TEXT_SIZE], struct prof_span build_id);

void modules_free(struct modules *);

#endif
