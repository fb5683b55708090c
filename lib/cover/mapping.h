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

#endif
