/*
 * ops/check_refs.h - records that refer to others of their profile
 *
 * Readers look at one record at a time; a stream that was put together by hand
 * may name stacks or segments that it does not have.  Errors say no place: the
 * reader knows it (prof_locate).
 */
#ifndef OPS_CHECK_REFS_H
#define OPS_CHECK_REFS_H

#include "format/stream_rule.h"
#include "model/heap_refs.h"
#include "prof.h"

/* What the profile being read has so far.  All zero at first. */
struct check_refs {
	struct heap_refs heap;		/* strict */
	bool has_counted;		/* a record that is not a binary */
	enum stream_rule broken_rule;	/* if check_refs_add failed */
};

/*
 * Adds a record of any kind.  PROF_FAIL with PROF_E_CORRUPT if what it refers
 * to is not there or contradicts it, or if it stands behind records that it
 * has to precede.
 */
enum prof_status check_refs_add(struct check_refs *,
    const struct prof_record *, struct prof_error *);

void check_refs_free(struct check_refs *);

#endif
