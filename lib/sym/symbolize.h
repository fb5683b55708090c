/*
 * sym/symbolize.h - symbolizes heap profiles as llvm-profdata does
 *
 * Records pass one by one.  Stacks with addresses get frames, and lose the
 * addresses of the heap profiler's run time.  Where debug information has no
 * function, symbol tables give a function without line, which llvm-profdata
 * does not.  An address that could not be symbolized gets an empty frame, or is
 * removed if `drop` is set (RawMemProfReader::symbolizeAndFilterStackFrames).
 */
#ifndef SYM_SYMBOLIZE_H
#define SYM_SYMBOLIZE_H

#include "sym/binary.h"

struct buf;
struct symbolize;

/* The user's word that the mapping at an address is of a binary. */
struct module_map {
	uint64_t start;
	size_t binary;			/* index */
	bool used;
};

/* Gives the name to show for a linkage name; data is NULL: the same. */
typedef struct prof_span addresses_rename(void *arg, struct prof_span);

struct symbolize_options {
	/* All is borrowed until symbolize_free. */
	struct binary *const *binaries;
	size_t binary_count;
	struct module_map *maps;
	size_t map_count;
	const struct binary_search *search;	/* of other binaries */
	/*
	 * As llvm-profdata: removes addresses that are in no function of the
	 * debug information, then empty stacks with their allocations.
	 */
	bool drop;
	addresses_rename *rename;	/* or NULL */
	void *arg;			/* of rename */
	prof_warn *warn;		/* or NULL */
	void *warn_arg;
};

/* NULL if out of memory. */
struct symbolize *symbolize_new(const struct symbolize_options *,
    struct prof_error *);

/*
 * Gives the record to write, valid until the next call, or PROF_END if it is
 * removed.  At the end of a profile, PROF_E_MISMATCH if no stack remains;
 * PROF_E_LIMIT if frames take too much work for the binaries.
 */
enum prof_status symbolize_record(struct symbolize *,
    const struct prof_record *in, struct prof_record *out,
    struct prof_error *);

/*
 * After the last record: warns of what could not be symbolized.
 * PROF_E_MISMATCH if there were addresses, none of their modules has a binary
 * that the user gave, and nothing was found for any of them: neither debug
 * information nor the symbol of an address.
 */
enum prof_status symbolize_finish(struct symbolize *, struct prof_error *);

void symbolize_free(struct symbolize *);

#endif
