/*
 * format/lprf/outline.h - what blocks of a file say of its index and trailer
 *
 * A reader of a whole file notes its blocks, and compares what the index and
 * the trailer have to be with what they are.
 */
#ifndef FORMAT_LPRF_OUTLINE_H
#define FORMAT_LPRF_OUTLINE_H

#include "format/lprf/index.h"
#include "format/lprf/v2.h"

/* All zero has no block. */
struct lprf2_outline {
	uint64_t memory;		/* that the blocks take */
	struct lprf2_trailer seen;
	struct lprf2_index index;
	enum lprf2_kind kind;		/* of the last one, but for INDEX */
	struct prof_function last;	/* the last one; its name is in */
	struct buf last_name;		/* last_name */
};

/* Whether all sections but N are empty. */
bool lprf2_has_names_only(const struct lprf2_block *);

/*
 * Notes a block of other kinds than INDEX: one of functions with all of these,
 * one of records with NULL.
 */
enum prof_status lprf2_outline_block(struct lprf2_outline *,
    const struct lprf2_block *, const struct prof_function *items,
    struct prof_error *);

/* Checks an inflated block of the index. */
enum prof_status lprf2_outline_index(struct lprf2_outline *,
    const struct lprf2_block *, struct prof_error *);

/* Checks the trailer, which is at that offset, behind all blocks. */
enum prof_status lprf2_outline_end(const struct lprf2_outline *,
    const struct lprf2_trailer *, uint64_t at, struct prof_error *);
void lprf2_outline_free(struct lprf2_outline *);

#endif
