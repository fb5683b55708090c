/*
 * Writers of raw profiles, for tests of what reads them: no program writes raw
 * profiles.  Records are put by prof_put; prof_writer_free frees a writer.
 */
#ifndef TESTS_SUPPORT_RAW_WRITE_H
#define TESTS_SUPPORT_RAW_WRITE_H

#include "format/codec.h"
#include "prof.h"

/* What the newest release writes, and the machine of the program. */
enum { RAW_USUAL = 10, RAW_HEAP_USUAL = 5 };

struct raw_target {
	unsigned version;
	bool big;			/* byte order */
	unsigned bits;			/* 32 or 64 */
};

/* Versions 4 to 11; each profile becomes an image. */
struct prof_writer *raw_writer_new(const struct raw_target *, prof_sink *,
    void *arg, struct prof_error *);

/* Versions 3 to 5, of heap profiles; each profile becomes a dump. */
struct prof_writer *raw_heap_writer_new(const struct raw_target *, prof_sink *,
    void *arg, struct prof_error *);

#endif
