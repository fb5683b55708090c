/*
 * format/memprof/ids.h - the ids that LLVM gives to frames and call stacks
 *
 * Indexed heap profiles of versions 0 to 2 look frames and stacks up by them,
 * those of 3 and 4 are only ordered by them (MemProf.h and MemProf.cpp).
 */
#ifndef FORMAT_MEMPROF_IDS_H
#define FORMAT_MEMPROF_IDS_H

#include "prof.h"

/* A frame as all indexed versions have it. */
struct memprof_frame {
	uint64_t guid;
	uint32_t line_offset, column;
	bool is_inline;
};

/* Bytes of a frame in a file, and of one that is hashed. */
enum { MEMPROF_FRAME_SIZE = 17 };
void memprof_frame_bytes(const struct memprof_frame *,
    uint8_t bytes[MEMPROF_FRAME_SIZE]);

/* LLVM 20 to 22, and the sum that LLVM 15 to 19 had, which collides. */
uint64_t memprof_frame_id(const struct memprof_frame *);
uint64_t memprof_frame_id_llvm15(const struct memprof_frame *);

/* Of a stack, from the ids of its frames as they are in the file. */
uint64_t memprof_stack_id(const uint8_t *frame_ids_le, size_t count);

#endif
