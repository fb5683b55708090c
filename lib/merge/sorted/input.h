/*
 * merge/sorted/input.h - one file of a sorted merge
 *
 * PROF_FAIL of these functions has no reason: the other merge finds it.
 */
#ifndef MERGE_SORTED_INPUT_H
#define MERGE_SORTED_INPUT_H

#include "format/lprf/blocks.h"
#include "format/lprf/lines.h"
#include "merge/core/core.h"
#include "merge/sorted/sorted.h"

struct sorted_input {
	struct merge_sorted_file file;
	struct lprf2_blocks blocks;
	struct lprf2_block block;	/* of functions, as it is stored */
	struct sorted_input *next;	/* of the list that it is in */
};

/* What inputs share. */
struct sorted_scratch {
	struct lprf2_packer *packer;	/* or NULL, until it is needed */
	struct arena shapes;		/* sections N and H, inflated */
	struct arena block;		/* another section, and what it holds */
	struct lprf2_data data;		/* of that block */
	struct lprf2_lines lines;
	bool warned;			/* a codec warned of something */
};

/*
 * Opens the blocks of input->file, and adds all records but functions to the
 * merge, in which its profile has begun and ended then.
 */
enum prof_status sorted_input_begin(struct sorted_input *,
    struct sorted_scratch *, struct merge *);

/*
 * Reads the next block of functions; PROF_END behind the last one, if index and
 * trailer are right.
 */
enum prof_status sorted_input_next(struct sorted_input *,
    struct sorted_scratch *);
void sorted_input_end(struct sorted_input *);

#endif
