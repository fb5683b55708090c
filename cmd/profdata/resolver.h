/*
 * cmd/profdata/resolver.h - what binaries tell about the records of a profile
 *
 * Correlated counters become functions, and addresses of heap profiles become
 * frames, if the options name binaries.  Records go through the resolver
 * before llvm-profdata merges or shows them.
 */
#ifndef CMD_PROFDATA_RESOLVER_H
#define CMD_PROFDATA_RESOLVER_H

#include "cmd/profdata/profdata.h"
#include "sym/correlate.h"

struct profdata_resolver;

/* Resolved records are passed to next.  Exits if a binary cannot be opened. */
struct profdata_resolver *profdata_resolver_new(struct profdata *,
    profdata_record *next, void *arg);

/* A profdata_record whose argument is the stage. */
profdata_record profdata_resolver_put;

bool profdata_resolver_has_binary(const struct profdata_resolver *);

/* Call after the last record. */
enum prof_status profdata_resolver_finish(struct profdata_resolver *,
    struct prof_error *);
void profdata_resolver_free(struct profdata_resolver *); /* NULL is fine */

/*
 * cmd/profdata/correlation.c: emits the functions of a correlated profile of
 * the binary in which nothing ran, and warns of functions whose debug
 * information is incomplete.  Returns the size of the counters in bytes; ends
 * the program if the binary has none.
 */
struct profdata_zero_profile {
	struct correlate *correlate;	/* of the binary */
	struct binary *binary;
	unsigned flags;			/* of the profile */
	correlate_emit *emit;
	void *arg;
};
uint64_t profdata_correlate_zero_counters(struct profdata *,
    const struct profdata_zero_profile *);

/* Ends the program if the file cannot be opened or is no ELF file. */
struct binary *profdata_open_binary(struct profdata *, const char *path);

/* Ends the program, in LLVM's words, if the binary has no such section. */
void profdata_require_section(struct binary *, const char *name);

/*
 * Warnings of correlate_warn_each: profdata_limited_warn, whose argument this
 * is, prints the first ones; profdata_limited_end prints the number of others.
 */
struct profdata_limited_warnings {
	uint64_t count, max;		/* max: 0 is all */
};
prof_warn profdata_limited_warn;
void profdata_limited_end(const struct profdata_limited_warnings *);

#endif
