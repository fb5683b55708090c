/*
 * merge/core/header.h - the heads of several profiles, summed
 *
 * A profile with functions sets three constraints that all other profiles with
 * functions must meet: its level, whether it has byte coverage, and its range
 * of hash rules.  A profile without functions mixes with any other.
 */
#ifndef MERGE_CORE_HEADER_H
#define MERGE_CORE_HEADER_H

#include "base/arena.h"
#include "prof.h"

/* A value that all profiles must share, and the first profile that had it. */
struct merge_constraint {
	int value;
	const char *label;		/* NULL: there is no constraint yet */
};

/* The constraints of several profiles with functions. */
struct merge_constraints {
	struct merge_constraint level, coverage;
	/* The hash rules that all of them may follow; 0: none has a range. */
	unsigned frontend_first, frontend_last;
	const char *hash_rule;		/* the first profile with a range */
};

/*
 * Adds the constraints of another profile, whose label must last as long.
 * PROF_E_MISMATCH, naming an earlier profile, if they cannot all be met.
 */
enum prof_status merge_constrain(struct merge_constraints *,
    const struct prof_header *, const char *label, struct prof_error *);

/*
 * "file[member]" or "file", for messages, with '?' for bytes that do not print;
 * NULL if out of memory.
 */
const char *merge_source_label(struct arena *, const struct prof_source *);

/* The range of hash rules is in the constraints until the end. */
struct merge_head {
	struct prof_header sum;
	bool any, any_functions, extra_dropped;
	const char *label;		/* of the profile being read, */
	struct arena label_arena;	/* which is here */
	struct arena *arena;		/* labels of constraints, extra keys */
	struct prof_header own;		/* of the profile being read */
	bool own_functions;		/* it has functions */
	/* Of profiles without functions; used if no profile has functions. */
	enum prof_level idle_level;
	unsigned idle_flags;
	struct merge_constraints constraints;
};

/*
 * Intersects unknown keys (`"k":v,"k2":v2`, as prof_header.extra): removes from
 * *keys, whose bytes are the caller's own, each key that `other` does not have
 * with the same value.  *dropped becomes true if a key goes, or if `other` has
 * more.
 */
void merge_extra(struct prof_span *keys, struct prof_span other,
    bool *dropped);

/* Begins a profile.  The arena must last as long as the head. */
enum prof_status merge_head_begin(struct merge_head *, struct arena *,
    const struct prof_header *, struct prof_error *);

/*
 * The profile being read has a function: sets its constraints or checks them.
 * PROF_E_MISMATCH, naming both profiles, if they are not met.
 */
enum prof_status merge_head_function(struct merge_head *, struct prof_error *);

/*
 * Whether such a profile, with functions or without, would be added; nothing is
 * changed.
 */
enum prof_status merge_head_mixes(const struct merge_head *,
    const struct prof_header *, bool functions, struct prof_error *);

/* Ends the profile being read, which had so many traces. */
void merge_head_end(struct merge_head *, uint64_t traces);

/*
 * Adds another sum of heads, whose constraints are known to be met.  The arena
 * is that of merge_head_begin.
 */
enum prof_status merge_head_join(struct merge_head *, struct arena *,
    const struct merge_head *, struct prof_error *);

/*
 * Subtracts the number of inputs, which does not fall below `least`.
 * PROF_E_MISMATCH if `less` is of a kind that cannot be subtracted.
 */
enum prof_status merge_head_subtract(struct merge_head *,
    const struct merge_head *less, uint64_t least, struct prof_error *);

/* The head of the sum, once all profiles have ended. */
struct prof_header merge_head_sum(const struct merge_head *);

void merge_head_free(struct merge_head *);

#endif
