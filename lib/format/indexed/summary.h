/*
 * format/indexed/summary.h - the summaries behind the header
 *
 * u64 NumSummaryFields, u64 NumCutoffEntries, the fields, and for each cutoff
 * u64 Cutoff, MinCount, NumCounts (InstrProf.h, struct Summary).  A second one,
 * of context-sensitive records, follows if the profile has some.  Compilers
 * decide by summaries which functions are hot.
 */
#ifndef FORMAT_INDEXED_SUMMARY_H
#define FORMAT_INDEXED_SUMMARY_H

#include "base/arena.h"
#include "format/codec.h"
#include "format/indexed/image.h"

/*
 * Computes the summaries from the records, which were checked before, and warns
 * of each stored field that differs.  Resets the arena.
 */
enum prof_status indexed_summary_check(const struct indexed_image *,
    struct arena *, struct prof_context *, struct prof_error *);

#endif
