/*
 * sym/correlate.h - correlated profiles: counters become functions
 *
 * A pipeline stage that records pass through.  A correlated profile has raw
 * counters, whose functions only the binary knows.  They become the functions
 * that `llvm-profdata merge --debug-info` and `--binary-file` make of them
 * (InstrProfCorrelator.cpp, LLVM 14 to 22), with the MC/DC bitmaps that
 * llvm-profdata drops.  All other records are passed on as they are.
 */
#ifndef SYM_CORRELATE_H
#define SYM_CORRELATE_H

#include "prof.h"
#include "sym/binary.h"

struct correlate;

/*
 * Binaries and search are borrowed until correlate_free.  A profile with build
 * ids uses the binary with one of them, which is searched for.  A profile
 * without uses the binary with as many counters.  warn may be NULL.  NULL if
 * out of memory.
 */
struct correlate *correlate_new(struct binary *const *binaries, size_t count,
    const struct binary_search *search, prof_warn *warn, void *warn_arg);

/* Receives a record, which is valid during the call. */
typedef enum prof_status correlate_emit(void *arg, const struct prof_record *,
    struct prof_error *);

/*
 * Puts a record; emits it, nothing, or several records in its place.
 * PROF_E_MISMATCH if no binary belongs to the profile, or its binary has other
 * counters.
 */
enum prof_status correlate_put(struct correlate *, const struct prof_record *,
    correlate_emit *, void *arg, struct prof_error *);

void correlate_free(struct correlate *);

/*
 * Emits a header, and names and hashes of the functions of which the binary
 * writes profiles: those of its section __llvm_prf_data or __llvm_covdata, or
 * else of debug information.  The level is unknown if the symbol table was
 * stripped.  PROF_E_UNSUPPORTED, with what is needed in the reason, if the
 * binary has none of these.
 */
enum prof_status correlate_binary(struct binary *, correlate_emit *, void *arg,
    struct prof_error *);

#endif
