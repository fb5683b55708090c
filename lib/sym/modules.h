/*
 * modules.h - the programs and shared libraries of profiles, and their binaries
 *
 * A module is known by its build id.  A mapping without one is that of a binary
 * whose code it can be by place and size; what is left is in no module.
 */
#ifndef SYM_MODULES_H
#define SYM_MODULES_H

#include "base/arena.h"
#include "base/id_map.h"
#include "prof.h"
#include "sym/binary.h"

#define NO_MODULE SIZE_MAX

/* Says which binary a mapping that begins at an address is of. */
struct module_map {
	uint64_t start;
	size_t binary;			/* index */
	bool used;
};

struct module {
	struct prof_span build_id;	/* empty if it has none */
	size_t binary;			/* index, or NO_MODULE */
	struct binary *found;		/* by build id; own */
	struct frames *frames;		/* NULL: not opened, or there is none */
	bool opened;
	bool changed;			/* more is known than in the cache */
	uint64_t unknown;		/* addresses that nobody knew */
	struct id_map addresses;		/* of addresses.h: number + 1 */
};

struct modules {
	struct binary *const *binaries;		/* lent */
	bool *used;				/* of each: a module has it */
	size_t binary_count;
	struct module_map *maps;		/* lent */
	size_t map_count;
	const struct binary_search *search;	/* NULL: only binaries */
	prof_warn *warn;
	void *warn_arg;

	struct module *items;
	size_t size, room;
	struct id_map by_id;		/* digest of build id: number + 1 */
	struct arena arena;
};

/* What is lent and warn are set; the rest is zero.  PROF_FAIL: memory. */
enum prof_status modules_start(struct modules *, struct prof_error *);

/*
 * The module of a mapping, or NO_MODULE.  An address of the mapping, plus
 * *delta, is one of the binary as it was linked.
 */
enum prof_status modules_of(struct modules *, const struct prof_segment *,
    size_t *module, uint64_t *delta, struct prof_error *);

/*
 * The frames of an address of a module, in the arena; *known is false if there
 * is no debug information for it.
 */
enum prof_status modules_find(struct modules *, size_t module,
    uint64_t address, const struct prof_frame **, size_t *count, bool *known,
    struct prof_error *);

/* Tells what was wrong with debug information. */
void modules_warn_damage(const struct modules *);

void modules_warn(const struct modules *, enum prof_code, const char *, ...)
    __attribute__((format(printf, 3, 4)));

/* A build id as hex, cut if it is long; "none". */
#define ID_TEXT_SIZE 45
const char *module_id_text(char text[ID_TEXT_SIZE], struct prof_span build_id);

void modules_free(struct modules *);

#endif
