/*
 * format/memprof-raw/writer.h - the state of a writer of raw heap profiles
 *
 * write.c adds records and puts them into sections, addresses.c assigns
 * addresses to modules that have none.
 */
#ifndef FORMAT_MEMPROF_RAW_WRITER_H
#define FORMAT_MEMPROF_RAW_WRITER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/id_map.h"
#include "format/codec.h"
#include "format/memprof-raw/layout.h"

struct mraw_out_segment {
	struct prof_segment segment;	/* the build id is a copy */
	/* Without a range: the largest offset into the module that is used. */
	uint64_t used;
};

/* A PC in a module without a range: an offset until addresses are assigned. */
struct mraw_fixup {
	uint64_t at;			/* in the bytes of the stacks */
	size_t segment;			/* index */
};

struct mraw_writer {
	struct prof_writer base;
	const struct mraw_row *row;
	bool big, began;
	/* Of the profile that is being put. */
	bool is_sum;			/* of several runs */
	struct arena arena;
	struct mraw_out_segment *segments;
	size_t segment_count, segment_room;
	struct id_map segment_index;	/* id to index + 1 */
	struct id_map stack_ids;	/* id to the place in stacks */
	struct buf blocks, stacks;	/* entries */
	uint64_t block_count, stack_count;
	struct mraw_fixup *fixups;	/* in ascending order of `at` */
	size_t fixup_count, fixup_room;
	uint64_t *outside;		/* absolute PCs, of a sum */
	size_t outside_count, outside_room;
	/* Numbers of things left out or changed, for one warning each. */
	uint64_t frames, histograms, sizes, rounded, unknown, shared, inside,
	    others;
	bool salvaged;
};

static inline void
mraw_store_u64(uint8_t *p, uint64_t v, bool big)
{
	store_u64le(p, big ? __builtin_bswap64(v) : v);
}

/*
 * Gives each segment without a range one that no other address is in, and moves
 * its PCs there.  PROF_E_UNSUPPORTED if there is no room.
 */
enum prof_status mraw_assign_addresses(struct mraw_writer *,
    struct prof_error *);

#endif
