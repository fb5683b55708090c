/* format/memprof/summary_check.h - the summary of a heap profile's section */
#ifndef FORMAT_MEMPROF_SUMMARY_CHECK_H
#define FORMAT_MEMPROF_SUMMARY_CHECK_H

#include "format/codec.h"
#include "format/memprof/image.h"

/*
 * Warns of each field that is not what the records come to, if the section has
 * a summary.  The records were checked before.
 */
enum prof_status memprof_summary_check(const struct memprof_section *,
    struct prof_context *, struct prof_error *);

#endif
