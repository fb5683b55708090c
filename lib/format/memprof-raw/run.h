/*
 * format/memprof-raw/run.h - the dumps of one run in a raw heap profile
 *
 * A program may dump its heap several times into one file.  Dumps that follow
 * each other are of one run, and make one profile, if they have the same
 * segments, and the same addresses in stacks with the same id.
 */
#ifndef FORMAT_MEMPROF_RAW_RUN_H
#define FORMAT_MEMPROF_RAW_RUN_H

#include "format/codec.h"
#include "format/memprof-raw/dump.h"
#include "format/memprof-raw/sums.h"

/* All zero is empty. */
struct mraw_run {
	struct prof_context *context;	/* for warnings, or NULL */
	struct mraw_dump first;
	size_t dumps;
	size_t end;			/* offset after the last dump */
	/*
	 * By id: the offset of a stack's first entry, a multiple of 8, plus
	 * RUN_STACK_USED if the stack has a memory info block.
	 */
	struct id_map stacks;
	uint64_t entries;		/* stacks of all dumps */
	uint64_t repeated;		/* blocks of a stack that has one */
	uint64_t first_repeated;	/* the stack of the first of them */
	size_t used;			/* stacks that have blocks */
	bool is_summed;			/* blocks are in `sums` */
	/* One dump whose n-th block is of its n-th stack, no histograms. */
	bool is_paired;
	struct mraw_sums sums;
	uint64_t *numbers;		/* room for a histogram */
	size_t numbers_room;
};

/*
 * Reads and checks the dumps of one run from `start` on.  What the structure
 * held of another run is replaced.
 */
enum prof_status mraw_run_open(struct mraw_run *, struct prof_span file,
    size_t start, struct prof_error *);

/* Replaces a dump of the run by the next one; false after the last. */
bool mraw_run_next(const struct mraw_run *, struct mraw_dump *);

/* False if an earlier entry than the one at this offset has the same id. */
bool mraw_run_is_first(const struct mraw_run *, size_t at, uint64_t id);

/*
 * The histogram of a block, valid until the next call; NULL if it has none, or
 * with *ok false if out of memory.
 */
const uint64_t *mraw_run_histogram(struct mraw_run *,
    const struct mraw_dump *, const struct mraw_block *, bool *ok);

void mraw_run_free(struct mraw_run *);

#endif
