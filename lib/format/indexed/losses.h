/*
 * format/indexed/losses.h - parts of a profile that a version cannot hold
 *
 * The writer counts them as records are put, and warns of each kind once when
 * the file is finished.
 */
#ifndef FORMAT_INDEXED_LOSSES_H
#define FORMAT_INDEXED_LOSSES_H

#include "format/codec.h"
#include "format/indexed/image.h"
#include "format/indexed/layout.h"

enum indexed_loss {
	/* Counted in functions. */
	LOST_VALUES, LOST_VTABLE_TARGETS, LOST_BITMAPS, LOST_UNIFORM,
	/* Counted in items of the kind. */
	LOST_SITE_TAILS, LOST_IDS, LOST_EMPTY_IDS, LOST_VTABLES,
	LOST_NAMELESS_VTABLES, LOST_TRACES, LOST_SAMPLED, LOST_TRACE_TAILS,
	LOST_OTHERS,
	/* Not lost, but refused by a reader; counted in functions. */
	REFUSED_VTABLES,
	INDEXED_LOSSES
};

struct indexed_losses {
	uint64_t count[INDEXED_LOSSES];
};

/* Counts the parts of a function that the version cannot hold. */
void indexed_losses_count(struct indexed_losses *, const struct indexed_row *,
    const struct prof_function *);

/* Warns of the losses, and of members of the header that are lost. */
void indexed_losses_warn(const struct indexed_losses *,
    const struct indexed_row *, const struct prof_header *,
    struct prof_context *);

/* Warns of variant bits that are ignored by the reader. */
void indexed_warn_of_bits(const struct indexed_image *,
    struct prof_context *);

#endif
