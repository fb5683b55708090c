/*
 * symbolize.h - heap profiles: addresses to frames, as llvm-profdata does it
 *
 * Records go through one by one; stacks with addresses get frames, those of
 * LLVM's runtime leave them.  What could not be symbolized stays as an address
 * with an empty frame, or goes if drop is set.
 */
#ifndef SYM_SYMBOLIZE_H
#define SYM_SYMBOLIZE_H

#include "sym/addresses.h"

struct symbolize;

struct symbolize_options {
	/* All is lent until symbolize_free. */
	struct binary *const *binaries;
	size_t binary_count;
	struct module_map *maps;
	size_t map_count;
	/* For modules that none of the binaries is of; NULL: not at all. */
	const struct binary_search *search;
	/*
	 * As LLVM: addresses without function leave their stacks, empty stacks
	 * go with their allocations.
	 */
	bool drop;
	addresses_load *load;		/* or NULL */
	addresses_rename *rename;	/* or NULL */
	void *arg;			/* of both */
	prof_warn *warn;		/* or NULL */
	void *warn_arg;
};

/* NULL if out of memory. */
struct symbolize *symbolize_new(const struct symbolize_options *,
    struct prof_error *);

/*
 * Gives a record in return, valid until the next call, or PROF_END if it is
 * left out.  At the end of a profile PROF_E_MISMATCH if drop has left no stack.
 */
enum prof_status symbolize_record(struct symbolize *,
    const struct prof_record *in, struct prof_record *out,
    struct prof_error *);

/*
 * After the last record: warnings of what could not be symbolized.
 * PROF_E_MISMATCH if there were addresses and no binary belongs to any of them.
 */
enum prof_status symbolize_finish(struct symbolize *, struct prof_error *);

/* After that, once: hands over what the caches of modules shall hold. */
enum prof_status symbolize_save(struct symbolize *, addresses_save *,
    void *arg, struct prof_error *);

void symbolize_free(struct symbolize *);	/* NULL is fine */

#endif
