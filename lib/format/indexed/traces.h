/*
 * format/indexed/traces.h - the sample of temporal traces that is written
 *
 * LLVM keeps a reservoir of 100 traces of at most 10000 functions, drawn with
 * a random generator (InstrProfWriter.cpp, addTemporalProfileTraces).  The
 * sample here depends on the traces alone, not on the order of adding.
 */
#ifndef FORMAT_INDEXED_TRACES_H
#define FORMAT_INDEXED_TRACES_H

#include "base/bytes.h"
#include "prof.h"

enum { INDEXED_MAX_TRACES = 100, INDEXED_MAX_TRACE_LENGTH = 10000 };

struct indexed_trace;

/* All zero is empty. */
struct indexed_traces {
	struct indexed_trace *traces;
	size_t size, room;
	struct buf bytes;		/* traces, encoded as in the file */
	uint64_t cut;			/* functions beyond the maximum */
	bool all;			/* no sampling, no maximal length */
};

/* Adds a trace; one without functions is ignored.  False if out of memory. */
bool indexed_traces_add(struct indexed_traces *, const struct prof_trace *);

/* Appends the section, with at most INDEXED_MAX_TRACES of the traces. */
void indexed_traces_write(struct indexed_traces *, uint64_t stream_size,
    struct buf *out);

void indexed_traces_free(struct indexed_traces *);

#endif
