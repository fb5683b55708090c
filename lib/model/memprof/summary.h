/* model/memprof/summary.h - figures of a heap profile, computed as LLVM does */
#ifndef MODEL_MEMPROF_SUMMARY_H
#define MODEL_MEMPROF_SUMMARY_H

#include "model/memprof/build.h"

/* The summary's fields, in the order of the section (MemProfSummary.h). */
enum memprof_summary_field {
	MEMPROF_CONTEXTS,
	MEMPROF_COLD_CONTEXTS,
	MEMPROF_HOT_CONTEXTS,
	MEMPROF_MAX_COLD_SIZE,
	MEMPROF_MAX_WARM_SIZE,
	MEMPROF_MAX_HOT_SIZE,
	MEMPROF_SUMMARY_FIELDS
};

/* Adds the info of a context, which counts as cold or warm, never as hot. */
void memprof_summary_add(uint64_t out[MEMPROF_SUMMARY_FIELDS],
    const struct prof_mib *);

/*
 * Computes all fields.  Each stack counts once, with its first info
 * (MemProfSummaryBuilder.cpp, LLVM 21 and 22).  False if out of memory.
 */
bool memprof_summarize(const struct memprof_built *,
    uint64_t out[MEMPROF_SUMMARY_FIELDS]);

#endif
