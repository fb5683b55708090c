/*
 * cmd/bundle/inputs.h - the profiles of a set whose sum counts each input once
 *
 * A profile is either an input or a partial merge, whose inputs its manifest
 * names.  Inputs are known by manifest_identity.
 */
#ifndef CMD_BUNDLE_INPUTS_H
#define CMD_BUNDLE_INPUTS_H

#include "cmd/bundle/set.h"

struct bundle_inputs {
	bool *wanted;			/* of the set's contents */
	uint8_t (*digests)[SHA256_SIZE];	/* all inputs, sorted */
	size_t size;
	bool *dropped;			/* of digests */
	uint64_t repeated;		/* profiles that others contain */
};

/*
 * Chooses the profiles; all members are zero before.  A partial merge whose
 * inputs all are in others is not wanted.  PROF_E_MISMATCH if one shares only
 * some of its inputs with others; *at is then that one, and the reason names
 * one that it shares inputs with.
 */
enum prof_status bundle_inputs(struct bundle_inputs *,
    const struct bundle_set *, const struct bundle_entry **at,
    struct prof_error *);

/* Notes that a wanted profile, and so its inputs, is not in the sum. */
void bundle_inputs_drop(struct bundle_inputs *, const struct bundle_entry *);

/* Removes the inputs of dropped profiles from the digests. */
void bundle_inputs_settle(struct bundle_inputs *);

void bundle_inputs_free(struct bundle_inputs *);

#endif
