/* merge_head.h - what several profile heads come to, and what does not mix */
#ifndef OPS_MERGE_HEAD_H
#define OPS_MERGE_HEAD_H

#include "base/arena.h"
#include "prof.h"

/* Something that all profiles must agree in, and who said so first. */
struct merge_claim {
	int value;
	const char *who;		/* NULL: nobody yet */
};

struct merge_head {
	struct prof_header sum;
	bool any, any_functions, extra_dropped;
	const char *current;		/* label of the profile being read */
	struct prof_header own;		/* of that profile */
	bool own_functions;
	/* Of profiles without functions: they count if there are no others. */
	enum prof_level idle_level;
	unsigned idle_flags;
	struct merge_claim level, coverage, hash_rule;
};

/*
 * Of the unknown keys in *kept (`"k":v,"k2":v2`, as prof_header.extra), those
 * stay that `other` has too, with the same value; *dropped becomes true if any
 * goes, or `other` has more.  False if out of memory.
 */
bool merge_extra(struct prof_span *kept, struct prof_span other,
    struct arena *, bool *dropped);

/* Begins a profile.  Labels and extra keys are kept in the arena. */
enum prof_status merge_head_begin(struct merge_head *, struct arena *,
    const struct prof_header *, struct prof_error *);

/*
 * The profile has a function: only now does its level count, for a profile
 * without functions mixes with anything.
 */
enum prof_status merge_head_function(struct merge_head *, struct prof_error *);

/* Ends a profile that had so many traces. */
void merge_head_end(struct merge_head *, uint64_t traces);

/* PROF_OK if profiles of the one kind can be taken from those of the other. */
enum prof_status merge_head_subtract(const struct merge_head *,
    const struct merge_head *less, struct prof_error *);

/* The head of the sum, once all profiles have ended. */
struct prof_header merge_head_sum(const struct merge_head *);

#endif
