/*
 * format/lprf/reuse.h - what a reader leaves to the next one of its context
 *
 * A context has at most one: readers that are open at the same time have their
 * own.
 */
#ifndef FORMAT_LPRF_REUSE_H
#define FORMAT_LPRF_REUSE_H

#include "format/lprf/v2.h"

struct lprf2_reuse {
	struct lprf2_packer *packer;	/* NULL until it is needed */
	/*
	 * The first block of a file that was read, as it was stored, and its
	 * records: files of one program begin alike.
	 */
	struct buf head;
	uint32_t raw;			/* bytes of it once inflated */
	struct arena arena;		/* of the records */
	struct prof_record *records;
	size_t size, wanted;		/* of them; known if they are equal */
};

/* That of the context, if there is one, or a new one; NULL if out of memory. */
struct lprf2_reuse *lprf2_reuse_take(struct prof_context *);

/* Leaves it to the context, or frees it; NULL is fine. */
void lprf2_reuse_leave(struct prof_context *, struct lprf2_reuse *);
void lprf2_reuse_free(struct lprf2_reuse *);	/* NULL is fine */

/* Whether the first block of a file is the one whose records are known. */
bool lprf2_reuse_has(const struct lprf2_reuse *, const struct lprf2_block *);

/*
 * The first block begins, of which each record is noted when it was read.  No
 * records are known of large blocks, of some kinds of records, or if memory is
 * lacking.
 */
void lprf2_reuse_begin(struct lprf2_reuse *, const struct lprf2_block *);
void lprf2_reuse_note(struct lprf2_reuse *, const struct prof_record *);

#endif
