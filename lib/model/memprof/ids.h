/*
 * model/memprof/ids.h - the ids that LLVM gives to frames and call stacks
 *
 * Sections of versions 0 to 2 refer to frames and stacks by these ids; versions
 * 3 and 4 only sort frames by them (MemProf.h and MemProf.cpp).
 */
#ifndef MODEL_MEMPROF_IDS_H
#define MODEL_MEMPROF_IDS_H

#include "base/bytes.h"
#include "prof.h"

/* A frame as all versions of the section store it. */
struct memprof_frame {
	uint64_t guid;			/* of the function */
	uint32_t line_offset, column;
	bool is_inline;
};

/* Size in bytes of a frame in a file, which is also the form that is hashed. */
enum { MEMPROF_FRAME_SIZE = 17 };
void memprof_frame_bytes(const struct memprof_frame *,
    uint8_t bytes[MEMPROF_FRAME_SIZE]);

/* BLAKE3, as LLVM 20 to 22; and the sum of LLVM 15 to 19, which collides. */
uint64_t memprof_frame_id(const struct memprof_frame *);
uint64_t memprof_frame_id_llvm15(const struct memprof_frame *);

/* memprof_frame_id of n frames in the form of a file, end to end. */
void memprof_frame_ids(const uint8_t *, size_t n, uint64_t *ids);

/*
 * The id of a stack, from a buffer of the ids of its frames as u64,
 * little-endian; 0 if the buffer has failed.
 */
uint64_t memprof_stack_id(const struct buf *frame_ids);

#endif
