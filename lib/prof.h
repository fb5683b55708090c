/*
 * prof.h - libprof: LLVM's instrumentation profiles as a stream of records
 *
 * A reader turns the bytes of any format into records, a writer turns records
 * into the bytes of any format.  Nothing in the library opens a profile file by
 * name or prints.
 *
 * Ownership, once for all prototypes below: readers lend, writers copy.  The
 * memory that a record points to is valid until the next call on its reader; a
 * caller that needs a record longer copies it.  No function returns memory for
 * the caller to free(3).
 *
 * Facts about the formats: llvm/include/llvm/ProfileData/InstrProfData.inc and
 * InstrProf.h, releases 3.5 to 22, unless another source is named.
 *
 * Whoever reads it for the first time begins with prof/record.h.
 */
#ifndef PROF_H
#define PROF_H

#include "prof/base.h"		/* statuses, errors, spans */
#include "prof/function.h"	/* functions, values, blocks, traces */
#include "prof/heap.h"		/* stacks, allocations, data accesses */
#include "prof/record.h"	/* the header of a profile; records */
#include "prof/reader.h"	/* contexts, readers */
#include "prof/writer.h"	/* writers */

#endif
