/* merge/header.h - what several profile heads come to, and what does not mix */
#ifndef MERGE_HEADER_H
#define MERGE_HEADER_H

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
	const char *current;		/* label of the profile being read, */
	struct arena label;		/* which is here, */
	struct arena *kept;		/* and those of claims */
	struct prof_header own;		/* of that profile */
	bool own_functions;
	/* Of profiles without functions: they count if there are no others. */
	enum prof_level idle_level;
	unsigned idle_flags;
	struct merge_claim level, coverage, hash_rule;
};

/*
 * Of the unknown keys in *kept (`"k":v,"k2":v2`, as prof_header.extra), whose
 * bytes are the caller's own, those stay that `other` has too, with the same
 * value; *dropped becomes true if any goes, or `other` has more.
 */
void merge_extra(struct prof_span *kept, struct prof_span other,
    bool *dropped);

/*
 * Begins a profile.  Extra keys and the labels of those who claim something are
 * kept in the arena.
 */
enum prof_status merge_head_begin(struct merge_head *, struct arena *,
    const struct prof_header *, struct prof_error *);

/*
 * The profile has a function: only now does its level count, for a profile
 * without functions mixes with anything.
 */
enum prof_status merge_head_function(struct merge_head *, struct prof_error *);

/*
 * Whether such a profile, which has functions or none, would be taken; nothing
 * is taken.
 */
enum prof_status merge_head_mixes(const struct merge_head *,
    const struct prof_header *, bool functions, struct prof_error *);

/* Ends a profile that had so many traces. */
void merge_head_end(struct merge_head *, uint64_t traces);

/*
 * Adds what other inputs came to; the arena is as in merge_head_begin.  They
 * are known to mix.
 */
enum prof_status merge_head_join(struct merge_head *, struct arena *,
    const struct merge_head *, struct prof_error *);

/* PROF_OK if profiles of the one kind can be taken from those of the other. */
enum prof_status merge_head_subtract(const struct merge_head *,
    const struct merge_head *less, struct prof_error *);

/* The head of the sum, once all profiles have ended. */
struct prof_header merge_head_sum(const struct merge_head *);

void merge_head_free(struct merge_head *);

#endif
