/* model/memprof_guid.h - how heap profiles name functions, and which they leave out */
#ifndef MODEL_MEMPROF_GUID_H
#define MODEL_MEMPROF_GUID_H

#include "prof.h"

/*
 * The name without what the compiler appended to it: ".llvm." or ".part." and
 * the one word behind (sampleprof::FunctionSamples::getCanonicalFnName with the
 * suffixes of MemProf.cpp, LLVM 15 to 22).  ".__uniq." stays.
 */
struct prof_span memprof_canonical_name(struct prof_span linkage_name);

/* The guid of the canonical name. */
uint64_t memprof_guid(struct prof_span linkage_name);

/*
 * The same for symbols of data: up to the first dot, but ".__uniq.N" stays
 * (InstrProfSymtab::getCanonicalName, LLVM 21 and 22).
 */
struct prof_span memprof_data_name(struct prof_span symbol);

/*
 * Whether the frame is in a file of LLVM's runtime, whose frames no profile has
 * (RawMemProfReader, isRuntimePath).
 */
bool memprof_is_runtime(const struct prof_frame *);

#endif
