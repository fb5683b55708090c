/* format/memprof/summary_check.h - check of a section's summary */
#ifndef FORMAT_MEMPROF_SUMMARY_CHECK_H
#define FORMAT_MEMPROF_SUMMARY_CHECK_H

#include "format/codec.h"
#include "format/memprof/layout.h"

/*
 * Warns of each field that differs from the one computed from the records, if
 * the section has a summary.  The records must have been checked before.
 */
enum prof_status memprof_summary_check(const struct memprof_section *,
    struct prof_context *, struct prof_error *);

#endif
