/* correlate_match.h - which binary a correlated profile is of */
#ifndef SYM_CORRELATE_MATCH_H
#define SYM_CORRELATE_MATCH_H

#include "sym/binary.h"
#include "sym/correlate/table.h"

/* A binary and what was made of it last. */
struct correlate_known {
	struct binary *binary;
	bool found;			/* by us: ours to close */
	bool ready;			/* table and layout are there */
	bool warned;
	struct correlate_layout layout;
	struct correlate_table table;
};

struct correlate_matcher {
	struct correlate_known *known;
	size_t size, room;
	const struct binary_search *search;	/* or NULL */
};

/* False if out of memory.  What is given is lent. */
bool correlate_matcher_init(struct correlate_matcher *,
    struct binary *const *binaries, size_t count,
    const struct binary_search *);

/* The profile whose binary is looked for. */
struct correlate_wanted {
	const struct prof_header *header;
	const struct prof_span *ids;
	size_t id_count;
	uint64_t counts_size, bitmap_size;
	prof_warn *each;		/* of correlate_warn_each, or NULL */
	void *each_arg;
};

/* The binary, with its table; lent until the next call.  NULL on failure. */
struct correlate_known *correlate_match(struct correlate_matcher *,
    const struct correlate_wanted *, struct prof_error *);

/* The end of a binary's path, for messages; buf is ERR_NAME_SIZE. */
const char *correlate_path(char *buf, const struct binary *);

void correlate_matcher_free(struct correlate_matcher *);

#endif
