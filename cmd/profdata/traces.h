/*
 * cmd/profdata/traces.h - temporal traces, sampled as llvm-profdata does it
 *
 * InstrProfWriter.cpp, addTemporalProfileTraces: a reservoir with a Mersenne
 * twister of the default seed, so that the same inputs in the same order give
 * the same traces, those of `llvm-profdata merge -j 1`.  Up to LLVM 19 each
 * trace of the whole stream is as likely to stay; since then, those of the
 * inputs that came first are, once the reservoir is full.
 */
#ifndef CMD_PROFDATA_TRACES_H
#define CMD_PROFDATA_TRACES_H

#include "base/arena.h"
#include "base/mt19937.h"
#include "prof.h"

struct trace_set {
	struct prof_trace *traces;
	size_t size, room;
	uint64_t seen;			/* traces of the whole stream */
};

struct trace_reservoir {
	uint64_t size, max_length;
	bool streams_apart;		/* LLVM 20 and later */
	/*
	 * The profile being read has traces.  Up to LLVM 19 its stream counts
	 * even if all of them are cut to length 0 and so left out.
	 */
	bool any;
	struct mt19937 random;
	struct arena arena;		/* functions of the traces */
	struct trace_set sample, source;
};

void traces_start(struct trace_reservoir *, uint64_t size, uint64_t max_length,
    bool streams_apart);

/* Adds a trace of the profile being read.  False if out of memory. */
bool traces_add(struct trace_reservoir *, const struct prof_trace *,
    uint64_t weight);

/*
 * Ends the profile and samples its traces; `seen` is the number of traces of
 * its stream, of which the profile may hold a sample.  False if out of memory.
 */
bool traces_end(struct trace_reservoir *, uint64_t seen);

void traces_free(struct trace_reservoir *);

#endif
