/* model/mib_merge.h - merging two memory info blocks of one context */
#ifndef MODEL_MIB_MERGE_H
#define MODEL_MIB_MERGE_H

#include "prof.h"

/*
 * Adds block b, the later one, to a (MemInfoBlock::Merge in MemProfData.inc,
 * LLVM 16 to 22), but saturating: false if a sum did not fit its field.  Fields
 * that one of the blocks lacks are unknown in the result.  The histogram of a
 * stays as it is; merging histograms is up to the caller.
 */
bool mib_merge(struct prof_mib *a, const struct prof_mib *b);

#endif
