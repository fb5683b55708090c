/*
 * cmd/bundle/inputs.h - which profiles of a set make the sum in which each input
 * is once
 *
 * A profile is an input by itself, or a partial merge of inputs that its
 * manifest names; all are known by their digests.
 */
#ifndef CMD_BUNDLE_INPUTS_H
#define CMD_BUNDLE_INPUTS_H

#include "cmd/bundle/set.h"

struct bundle_inputs {
	bool *wanted;			/* of the set's contents */
	uint8_t (*digests)[SHA256_SIZE];	/* all inputs, sorted */
	size_t size;
	bool *dropped;			/* of digests */
	uint64_t repeated;		/* profiles that were in already */
};

/*
 * All zero before.  PROF_E_MISMATCH if two partial merges have inputs in common
 * and others not; then *at is one of them, and the reason names the other.
 */
enum prof_status bundle_inputs(struct bundle_inputs *,
    const struct bundle_set *, const struct bundle_entry **at,
    struct prof_error *);

/* A wanted profile was left out in the end: its inputs are not in the sum. */
void bundle_inputs_drop(struct bundle_inputs *,
    const struct manifest_profile *);

/* Takes those out of the digests. */
void bundle_inputs_settle(struct bundle_inputs *);

void bundle_inputs_free(struct bundle_inputs *);

#endif
