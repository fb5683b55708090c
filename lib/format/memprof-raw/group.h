/*
 * format/memprof-raw/group.h - the dumps of a raw heap profile that make one profile
 *
 * A program may dump its heap several times into one file.  Dumps that follow
 * each other are one profile if they have the same segments, and the same
 * addresses in stacks of the same id, as those of one run do.
 */
#ifndef FORMAT_MEMPROF_RAW_GROUP_H
#define FORMAT_MEMPROF_RAW_GROUP_H

#include "format/codec.h"
#include "format/memprof-raw/dump.h"
#include "format/memprof-raw/fold.h"

/* All zero is empty. */
struct mraw_group {
	struct prof_context *context;	/* for warnings, or NULL */
	struct mraw_dump first;
	size_t dumps, end;		/* end: offset of what is behind them */
	/*
	 * By id, the offset of a stack's first entry, which is a multiple of 8,
	 * plus 1 if it has a memory info block.
	 */
	struct id_map stacks;
	uint64_t entries, repeated, first_repeated;
	size_t used;			/* stacks that have blocks */
	bool is_folded;			/* else the blocks are as they stand */
	/* One dump; the n-th block is of the n-th stack, without histogram. */
	bool is_paired;
	struct mraw_fold fold;
	uint64_t *numbers;		/* room for a histogram */
	size_t numbers_room;
};

/*
 * Reads and checks the dumps from `start` on that make one profile, in place of
 * those before.
 */
enum prof_status mraw_group_open(struct mraw_group *, struct prof_span file,
    size_t start, struct prof_error *);

/* The dump behind one of the group; false if it was the last. */
bool mraw_group_next(const struct mraw_group *, struct mraw_dump *);

/* False if a stack of the same id was there before. */
bool mraw_group_is_first(const struct mraw_group *, size_t at, uint64_t id);

/* A block's histogram, or NULL with *ok false if out of memory. */
const uint64_t *mraw_group_histogram(struct mraw_group *,
    const struct mraw_dump *, const struct mraw_block *, bool *ok);

void mraw_group_free(struct mraw_group *);

#endif
