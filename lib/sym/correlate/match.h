/* sym/correlate/match.h - finds the binary of a correlated profile */
#ifndef SYM_CORRELATE_MATCH_H
#define SYM_CORRELATE_MATCH_H

#include "sym/binary.h"
#include "sym/correlate/table.h"

/* The table of a binary for profiles of one layout. */
struct correlate_known {
	struct binary *binary;
	bool by_debug_info;		/* not by records, see match_prepare */
	bool warned;			/* see correlate_warn_once */
	struct correlate_layout layout;
	struct correlate_table table;
	struct prof_error failure;	/* why there is no table, or none */
};

/* A binary, and the tables that were made of it. */
struct correlate_binary {
	struct binary *binary;
	bool found;			/* by search: closed by matcher_free */
	bool sections_read;		/* the members below, of the file */
	struct correlate_range counters, bitmap;
	bool has_records;		/* contents of __llvm_covdata */
	struct prof_error unreadable;	/* why there are no ranges, or none */
	struct correlate_known *known;
	size_t size, room;
};

struct correlate_matcher {
	struct correlate_binary *binaries;
	size_t size, room;
	const struct binary_search *search;
};

/* Binaries and search are borrowed.  False if out of memory. */
bool correlate_matcher_init(struct correlate_matcher *,
    struct binary *const *binaries, size_t count,
    const struct binary_search *);

/* The profile whose binary is to be found. */
struct correlate_wanted {
	const struct prof_header *header;
	const struct prof_span *ids;
	size_t id_count;
	uint64_t counts_size, bitmap_size;	/* counters, bytes */
	prof_warn *each;		/* of correlate_warn_each, or NULL */
	void *each_arg;
};

/*
 * Gives the binary with its table, borrowed until the next call.  NULL with
 * PROF_E_MISMATCH if none belongs to the profile, or with the reason why its
 * binary cannot be read.
 */
struct correlate_known *correlate_match(struct correlate_matcher *,
    const struct correlate_wanted *, struct prof_error *);

/* The end of a binary's path, for messages; buf has ERR_NAME_SIZE bytes. */
const char *correlate_path(char *buf, const struct binary *);

void correlate_matcher_free(struct correlate_matcher *);

#endif
