/*
 * format/indexed/losses.h - what an indexed version cannot hold
 *
 * It is counted while records come and told at the end, one warning a kind.
 */
#ifndef FORMAT_INDEXED_LOSSES_H
#define FORMAT_INDEXED_LOSSES_H

#include "format/codec.h"
#include "format/indexed/layout.h"

enum indexed_loss {
	/* By functions. */
	LOST_VALUES, LOST_VTABLE_TARGETS, LOST_BITMAPS, LOST_UNIFORM,
	/* By what they are. */
	LOST_NAMELESS, LOST_SITE_TAILS, LOST_IDS, LOST_EMPTY_IDS, LOST_VTABLES,
	LOST_NAMELESS_VTABLES, LOST_TRACES, LOST_SAMPLED, LOST_TRACE_TAILS,
	LOST_OTHERS,
	/* Not lost, but in the way of a reader: by functions. */
	REFUSED_VTABLES,
	INDEXED_LOSSES
};

struct indexed_losses {
	uint64_t count[INDEXED_LOSSES];
};

/* Counts what a function has that the version has no room for. */
void indexed_losses_count(struct indexed_losses *, const struct indexed_row *,
    const struct prof_function *);

void indexed_losses_warn(const struct indexed_losses *,
    const struct indexed_row *, const struct prof_header *,
    struct prof_context *);

#endif
