#include "model/memprof/summary.h"

#include <stdlib.h>

#include "model/mib.h"

/*
 * As getAllocType in MemProfCommon.cpp, with its thresholds and in single
 * precision.  LLVM's hints for hot contexts are off by default.
 */
static bool
summary_is_cold(const struct prof_mib *m)
{
	float count = (float)m->value[PROF_MIB_ALLOC_COUNT];
	float density =
	    (float)m->value[PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY];
	float lifetime = (float)m->value[PROF_MIB_TOTAL_LIFETIME];

	/* Densities are in hundredths, lifetimes in milliseconds. */
	return m->value[PROF_MIB_ALLOC_COUNT] != 0 &&
	    density / count / 100 < 0.05F && lifetime / count >= 200 * 1000;
}

void
memprof_summary_add(uint64_t out[MEMPROF_SUMMARY_FIELDS],
    const struct prof_mib *m)
{
	bool cold = summary_is_cold(m);
	uint64_t *max = &out[cold ? MEMPROF_MAX_COLD_SIZE :
	    MEMPROF_MAX_WARM_SIZE];

	out[MEMPROF_CONTEXTS]++;
	out[MEMPROF_COLD_CONTEXTS] += cold;
	if (*max < m->value[PROF_MIB_TOTAL_SIZE])
		*max = m->value[PROF_MIB_TOTAL_SIZE];
}

bool
memprof_summarize(const struct memprof_built *in,
    uint64_t out[MEMPROF_SUMMARY_FIELDS])
{
	bool *seen = calloc((size_t)in->stacks_size + 1, sizeof(*seen));

	if (seen == NULL)
		return false;
	for (int i = 0; i < MEMPROF_SUMMARY_FIELDS; i++)
		out[i] = 0;
	for (uint32_t i = 0; i < in->records_size; i++) {
		const struct memprof_record *r = &in->records[i];

		for (size_t j = 0; j < r->allocs_size; j++) {
			if (!seen[r->allocs[j].stack])
				memprof_summary_add(out, r->allocs[j].info);
			seen[r->allocs[j].stack] = true;
		}
	}
	free(seen);
	return true;
}
