/*
 * format/indexed/summary.h - the summaries behind the header of an indexed profile
 *
 * u64 NumSummaryFields, u64 NumCutoffEntries, the fields, and for each cutoff
 * u64 Cutoff, MinCount, NumCounts (InstrProf.h, struct Summary).  A second one,
 * of context-sensitive records, follows if the profile has some.  Compilers
 * take from them what is hot; readers of records have no use for them.
 */
#ifndef FORMAT_INDEXED_SUMMARY_H
#define FORMAT_INDEXED_SUMMARY_H

#include "base/arena.h"
#include "format/codec.h"
#include "format/indexed/image.h"

/*
 * Warns of each field that is not what the records come to.  The records were
 * checked before.  The arena is reset.
 */
enum prof_status indexed_summary_check(const struct indexed_image *,
    struct arena *, struct prof_context *, struct prof_error *);

#endif
