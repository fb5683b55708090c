/*
 * format/lprf/file.h - a file of version 2 that is being made, block by block
 */
#ifndef FORMAT_LPRF_FILE_H
#define FORMAT_LPRF_FILE_H

#include "format/lprf/index.h"
#include "format/lprf/v2.h"

/* All zero, but for the packer, is a file that has not begun. */
struct lprf2_file {
	struct lprf2_packer *packer;	/* owned; NULL: blocks are plain */
	struct buf out;			/* the caller takes what is in it */
	uint64_t taken;			/* bytes that were taken before */
	struct lprf2_trailer trailer;
	struct lprf2_index index;
	uint64_t memory;		/* that the blocks take in a reader */
	/* Of the last block of functions; kind is 0 if there is none. */
	enum lprf2_kind last_kind;
	struct prof_symbol last;	/* its last function */
	struct buf last_name;
	/* Of the block that has begun. */
	struct lprf2_entry begun;
	struct buf separator;
};

void lprf2_file_begin(struct lprf2_file *);

/*
 * Whether the block that begins now is to be plain, so that a reader takes no
 * more memory than it may.
 */
bool lprf2_file_is_full(const struct lprf2_file *);

/*
 * A block begins with that function, or is one of records if first is NULL;
 * once it is made, it is put, and `last` was its last function, or NULL.  False
 * if out of memory.
 */
bool lprf2_file_begin_block(struct lprf2_file *, enum lprf2_kind,
    const struct prof_symbol *first);
enum prof_status lprf2_file_put_block(struct lprf2_file *,
    struct lprf2_building *, const struct prof_symbol *last,
    struct prof_error *);

/* Puts what is left of the index, and the trailer. */
enum prof_status lprf2_file_end(struct lprf2_file *, struct prof_error *);
void lprf2_file_free(struct lprf2_file *);

#endif
