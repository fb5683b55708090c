/*
 * model/memprof_guid.h - names and guids of functions in heap profiles, and the
 * frames that heap profiles leave out
 */
#ifndef MODEL_MEMPROF_GUID_H
#define MODEL_MEMPROF_GUID_H

#include "prof.h"

/*
 * The name without the suffix that the compiler appended: ".llvm." or ".part."
 * and one more word (sampleprof::FunctionSamples::getCanonicalFnName with the
 * suffixes of MemProf.cpp, LLVM 15 to 22).  ".__uniq.N" stays.
 */
struct prof_span memprof_canonical_name(struct prof_span linkage_name);

/* The guid of the canonical name. */
uint64_t memprof_guid(struct prof_span linkage_name);

/*
 * The name of a function of a frame for LLVM: if there is none, LLVM hashes
 * what its symbolizer prints (DILineInfo::BadString, LLVM 15 to 22).
 */
struct prof_span memprof_frame_name(struct prof_span linkage_name);

/*
 * The name of a data symbol up to its first dot, or up to the first dot after
 * ".__uniq.N" if it has that (InstrProfSymtab::getCanonicalName, LLVM 21, 22).
 */
struct prof_span memprof_data_name(struct prof_span symbol);

/*
 * Whether the frame has a place in its function: a line, a line offset or a
 * column.  Frames of debug information always have one; frames of symbol tables
 * never do, and a compiler cannot match them with a call.
 */
static inline bool
memprof_has_place(const struct prof_frame *f)
{
	return (f->flags & (PROF_FRAME_LINE | PROF_FRAME_LINE_OFFSET |
	    PROF_FRAME_COLUMN)) != 0;
}

/*
 * Whether the frame is in a source file of LLVM's heap profiling runtime, whose
 * frames LLVM leaves out (MemProfReader.cpp, isRuntimePath); or, if it has no
 * place, in a function that the runtime defines to record allocations (LLVM 13
 * to 22: memprof_malloc_linux.cpp, memprof_new_delete.cpp,
 * memprof_interceptors.cpp).
 */
bool memprof_is_runtime(const struct prof_frame *);

#endif
