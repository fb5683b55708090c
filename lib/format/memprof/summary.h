/* format/memprof/summary.h - figures of a heap profile, as LLVM has them */
#ifndef FORMAT_MEMPROF_SUMMARY_H
#define FORMAT_MEMPROF_SUMMARY_H

#include "format/memprof/build.h"
#include "format/memprof/layout.h"

/* Adds the info of a stack; nothing is hot. */
void memprof_summary_add(uint64_t out[MEMPROF_SUMMARY_FIELDS],
    const struct prof_mib *);

/*
 * By enum memprof_summary_field.  Each stack counts once, with the first info
 * it has (MemProfSummaryBuilder.cpp, LLVM 21 and 22).  False: out of memory.
 */
bool memprof_summarize(const struct memprof_built *,
    uint64_t out[MEMPROF_SUMMARY_FIELDS]);

#endif
