/*
 * format/lprf/names.h - names in order, each without the start that it shares
 * with the one before it: of functions, and of separators in the index
 */
#ifndef FORMAT_LPRF_NAMES_H
#define FORMAT_LPRF_NAMES_H

#include "base/bytes.h"

/* Appends a name behind `last`, which becomes it.  Returns what they share. */
size_t lprf2_put_suffix(struct buf *, struct buf *last, struct prof_span name);

/* Names that are read, from a cursor; all zero but for that is their start. */
struct lprf2_names {
	struct cursor in;
	size_t last;			/* bytes of the last name */
};

struct lprf2_suffix {
	size_t shared;			/* bytes of the name before it */
	struct prof_span text;
};

/* Reads the next name; NULL, or what is wrong with it. */
const char *lprf2_next_suffix(struct lprf2_names *, struct lprf2_suffix *);

/* Where a name stands among names in order, none of which is put together. */
struct lprf2_place {
	struct prof_span name;
	size_t same;			/* bytes that it shares with the last
					 * one, which is below it */
};

/*
 * Below 0 if the next name is below that of the place, 0 if it is that one, and
 * else above 0; then the names before it were below.
 */
int lprf2_place_next(struct lprf2_place *, const struct lprf2_suffix *);

#endif
