/* cmd/bundle/scan.h - the first of two readings: what is in the inputs */
#ifndef CMD_BUNDLE_SCAN_H
#define CMD_BUNDLE_SCAN_H

#include "cmd/bundle/bundle.h"
#include "cmd/bundle/set.h"

enum bundle_scanning {
	BUNDLE_DIGESTS,			/* who reads again decodes them */
	BUNDLE_DECODED,
	/* The first is the bundle that is added to: all of it, as it is. */
	BUNDLE_OWN
};

/*
 * Adds the profiles of all inputs to the set, with the labels of the options.
 * Bad ones end it, or are left out (cmd/common/damage.h).
 */
enum prof_status bundle_scan(struct cli *, const struct bundle_options *,
    enum bundle_scanning, struct bundle_set *);

#endif
