/* format/indexed/span_set.h - spans that are written sorted and once each */
#ifndef FORMAT_INDEXED_SPAN_SET_H
#define FORMAT_INDEXED_SPAN_SET_H

#include "base/arena.h"
#include "prof.h"

/* All zero is empty.  The caller frees spans. */
struct span_set {
	struct prof_span *spans;
	size_t size, room;
};

/* Adds a copy, which is in the arena. */
enum prof_status span_set_add(struct span_set *, struct arena *,
    struct prof_span, struct prof_error *);

/* Sorts the spans and removes duplicates. */
void span_set_sort(struct span_set *);

#endif
