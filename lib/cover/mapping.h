/* cover/mapping.h - regions as they are decoded, inside lib/cover */
#ifndef COVER_MAPPING_H
#define COVER_MAPPING_H

#include "cover/cover.h"

/* No condition comes next: the decision is made. */
#define CONDITION_NONE	UINT32_MAX

/* A region with its counters, before they are evaluated. */
struct decoded {
	struct cover_region region;
	uint32_t counter, other;
	/* Of a decision: one more than its last bit, and its conditions. */
	uint32_t bitmap, conditions;
	/* Of a condition: its number, and the next if it is false and true. */
	uint32_t id, next[2];
};

/*
 * Finds the conditions of each decision, and the combinations of them that the
 * bitmap says were executed.  The decisions are in the arena; a decision that
 * lacks conditions is left out.  PROF_E_CORRUPT if one makes no sense.
 */
enum prof_status cover_find_decisions(const struct decoded *, size_t size,
    size_t files, struct prof_span bitmap, struct arena *,
    struct cover_function *out, struct prof_error *);

/* Adds the ways that another run of the same decision has taken. */
bool cover_decision_add(struct arena *, struct cover_decision *,
    const struct cover_decision *other);

/* A function that is there, or where it will be. */
struct cover_slot {
	struct hash_index_slot *slot;
	uint64_t hash;
	uint32_t number;		/* INDEX_NONE: it is new */
};

/* False if out of memory. */
bool cover_find_function(struct cover *, const struct cover_function *,
    struct cover_slot *);
bool cover_add_function(struct cover *, const struct cover_function *,
    const struct cover_slot *);

/* Adds the counts of a function with the same regions. */
bool cover_function_add(struct arena *, struct cover_function *,
    const struct cover_function *from);

#endif
