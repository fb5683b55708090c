/* model/mib_merge.h - two memory info blocks of one context to one */
#ifndef MODEL_MIB_MERGE_H
#define MODEL_MIB_MERGE_H

#include "prof.h"

/*
 * Adds b, which is the later one, to a (MemInfoBlock::Merge in MemProfData.inc,
 * LLVM 16 to 22), but saturating: false if a field did.  What only one of them
 * knows is unknown then.  Histograms are the caller's: a's stays as it is.
 */
bool mib_merge(struct prof_mib *a, const struct prof_mib *b);

#endif
